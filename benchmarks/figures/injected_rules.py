"""Positive rules about occupations, and how well they survive: what figures 6 and 7 of the paper on Injector share.

The paper does not say how much support and conviction its rules had. Here a rule needs 1 % of the records and a
conviction of 1.2, and may have two items, of any level of the taxonomies: that makes a hundred rules, none of them so
near independence that a release which says nothing would have it right.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from benchmarks.figures.injected import table
from sfumato.data.table import Table
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads import RuleError, RuleErrors
from sfumato.knowledge import Item, Miner, Rule
from sfumato.knowledge.axis import ItemAxis
from sfumato.releases.table_release import TableRelease

SUPPORT, CONVICTION, ITEMS = 0.01, 1.2, 2
When = tuple[Item, ...]


@cache
def rules(support: float = SUPPORT, conviction: float = CONVICTION, items: int = ITEMS) -> tuple[Rule, ...]:
    """The rules that hold in the original."""
    miner = Miner(positive=True, min_support=support, min_conviction=conviction, max_items=items)
    return miner.mine(table()).likely


def confidence_error(release: TableRelease, asked: tuple[Rule, ...]) -> float:
    """By how many percent of themselves confidences are wrong."""
    return 100 * RuleError().measure(table(), Estimator.of_release(release), asked).confidence


def rule_errors(release: TableRelease, conviction: float = CONVICTION) -> RuleErrors:
    """The confidence error of the rules, and which appear or are lost among all that could be rules."""
    way = RuleError(min_support=SUPPORT, min_conviction=conviction)
    asked = rules(SUPPORT, conviction)
    return way.measure(table(), Estimator.of_release(release), asked, frequent(table(), SUPPORT))


@cache
def frequent(people: Table, support: float) -> tuple[When, ...]:
    """One and two items that are true of enough records; with fewer, no release shows enough with any value."""
    items = [item for name in people.schema.quasi for item in ItemAxis.of(people, name).items]
    hit = np.stack([item.true_of(people.domain(item.column))[people.codes[item.column]] for item in items])
    often = (hit * people.counts.astype(np.float64)) @ hit.T.astype(np.float64) >= support * people.records
    alone = [(item,) for item, enough in zip(items, often.diagonal(), strict=True) if enough]
    pairs = combinations(range(len(items)), 2)
    return (*alone, *((items[i], items[j]) for i, j in pairs if often[i, j] and items[i].column != items[j].column))
