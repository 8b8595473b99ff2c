"""Errors of rules, worked out by hand and by going through every rule."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import UsageError
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads.rule_error import RuleError
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule
from sfumato.models import DistinctLDiversity
from sfumato.operations.bucketize import bucketize
from sfumato.releases.table_release import TableRelease
from tests.golden import book
from tests.oracles.models_oracle import records_of


def patients() -> tuple[Table, Estimator]:
    """The book's tables 3.3 and 3.4: one bucket of men, one of women."""
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    partition, linkage = Partition.of_labels(table.codes["Sex"]), Linkage("g", (("Age", "Sex"), ("Disease",)))
    candidate = bucketize(table, partition, linkage, separate_table=True, random=np.random.default_rng(0))
    return table, Estimator.of_release(TableRelease(candidate, (), {}))


AT_38, AT_30 = (Item("Age", "38"),), (Item("Age", "30"),)


def test_confidence_error_by_hand():
    """Two of three at 38 have a heart disease, one of three at 30 has HIV; 1.5 are expected of either."""
    rules = [Rule(AT_38, "Heart", share=2 / 3), Rule(AT_30, "HIV", share=1 / 3)]
    found = RuleError().measure(*patients(), rules)
    assert found.confidence == pytest.approx((0.25 + 0.5) / 2)


def test_rules_that_appear_and_are_lost_by_hand():
    """At 38: Heart holds before (2 of 10) and after (1.5); Flu only after (1 before, conviction 3 * 0.8 / 2 = 1.2).

    At 30: Hepatitis (2) before and after (1.5, conviction 3 * 0.7 / 1.5 = 1.4), HIV only after (1.5).
    """
    way = RuleError(min_support=0.15, min_conviction=1.3)
    found = way.measure(*patients(), [Rule(AT_38, "Heart", share=2 / 3)], antecedents=[AT_30])
    assert found.rules == 2
    assert (found.added, found.lost) == (1, 0)
    strict = RuleError(min_support=0.2, min_conviction=1.3)
    assert strict.measure(*patients(), [], antecedents=[AT_38, AT_30]).lost == 1


def test_nothing_is_wrong_where_nothing_is_torn():
    table, _ = patients()
    ask = Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=1)))
    found = RuleError().measure(table, ask, [Rule(AT_38, "Heart")])
    assert (found.confidence, found.added, found.lost) == (0, 0, 0)


def test_no_rules_no_errors():
    found = RuleError(min_support=0.9).measure(*patients(), [])
    assert found.rules == 0
    assert np.isnan([found.confidence, found.added, found.lost]).all()


def test_a_rule_about_nobody_is_refused():
    with pytest.raises(UsageError, match="no record with the items"):
        RuleError().measure(*patients(), [Rule(AT_38, "HIV")])


def test_like_going_through_every_rule():
    random = np.random.default_rng(5)
    tied = random.integers(0, 4, 300)
    rows = {"q": tied, "r": random.integers(0, 3, 300), "s": np.where(random.random(300) < 0.4, tied, 4 - tied)}
    table = Table.of_rows(
        Schema.of(quasi=["q", "r"], sensitive=["s"], kinds=dict.fromkeys("qrs", "text")),
        {name: [str(value) for value in values] for name, values in rows.items()},
    )
    ask = Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=2)))
    whens = [(Item(name, str(value)),) for name, values in (("q", 4), ("r", 3)) for value in range(values)]
    way, records = RuleError(min_support=0.05, min_conviction=1.4), records_of(table)
    was, now = set(), set()
    for (item,) in whens:
        for value in table.domain("s").texts:
            support = sum(record[item.column] == item.text for record in records)
            both = sum(record[item.column] == item.text and record["s"] == value for record in records)
            chance = support * (1 - sum(record["s"] == value for record in records) / 300)
            for count, held in ((both, was), (ask.count(item, Item("s", value)).value, now)):
                if count / 300 >= 0.05 and chance >= 1.4 * (support - count):
                    held.add((item, value))
    found = way.measure(table, ask, [], antecedents=whens)
    assert found.rules == len(was) > 0
    assert found.added == pytest.approx(len(now - was) / len(was))
    assert found.lost == pytest.approx(len(was - now) / len(was))
    assert now != was
