"""Estimator: COUNT, SUM and AVG over a bucketized release, each with certain bounds and a likely interval.

The workloads `query_error` and `rule_error` and the command `sfumato estimate` are the callers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule
from sfumato.releases.table_release import TableRelease


@dataclass(frozen=True, eq=False)
class Estimator:
    """Answers queries about all records that a release publishes in buckets; suppressed records are not counted.

    Inside a bucket, it is unknown which values of one block belong to which values of another block. If 3 records of a
    bucket of 4 have age 38 and 2 of the 4 have a heart disease, 3 * 2 / 4 = 1.5 records are expected to have both; at
    least 1 and at most 2 do. The numbers of all buckets are added.

    >>> from sfumato.algorithms import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> ask = Estimator.of_release(Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3), seed=0))
    >>> ask.count(Item("Sex", "F")), ask.count(Item("Sex", "F"), Item("Disease", "Flu")).exact
    (Estimate(value=3.0, low=3.0, high=3.0, variance=0.0), False)

    References: Xiao and Tao (2006), section 3; Zhang, Koudas, Srivastava and Yu (2007); book, section 3.2.
    """

    schema: Schema
    records: BucketRecords
    _orders: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of_release(cls, release: TableRelease) -> Estimator:
        """An estimator over the published records of a release."""
        return cls._over(release.candidate.published_rows, release.candidate.linkage)

    @classmethod
    def of_published(cls, published: PublishedView) -> Estimator:
        """An estimator over a release that was read from files."""
        return cls._over(published.table, published.linkage)

    @classmethod
    def _over(cls, table: Table, linkage: Linkage) -> Estimator:
        if not linkage.cut:
            raise UnsuitableError("this release has no buckets to estimate in; count its groups as they are published.")
        return cls(table.schema, BucketRecords.of(table, linkage))

    def count(self, *where: Item) -> Estimate:
        """How many records have all items."""
        hits = self.records.hits(where)
        if not hits:
            return _exactly(float(len(self.records)))
        # One block is taken as it is, and the others are random against it; which one makes no difference.
        _, own = hits.popitem()
        often, worlds = self.records.per_bucket(own), self._worlds(hits)
        fewest, most = self._possible(often, worlds)
        return Estimate(
            worlds.mean(often), float(fewest.sum()), float(most.sum()), worlds.variance(often, often)
        )  # fmt: skip

    def sum(self, column: str, *where: Item) -> Estimate:
        """The sum of a numeric column over the records with all items; missing numbers are left out."""
        numbers, own, worlds = self._numbers_and_matches(column, where)
        total, squares = self._moments(numbers, own, 0.0)
        extremes = self._extremes(column, own, worlds)
        spread = worlds.variance(total, squares)
        return Estimate(worlds.mean(total), extremes.lowest_sum, extremes.highest_sum, spread)

    def average(self, column: str, *where: Item) -> Estimate:
        """The average of a numeric column over the records with all items; nan if there can be no such record.

        The value is the expected sum divided by the expected count; the variance is a first-order approximation.
        """
        numbers, own, worlds = self._numbers_and_matches(column, where)
        count = worlds.mean(self.records.per_bucket(own))
        if count == 0:
            return _exactly(float("nan"))
        value = worlds.mean(self._moments(numbers, own, 0.0)[0]) / count
        # The delta method: sum / count deviates like the sum of (number - average) divided by the count.
        spread = worlds.variance(*self._moments(numbers, own, value)) / count**2
        extremes = self._extremes(column, own, worlds)
        return Estimate(value, extremes.lowest_average, extremes.highest_average, spread)

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

    def _numbers_and_matches(self, column: str, where: tuple[Item, ...]) -> tuple[Numbers, Flags, PossibleWorlds]:
        """The numbers of a column, a mask of records that match in its block, and the worlds of the other blocks."""
        numbers, hits = self.records.numbers(column), self.records.hits(where)
        known = ~np.isnan(numbers)
        own = hits.pop(self.records.block[column], known) & known
        return numbers, own, self._worlds(hits)

    def _worlds(self, hits: dict[int, Flags]) -> PossibleWorlds:
        return PossibleWorlds(
            self.records.sizes.astype(np.float64), [self.records.per_bucket(mask) for mask in hits.values()]
        )

    def _possible(self, often: Numbers, worlds: PossibleWorlds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per bucket, the least and the largest number of positions of one block that match in the other blocks too."""
        # At least as many positions match in all blocks as remain when no two mismatches share a position.
        fewest = np.maximum(worlds.fewest - (worlds.sizes - often), 0)
        return fewest.astype(np.int64), np.minimum(worlds.most, often).astype(np.int64)

    def _moments(self, numbers: Numbers, own: Flags, middle: float) -> tuple[Numbers, Numbers]:
        """Per bucket, the sums of the matching numbers minus `middle`, and of their squares."""
        less = np.where(own, numbers - middle, 0.0)
        return self.records.per_bucket(less), self.records.per_bucket(less**2)

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
