"""Accounted models: a verdict from what a process spent, never from the records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from sfumato.algorithms.mondrian.mondrian import Mondrian
from sfumato.algorithms.partitioning import Partitioning
from sfumato.audit.audit import Audit
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.datasets.hospital import ROWS
from sfumato.disclosure.account import Account, Expense
from sfumato.errors import InfeasibleError, UnsuitableError
from sfumato.models import KAnonymity
from sfumato.models.accounted_model import AccountedModel
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Allowance(AccountedModel):
    """What was spent is at most an allowance."""

    guards_against = frozenset({"probabilistic attack"})

    epsilon: float = param(doc="the allowance", above=0)

    @property
    def required(self) -> float:
        return self.epsilon

    def spent(self, account: Account) -> float:
        return account.total("epsilon")


@dataclass(frozen=True, kw_only=True)
class OneGroup(Partitioning):
    """Puts everybody into one group and claims to have spent something on it, in two steps."""

    accounts = True

    price: float = param(0.25, doc="what each step spends", above=0)

    def _choose_groups(self, table: Table, model, random) -> Partition:
        return Partition.of_labels(np.zeros(len(table), dtype=np.int32))

    def _publish(self, table: Table, model, suppression, random) -> TableCandidate:
        steps = tuple(Expense(step, {"epsilon": self.price}) for step in ("first", "second"))
        return replace(super()._publish(table, model, suppression, random), account=Account(steps))


def test_a_verdict_reads_the_account():
    release = OneGroup().anonymize(hospital(), KAnonymity(k=7) & Allowance(epsilon=0.5))
    sizes, spent = release.verdicts
    assert (sizes.evidence, sizes.level) == ("measured", 7)
    assert (spent.evidence, spent.level, spent.required, spent.holds) == ("accounted", 0.5, 0.5, True)
    assert spent.to_dict()["evidence"] == "accounted"


def test_spending_more_than_allowed_is_refused():
    with pytest.raises(InfeasibleError, match=r"satisfies allowance\(epsilon=0.49\)"):
        OneGroup().anonymize(hospital(), Allowance(epsilon=0.49))


def test_an_algorithm_without_an_account_refuses():
    with pytest.raises(UnsuitableError, match=r"mondrian keeps no account .* cannot promise allowance\(epsilon=1\)"):
        Mondrian().anonymize(hospital(), KAnonymity(k=2) & Allowance(epsilon=1))


def test_no_file_can_show_it():
    import pyarrow as pa

    audit = Audit.of_frame(pa.table(ROWS), quasi=["Job"], sensitive=["Disease"])
    sizes, spent = audit.judge(KAnonymity(k=1) & Allowance(epsilon=1000))
    assert sizes.holds
    assert not spent.holds
    assert spent.level == np.inf
    assert "records alone cannot prove this" in spent.reasons[0]


def test_an_account_comes_back_from_plain_data():
    account = Account((Expense("counts", {"epsilon": 0.1}), Expense("means", {"epsilon": 0.2, "delta": 1e-6})))
    assert Account.from_dict(account.to_dict()) == account
    assert account.total("delta") == 1e-6
    assert Account(tuple(Expense("one", {"epsilon": 0.1}) for _ in range(10))).total("epsilon") == 1.0


def test_facts_are_those_of_the_members_that_judge_groups():
    joined = KAnonymity(k=2) & Allowance(epsilon=1)
    assert joined.measured() == (KAnonymity(k=2),)
    assert joined.kept_by_merging
    assert joined.guards_against == {"record linkage", "probabilistic attack"}
    assert joined.bounds.least_size() == 2
    assert Allowance(epsilon=1).measured() == ()
