"""Estimator: COUNT, SUM and AVG over a bucketized release, each with certain bounds, and with an interval if it can be.

The workloads `query_error` and `rule_error` and the command `sfumato estimate` are the callers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.published_view import PublishedView
from sfumato.errors import UnsuitableError
from sfumato.evaluation.queries.bucket_records import BucketRecords, Numbers
from sfumato.evaluation.queries.estimate import Estimate
from sfumato.evaluation.queries.extremes import Extremes
from sfumato.evaluation.queries.possible_worlds import PossibleWorlds
from sfumato.evaluation.queries.random_buckets import Bounds, RandomBuckets
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule
from sfumato.releases.table_release import TableRelease

_MOST_EXCESS = 6.0
"""Standard errors; random buckets hardly ever have an excess of more than 3, because the bound on it is generous."""


@dataclass(frozen=True, eq=False)
class Estimator:
    """Answers queries about all records that a release publishes in buckets; suppressed records are not counted.

    Inside a bucket, it is unknown which values of one block belong to which values of another block. If 3 records of a
    bucket of 4 have age 38 and 2 of the 4 have a heart disease, 3 * 2 / 4 = 1.5 records are expected to have both; at
    least 1 and at most 2 do. The numbers of all buckets are added.

    The expected value assumes that the blocks are independent within buckets. `random_buckets` says that buckets were
    drawn at random given the sensitive values, whatever the other columns are: then the compositions of many buckets
    together show the association between the blocks, and estimates have an interval (`RandomBuckets`).

    >>> from sfumato.algorithms import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> ask = Estimator.of_release(Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3), seed=0))
    >>> ask.count(Item("Sex", "F")), ask.count(Item("Sex", "F"), Item("Disease", "Flu")).exact
    (Estimate(value=3.0, low=3.0, high=3.0), False)

    References: Xiao and Tao (2006), section 3; Zhang, Koudas, Srivastava and Yu (2007); book, section 3.2.
    """

    schema: Schema
    records: BucketRecords
    random_buckets: bool = False
    _orders: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of_release(cls, release: TableRelease) -> Estimator:
        """An estimator over the published records of a release, which knows whether its buckets are random."""
        drawn = bool(release.provenance.get("random_buckets"))
        return cls._over(release.candidate.published_rows, release.candidate.linkage, random_buckets=drawn)

    @classmethod
    def of_published(cls, published: PublishedView, *, random_buckets: bool = False) -> Estimator:
        """An estimator over a release that was read from files, which do not tell whether its buckets are random.

        If they are stated to be random and the records of a bucket are too similar for that, an error says so. No check
        can confirm the statement: buckets may be chosen by what they have in common without looking unusual.
        """
        made = cls._over(published.table, published.linkage, random_buckets=random_buckets)
        made._refuse_chosen_buckets()
        return made

    @classmethod
    def _over(cls, table: Table, linkage: Linkage, *, random_buckets: bool = False) -> Estimator:
        if not linkage.cut:
            raise UnsuitableError("this release has no buckets to estimate in; count its groups as they are published.")
        return cls(table.schema, BucketRecords.of(table, linkage), random_buckets)

    def count(self, *where: Item) -> Estimate:
        """How many records have all items."""
        hits = self.records.hits(where)
        if not hits:
            return _exactly(float(len(self.records)))
        drawn = self._drawn_total(hits, {})
        # One block is taken as it is, and the others are random against it; which one makes no difference.
        _, own = hits.popitem()
        often, worlds = self.records.per_bucket(own), self._worlds(hits)
        fewest, most = self._possible(often, worlds)
        return Estimate(worlds.mean(often), float(fewest.sum()), float(most.sum()), drawn)

    def sum(self, column: str, *where: Item) -> Estimate:
        """The sum of a numeric column over the records with all items; missing numbers are left out."""
        numbers, own, hits = self._numbers_and_matches(column, where)
        worlds = self._worlds(hits)
        extremes, counted = self._extremes(column, own, worlds), np.where(own, numbers, 0.0)
        drawn = self._drawn_total(hits, {self.records.block[column]: counted})
        value = worlds.mean(self.records.per_bucket(counted))
        return Estimate(value, extremes.lowest_sum, extremes.highest_sum, drawn)

    def average(self, column: str, *where: Item) -> Estimate:
        """The average of a numeric column over the records with all items; nan if there can be no such record.

        The value is the expected sum divided by the expected count.
        """
        numbers, own, hits = self._numbers_and_matches(column, where)
        worlds = self._worlds(hits)
        count = worlds.mean(self.records.per_bucket(own))
        if count == 0:
            return _exactly(float("nan"))
        extremes, counted = self._extremes(column, own, worlds), np.where(own, numbers, 0.0)
        certain = extremes.lowest_average, extremes.highest_average
        drawn = self._drawn_average(hits, self.records.block[column], counted, own, certain)
        return Estimate(worlds.mean(self.records.per_bucket(counted)) / count, *certain, drawn)

    def spread(self, column: str, *where: Item) -> Numbers:
        """The expected number of records with all items for each value of a column, by code."""
        domain, hits = self.records.domain(column), self.records.hits(where)
        own = hits.pop(self.records.block[column], None)
        chance = self._worlds(hits).one[self.records.bucket]
        chance = chance if own is None else chance * own
        return np.bincount(self.records.codes[column], weights=chance, minlength=len(domain)).astype(np.float64)

    def confidence(self, rule: Rule, sensitive: str = "") -> float:
        """The expected share of a rule's value among the records with its items; nan if there are none.

        It estimates `rule.share`.
        """
        name = self.schema.one_sensitive(sensitive)
        whom = self.count(*rule.when).value
        return self.count(*rule.when, Item(name, rule.value)).value / whom if whom else float("nan")

    @cached_property
    def _draw(self) -> tuple[int, RandomBuckets] | None:
        """The block of the sensitive columns and the draw of buckets given its values, if buckets are random."""
        blocks = {self.records.block[name] for name in self.schema.sensitive if name in self.records.block}
        if not self.random_buckets or len(blocks) != 1 or not len(self.records):
            return None
        (block,) = blocks
        names = [name for name, place in self.records.block.items() if place == block]
        return block, RandomBuckets.of(self.records, names)

    def _refuse_chosen_buckets(self) -> None:
        """Raise an error if the values of a column differ more between buckets than a random draw could make them."""
        if self._draw is None:
            return
        secret, draw = self._draw
        for name in self.schema.quasi:
            if self.records.block.get(name, secret) == secret:
                continue
            excess = draw.excess(self.records.codes[name].astype(np.float64))
            if excess > _MOST_EXCESS:
                raise UnsuitableError(
                    f"these buckets were not drawn at random given the sensitive values: they differ in {name!r} by "
                    f"{excess:.0f} standard errors more than a random draw allows. Do not state that they are random; "
                    "the certain bounds hold anyway."
                )

    def _drawn_total(
        self, hits: Mapping[int, Flags], numbers: Mapping[int, Numbers]
    ) -> Callable[[float], Bounds] | None:
        """The interval for a sum over matching records: of `numbers` of one block, or of ones."""
        cells = {block: mask.astype(np.float64) for block, mask in hits.items()} | dict(numbers)
        if self._draw is None or len(cells) != 2 or self._draw[0] not in cells:
            return None
        secret, draw = self._draw
        factors, (other,) = cells.pop(secret)[draw.first], cells.values()
        return lambda reach: draw.total(factors, other, reach)

    def _drawn_average(
        self, hits: Mapping[int, Flags], block: int, numbers: Numbers, own: Flags, certain: Bounds
    ) -> Callable[[float], Bounds] | None:
        """The interval for an average of `numbers` of one block over matching records."""
        if self._draw is None or len(hits) != 1 or self._draw[0] not in (block, *hits):
            return None
        secret, draw = self._draw
        (other,), chosen = (mask.astype(np.float64) for mask in hits.values()), own.astype(np.float64)
        if block == secret:
            values, factors = numbers[draw.first], chosen[draw.first]
            return lambda reach: draw.average_of_strata(values, factors, other, certain, reach)
        return lambda reach: draw.average_inside(other[draw.first], numbers, chosen, certain, reach)

    def _numbers_and_matches(self, column: str, where: tuple[Item, ...]) -> tuple[Numbers, Flags, dict[int, Flags]]:
        """The numbers of a column, a mask of records that match in its block, and those of the other blocks."""
        numbers, hits = self.records.numbers(column), self.records.hits(where)
        known = ~np.isnan(numbers)
        own = hits.pop(self.records.block[column], known) & known
        return numbers, own, hits

    def _worlds(self, hits: Mapping[int, Flags]) -> PossibleWorlds:
        return PossibleWorlds(
            self.records.sizes.astype(np.float64), [self.records.per_bucket(mask) for mask in hits.values()]
        )

    def _possible(self, often: Numbers, worlds: PossibleWorlds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per bucket, the least and the largest number of positions of one block that match in the other blocks too."""
        # At least as many positions match in all blocks as remain when no two mismatches share a position.
        fewest = np.maximum(worlds.fewest - (worlds.sizes - often), 0)
        return fewest.astype(np.int64), np.minimum(worlds.most, often).astype(np.int64)

    def _extremes(self, column: str, own: Flags, worlds: PossibleWorlds) -> Extremes:
        order = self._order(column)
        order = order[own[order]]
        numbers, bucket = self.records.numbers(column)[order], self.records.bucket[order]
        return Extremes(numbers, bucket, *self._possible(self.records.per_bucket(own), worlds))

    def _order(self, column: str) -> NDArray[np.int64]:
        """Positions sorted by bucket and number; cached per column."""
        if column not in self._orders:
            self._orders[column] = np.lexsort([self.records.numbers(column), self.records.bucket])
        return self._orders[column]


def _exactly(value: float) -> Estimate:
    return Estimate(value, value, value)
