"""Search: one pass over all sets of columns that counts itemsets and selects rules. The miner runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.exact_ratios import WIDEST, against, as_meant
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.axis import ItemAxis
from sfumato.knowledge.counting import NOISE, Counting, Itemsets
from sfumato.knowledge.expectation import expectation, needed_support
from sfumato.knowledge.generality import Columns, RuleArrays
from sfumato.knowledge.rule import Rule
from sfumato.runtime.progress import advance

if TYPE_CHECKING:
    from sfumato.knowledge.miner import Miner

Numbers = NDArray[np.float64]
Rules = dict[Columns, RuleArrays]


@dataclass(frozen=True, eq=False)
class Search:
    """The search of a miner in one table, with the thresholds and the items it uses.

    `wanted` are the codes of the values that a rule can be about, `needed[v]` is how many records must have the items
    of a negative rule about the v-th of them, and no itemset of fewer than `floor` records can be part of a rule.
    """

    miner: Miner
    table: Table
    sensitive: str
    needed: Numbers
    wanted: NDArray[np.int64]
    floor: float
    axes: Mapping[str, ItemAxis]

    @classmethod
    def over(cls, miner: Miner, table: Table, sensitive: str) -> Search:
        """Prepare a search for rules about a sensitive column."""
        histogram, records = table.histogram(sensitive), table.records
        # A value that every record has needs 0 records; at least one keeps empty itemsets out.
        needed = np.maximum(needed_support(histogram, miner.min_expectation), 1)
        common = miner.positive & (against(histogram, np.full(len(histogram), records), miner.min_support) >= 0)
        # Other values can be part of no rule, so they are counted together as "others".
        wanted = np.flatnonzero((needed <= records) | common)
        floor = float(needed.min(initial=np.inf))
        if common.any():
            # A positive rule needs records with the items and the value, so at least as many with the items. The
            # bound is a little lower because of rounding; `_is_convincing` decides exactly.
            floor = min(floor, float(as_meant(miner.min_support)) * records * (1 - NOISE))
        axes = {
            name: ItemAxis.of(table, name, least=floor, fuzziness=miner.fuzziness, shape=miner.membership)
            for name in table.schema.quasi
        }
        return cls(miner, table, sensitive, needed[wanted], wanted, floor, axes)

    def run(self) -> tuple[Rules, Rules]:
        """The negative and the positive rules, by the columns of their items."""
        negative: Rules = {}
        positive: Rules = {}
        counting = Counting.of(self.table, self.sensitive, self.wanted, self.axes, self.floor)
        # Level by level as in Apriori, but over sets of columns: itemsets over some columns are counted together.
        frequent: list[Columns] = [()]
        columns, done = tuple(self.axes), 0
        sizes = range(1, min(self.miner.max_items, len(columns)) + 1)
        total = sum(comb(len(columns), size) for size in sizes)
        for size in sizes:
            level = _candidate_columns(frequent, columns)
            frequent = []
            for number, chosen in enumerate(level):
                advance("mining", done + number, total)
                parts = [self._select_rules(found) for found in counting.itemsets(chosen)]
                if parts:
                    frequent.append(chosen)
                negative[chosen] = RuleArrays.concatenate([part[0] for part in parts], size)
                positive[chosen] = RuleArrays.concatenate([part[1] for part in parts], size)
            done += comb(len(columns), size)
        advance("mining", total, total)
        return negative, positive

    def negative_rules(self, found: Rules) -> Iterator[Rule]:
        """The negative rules as `Rule` objects."""
        counts = self.table.histogram(self.sensitive)[self.wanted]
        for columns, rules in found.items():
            surprise = expectation(rules.supports, (counts / self.table.records)[rules.values])
            for when, value, share, support, measured in self._rule_fields(columns, rules, surprise):
                yield Rule(when, value, share, support, measured)

    def positive_rules(self, found: Rules) -> Iterator[Rule]:
        """The positive rules as `Rule` objects."""
        for columns, rules in found.items():
            chance, broken = self._breaks(rules.supports, rules.counts, rules.values)
            with np.errstate(divide="ignore"):
                conviction = chance.astype(np.float64) / broken.astype(np.float64)
            for when, value, share, support, measured in self._rule_fields(columns, rules, conviction):
                yield Rule(when, value, share, support, None, measured)

    def _rule_fields(self, columns: Columns, rules: RuleArrays, measured: Numbers) -> Iterator[tuple[Any, ...]]:
        """For every rule its items, value, share, support and measure."""
        domain = self.table.domain(self.sensitive)
        names = [domain.named(code) for code in self.wanted.tolist()]
        items = zip((self.axes[name].items for name in columns), rules.places.T.tolist(), strict=True)
        # Without degrees supports are whole numbers, and a file should show them as such.
        supports = rules.supports if self._slack else rules.supports.astype(np.int64)
        return zip(
            zip(*(map(axis.__getitem__, places) for axis, places in items), strict=True),
            map(names.__getitem__, rules.values.tolist()),
            np.clip(rules.counts / rules.supports, 0, 1).tolist(),
            supports.tolist(),
            measured.tolist(),
            strict=True,
        )

    @cached_property
    def _slack(self) -> float:
        """Tolerance for sums of degrees, which are rounded; 0 without degrees, since whole numbers are exact."""
        return NOISE if any(axis.grades is not None for axis in self.axes.values()) else 0.0

    def _select_rules(self, found: Itemsets) -> tuple[RuleArrays, RuleArrays]:
        return _rules_where(found, self._is_surprising(found)), _rules_where(found, self._is_convincing(found))

    def _is_surprising(self, found: Itemsets) -> Flags:
        """Where the items rule a value out (within `min_confidence`) and enough records have them."""
        enough = found.supports[:, None] >= self.needed - self._slack
        if self.miner.min_confidence == 1:
            return np.asarray(enough & (found.counts <= self._slack), dtype=np.bool_)
        if self._slack:
            allowed = (1 - self.miner.min_confidence) * found.supports + self._slack * np.maximum(found.supports, 1)
            return np.asarray(enough & (found.counts <= allowed[:, None]), dtype=np.bool_)
        # `against` compares the fraction with the setting as the
        # user wrote it, so 0.9 means 9/10 and not the nearest float.
        without = (found.supports[:, None] - found.counts).astype(np.int64)
        kept = against(without, found.supports[:, None].astype(np.int64), self.miner.min_confidence) >= 0
        return np.asarray(enough & kept, dtype=np.bool_)

    def _is_convincing(self, found: Itemsets) -> Flags:
        """Where enough records have the items and the value, and the conviction is high enough."""
        if not self.miner.positive:
            return np.zeros(found.counts.shape, dtype=bool)
        records = self.table.records
        wide = np.full(found.counts.shape, records)
        chance, broken = self._breaks(found.supports[:, None], found.counts, np.arange(len(self.wanted)))
        if self._slack:
            often = found.counts >= self.miner.min_support * records * (1 - NOISE)
            strong = chance * (1 + NOISE) >= self.miner.min_conviction * broken
        else:
            often = against(found.counts.astype(np.int64), wide, self.miner.min_support) >= 0
            strong = against(chance, broken, self.miner.min_conviction) >= 0
        # If every record has the value, chance never breaks the rule, and 0 >= 0 would make every itemset a rule.
        return np.asarray(often & strong & (chance > 0), dtype=np.bool_)

    def _breaks(self, supports: Numbers, counts: Numbers, values: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
        """How many records with the items lack the value, by chance and in fact, both times the number of records."""
        having, records = self.table.histogram(self.sensitive)[self.wanted][values], self.table.records
        if not self._slack:
            # Floats are exact up to 2^53, which the squares of 95 million records
            # exceed; Python integers take over where 64 bits would overflow.
            kind = np.int64 if records**2 < WIDEST else object
            supports, counts = supports.astype(np.int64).astype(kind), counts.astype(np.int64).astype(kind)
        # Both sides are multiplied by the number of records, so
        # that they stay whole numbers and can be compared exactly.
        return np.asarray(supports * (records - having)), np.maximum(supports - counts, 0) * records


def _rules_where(found: Itemsets, mask: Flags) -> RuleArrays:
    rows, values = np.nonzero(mask)
    return RuleArrays(found.places[rows], values, found.supports[rows], found.counts[rows, values])


def _candidate_columns(frequent: list[Columns], columns: Columns) -> list[Columns]:
    """Sets with one more column whose subsets all have frequent itemsets; other sets cannot have any (Apriori)."""
    known = set(frequent)
    return [
        (*chosen, name)
        for chosen in frequent
        for name in columns[columns.index(chosen[-1]) + 1 if chosen else 0 :]
        if all((*chosen[:at], *chosen[at + 1 :], name) in known for at in range(len(chosen)))
    ]
