"""A kind of data that is no table goes the same way: algorithm, candidate, view, judge, release, metric and attack.

The kind is baskets: every record is a set of items. An attacker knows up to m items of a basket, so groups overlap.
The model is k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008): every set of up to m items is in no basket or in k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.mondrian.mondrian import Mondrian
from sfumato.attacks.background_knowledge import BackgroundKnowledge
from sfumato.attacks.base import Attack, Success
from sfumato.data.base import Data
from sfumato.data.schema import Schema
from sfumato.datasets import hospital
from sfumato.disclosure.account import Account, Expense
from sfumato.disclosure.background import Background, Grouping
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.errors import InfeasibleError, ParameterError, UnsuitableError
from sfumato.metrics.base import Metric
from sfumato.models import KAnonymity
from sfumato.models.accounted_model import AccountedModel
from sfumato.models.group_model import GroupModel
from sfumato.models.judge import judge
from sfumato.releases.candidate import Candidate
from sfumato.releases.release import Release
from sfumato.settings.params import param

BASKETS = frozenset({"baskets"})
Basket = frozenset[str]


@dataclass(frozen=True)
class Baskets(Data):
    """Records that are sets of items."""

    kind: ClassVar[str] = "baskets"

    rows: tuple[Basket, ...]
    schema = Schema.of()
    source = None

    @property
    def records(self) -> int:
        return len(self.rows)

    @property
    def persons(self) -> int:
        return len(self.rows)

    def without(self, item: str) -> Baskets:
        return Baskets(tuple(row - {item} for row in self.rows))

    def support(self, m: int) -> Counter[tuple[str, ...]]:
        """In how many baskets every set of up to m items is."""
        sizes = range(1, m + 1)
        return Counter(items for row in self.rows for size in sizes for items in combinations(sorted(row), size))


@dataclass(frozen=True, eq=False, kw_only=True)
class BasketView(View):
    baskets: Baskets

    @property
    def data(self) -> Baskets:
        return self.baskets


@dataclass(frozen=True)
class KnownItems(Background[BasketView]):
    """An attacker knows up to m items."""

    m: int

    def groupings(self, view: BasketView, asked: tuple[str, ...]) -> Iterator[Grouping]:
        support = view.baskets.support(self.m)
        yield Grouping(Groups.of_sizes(view.schema, np.array(list(support.values()), dtype=np.int64)))


@dataclass(frozen=True, kw_only=True)
class KmAnonymity(GroupModel):
    """Every set of up to m items is in no basket, or in at least k."""

    serves = BASKETS

    k: int = param(doc="least number of baskets", at_least=1)
    m: int = param(doc="most items that an attacker knows", at_least=1)

    @property
    def required(self) -> float:
        return self.k

    def level(self, groups: Groups) -> np.ndarray:
        return groups.sizes.astype(np.float64)

    def background(self, schema: Schema) -> KnownItems:
        return KnownItems(self.m)


@dataclass(frozen=True, kw_only=True)
class Allowance(AccountedModel):
    """What was spent is at most an allowance."""

    serves = BASKETS

    epsilon: float = param(doc="the allowance", above=0)

    @property
    def required(self) -> float:
        return self.epsilon

    def spent(self, account: Account) -> float:
        return account.total("epsilon")


@dataclass(frozen=True, eq=False)
class BasketCandidate(Candidate):
    original: Baskets
    published: Baskets
    account: Account | None = None

    @property
    def view(self) -> BasketView:
        return BasketView(baskets=self.published, account=self.account)

    @property
    def parts(self) -> dict[str, Baskets]:
        return {"baskets": self.published}


@dataclass(frozen=True, kw_only=True)
class RemoveRareItems(Algorithm[Baskets, BasketCandidate, Release[BasketCandidate]]):
    """Removes the rarest item from all baskets until the model holds, but never more than `most` items."""

    serves = BASKETS
    accounts = True

    most: int = param(100, doc="most items that are removed", at_least=0)

    def _publish(self, data: Baskets, model: GroupModel, suppression: float, random) -> BasketCandidate:
        published, account = data, Account((Expense("counting", {"epsilon": 0.5}),))
        for (item,), _ in sorted(data.support(1).items(), key=lambda one: (one[1], one[0]))[: self.most]:
            if all(verdict.holds for verdict in judge(BasketView(baskets=published, account=account), model)):
                break
            published = published.without(item)
        return BasketCandidate(data, published, account)


@dataclass(frozen=True, kw_only=True)
class LostItems(Metric[Release[BasketCandidate]]):
    """The share of items that are not published."""

    serves = BASKETS
    limits = (0.0, 1.0)

    def _measure(self, release: Release[BasketCandidate]) -> float:
        before, after = (sum(map(len, one.rows)) for one in (release.candidate.original, release.candidate.published))
        return 1 - after / before


@dataclass(frozen=True, kw_only=True)
class ItemLinkage(Attack[BasketView]):
    """Finds baskets that are the only ones with some set of up to m items."""

    serves = BASKETS
    needs_truth = False
    learns = "which basket is whose"

    m: int = param(2, doc="most items that the attacker knows", at_least=1)

    def _attack(self, view: BasketView, knowledge: object) -> Success:
        alone = {items for items, count in view.baskets.support(self.m).items() if count == 1}
        found = [any(set(items) <= row for items in alone) for row in view.baskets.rows]
        return Success(sum(found), 0)


ROWS = Baskets(tuple(map(frozenset, ("ab", "ab", "abc", "bc", "bd", "abc"))))


def test_overlapping_groups_are_judged_through_the_same_path():
    """By hand: a 4, b 6, c 3, d 1; ab 4, bc 3, ac 2, bd 1. Without d the rarest pair is ac, in two baskets."""
    release = RemoveRareItems().anonymize(ROWS, KmAnonymity(k=2, m=2))
    assert release.parts["baskets"].rows == tuple(map(frozenset, ("ab", "ab", "abc", "bc", "b", "abc")))
    (verdict,) = release.verdicts
    assert (verdict.holds, verdict.level, verdict.required, verdict.groups) == (True, 2, 2, 6)
    assert release.suppressed_records == 0
    assert release.provenance["algorithm"] == {"name": "remove_rare_items"}


def test_a_failing_release_is_refused_with_the_way_out():
    before = KmAnonymity(k=2, m=2).check(BasketView(baskets=ROWS))
    assert (before.holds, before.failing_groups, before.witnesses) == (False, 2, ((1, 1.0), (1, 1.0)))
    with pytest.raises(
        InfeasibleError, match=r"found no way to publish 6 records that satisfies km_anonymity\(k=2, m=2"
    ):
        RemoveRareItems(most=0).anonymize(ROWS, KmAnonymity(k=2, m=2))


def test_metrics_and_attacks_take_such_a_release():
    release = RemoveRareItems().anonymize(ROWS, KmAnonymity(k=2, m=2))
    assert LostItems().measure(release) == pytest.approx(1 / 14)
    assert ItemLinkage().run(release).rate == 0
    assert ItemLinkage().run(BasketView(baskets=ROWS)).rate == pytest.approx(1 / 6)


def test_measured_and_accounted_models_can_be_combined():
    release = RemoveRareItems().anonymize(ROWS, KmAnonymity(k=2, m=1) & Allowance(epsilon=0.5))
    assert [(verdict.evidence, verdict.level) for verdict in release.verdicts] == [("measured", 3), ("accounted", 0.5)]
    with pytest.raises(InfeasibleError, match="allowance"):
        RemoveRareItems().anonymize(ROWS, KmAnonymity(k=2, m=1) & Allowance(epsilon=0.4))


def test_nothing_is_used_on_a_kind_of_data_that_it_is_not_for():
    with pytest.raises(UnsuitableError, match="mondrian is for data of kind 'table', not 'baskets'"):
        Mondrian().anonymize(ROWS, KmAnonymity(k=2, m=2))
    with pytest.raises(UnsuitableError, match="k_anonymity is for data of kind 'table', not 'baskets'"):
        RemoveRareItems().anonymize(ROWS, KAnonymity(k=2))
    with pytest.raises(UnsuitableError, match="km_anonymity is for data of kind 'baskets', not 'table'"):
        Mondrian().anonymize(hospital(), KmAnonymity(k=2, m=2))
    with pytest.raises(UnsuitableError, match="attacks table data, and this is baskets data"):
        BackgroundKnowledge().run(BasketView(baskets=ROWS))
    with pytest.raises(UnsuitableError, match="attacks baskets data, and this is table data"):
        ItemLinkage().run(Mondrian().anonymize(hospital(), KAnonymity(k=2)))


def test_settings_are_checked_by_the_base():
    with pytest.raises(ParameterError, match="'suppression' must be a share"):
        RemoveRareItems().anonymize(ROWS, KmAnonymity(k=2, m=2), suppression=2)


def test_records_that_no_part_publishes_count_as_suppressed():
    assert BasketCandidate(ROWS, Baskets(ROWS.rows[:4])).suppressed_records == 2
