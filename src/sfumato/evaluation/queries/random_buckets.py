"""Random buckets: what buckets that were drawn at random reveal of the association between their blocks of columns.

The estimator asks them for intervals. Nothing is assumed about the association itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.evaluation.queries.bucket_records import BucketRecords, Numbers
from sfumato.runtime.representations import sizes_only

Bounds = tuple[float, float]
Choice = TypeVar("Choice")

_RATIOS = (1e-6, 0.01, 0.1)
"""How much the variance of an estimate counts beside its squared bias; the one with the shortest interval is taken.
The first leaves a bias only where the buckets do not determine the total."""
_MOST_STEPS = 300
"""Limit on the iterations for one set of weights. Weights that are not final have a larger bias, which is counted."""
_PRECISION = 1e-10
"""Residual at which weights are final, relative to the wanted totals."""
_HALVINGS = 20
"""How often the range in which an end of an average lies is halved."""


@dataclass(frozen=True, eq=False)
class Weights:
    """An estimate of a total: the sum over all buckets of a weight times the total of the bucket.

    Its expectation plus the sum of `left` times the totals of the strata is the true total. `left` is zero if the
    compositions of the buckets determine the total.
    """

    per_bucket: Numbers
    left: Numbers

    def __repr__(self) -> str:
        return sizes_only(self)

    def minus(self, times: float, other: Weights) -> Weights:
        """The weights of a total minus a multiple of another total."""
        return Weights(self.per_bucket - times * other.per_bucket, self.left - times * other.left)


@dataclass(frozen=True, eq=False)
class RandomBuckets:
    """Buckets whose records were drawn at random, given only the values of one block, the sensitive one.

    The records with the same sensitive values are a *stratum*. `counts[b, s]` says how many records of stratum s are in
    bucket b; which ones is random, and each choice is equally likely. So the total of a bucket over a column of another
    block is expected to be the sum of `counts[b, s]` times the mean of stratum s. Weights of buckets that turn these
    sums into the wanted total give an unbiased estimate, whatever the means are.

    The interval has the normal error of the random draw, with the largest variance that the published numbers allow,
    and the largest bias. There is a bias if no weights are unbiased, as for values that always share their buckets.

    References: Goodman (1953) for regression over groups; Fieller (1954) for intervals of averages.
    """

    counts: Any
    sizes: Numbers
    first: NDArray[np.int64]
    """The position of one record of each stratum, in the order of `BucketRecords`."""
    starts: NDArray[np.int64]

    def __repr__(self) -> str:
        return sizes_only(self)

    @classmethod
    def of(cls, records: BucketRecords, columns: Sequence[str]) -> RandomBuckets:
        """The buckets of some records, drawn given the values of these columns."""
        from scipy.sparse import csr_array

        codes, radices = zip(*((records.codes[name], len(records.domains[name])) for name in columns), strict=True)
        packing, stratum = Packing.of(codes, radices)
        first = np.empty(len(packing), dtype=np.int64)
        first[stratum] = np.arange(len(stratum))
        cells = (np.ones(len(stratum)), (records.bucket, stratum))
        counts = csr_array(cells, shape=(len(records.sizes), len(packing)))  # equal cells are added
        return cls(counts, records.sizes.astype(np.float64), first, records.starts[:-1])

    @cached_property
    def strata(self) -> Numbers:
        """The number of records of each stratum."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    def weights(self, factors: Numbers) -> list[Weights]:
        """Weights for the total of `factors[s]` times the total of stratum s, one for each ratio of variance to bias.

        They minimize that ratio times the sum of (size of the bucket) * weight², which stands for the variance, plus
        the sum of (bias per unit of the mean of a stratum)². The common part of all factors is exact, because the
        total of all strata is known.
        """
        common = float(factors @ self.strata) / float(self.strata.sum())
        wanted, found = (factors - common) * self.strata, []
        for ratio in _RATIOS:
            per_bucket = common + (self.counts @ self._solution(wanted, ratio)) / self.sizes
            found.append(Weights(per_bucket, factors - (self._transposed @ per_bucket) / self.strata))
        return found

    def bounds(self, weights: Weights, numbers: Numbers, reach: float) -> Bounds:
        """An interval for the total: the estimate with its largest bias and `reach` standard deviations.

        `numbers` has the number of every position in another block, 0 where it does not count.
        """
        per_bucket = np.add.reduceat(numbers, self.starts)
        lowest, highest = np.minimum.reduceat(numbers, self.starts), np.maximum.reduceat(numbers, self.starts)
        total = float(per_bucket.sum())
        estimate, error = float(weights.per_bucket @ per_bucket), reach * self.deviation(weights, numbers)
        # In a bucket, the numbers of a stratum lie between the smallest and the largest of the bucket.
        least, most = self._transposed @ lowest, self._transposed @ highest
        known, room, spare = float(weights.left @ least), most - least, total - float(least.sum())
        bias = known - largest_sum(-weights.left, room, spare), known + largest_sum(weights.left, room, spare)
        return estimate + bias[0] - error, estimate + bias[1] + error

    def deviation(self, weights: Weights, numbers: Numbers) -> float:
        """The largest standard deviation of the estimate that the published numbers allow.

        A stratum adds the sum of (weight - mean weight)² over its records, times its sum of squared deviations of
        `numbers`, divided by its size - 1. The sums of squared deviations are unknown, so the worst ones are taken.
        """
        strata, squares = self.strata, weights.per_bucket**2
        means = (self._transposed @ weights.per_bucket) / strata
        spread = np.maximum(self._transposed @ squares - strata * means**2, 0)
        return sqrt(largest_sum(spread / np.maximum(strata - 1, 1), *self._squares(numbers)))

    def excess(self, numbers: Numbers) -> float:
        """By how many standard errors buckets differ more in their totals than a random draw could make them.

        Each bucket is compared with what its strata make one expect. A random draw gives about 0 or less; similar
        records that were put together give much more.
        """
        totals = np.add.reduceat(numbers, self.starts)
        means = self._solution(self._transposed @ (totals / self.sizes), _RATIOS[0])
        found = (totals - self.counts @ means) ** 2 / self.sizes
        rates = (self._transposed @ (1 / self.sizes)) / np.maximum(self.strata - 1, 1)
        allowed = largest_sum(rates, *self._squares(numbers))
        error = sqrt(float((found**2).sum()))
        return (float(found.sum()) - allowed) / error if error else 0.0

    def _solution(self, wanted: Numbers, ratio: float) -> Numbers:
        """Solve `(counts.T / sizes @ counts + ratio) @ solution = wanted` by conjugate gradients."""
        from scipy.sparse.linalg import LinearOperator, cg

        def product(numbers: Numbers) -> Numbers:
            return np.asarray(self._transposed @ ((self.counts @ numbers) / self.sizes) + ratio * numbers)

        def preconditioned(numbers: Numbers) -> Numbers:
            return np.asarray(numbers / (self._diagonal + ratio))

        shape = (len(wanted), len(wanted))
        system, inverse = (
            LinearOperator(shape, product, dtype=float),
            LinearOperator(shape, preconditioned, dtype=float),
        )
        return np.asarray(cg(system, wanted, rtol=_PRECISION, maxiter=_MOST_STEPS, M=inverse)[0])

    @cached_property
    def _transposed(self) -> Any:
        return self.counts.T.tocsr()

    @cached_property
    def _diagonal(self) -> Numbers:
        return np.asarray(self._transposed.power(2) @ (1 / self.sizes))

    def _squares(self, numbers: Numbers) -> tuple[Numbers, float]:
        """The largest sum of squared deviations from the mean in each stratum, and in all of them together.

        In a stratum it is that of numbers of which half are as small and half as large as any.
        """
        room = self.strata * (float(numbers.max()) - float(numbers.min())) ** 2 / 4
        return room, float(((numbers - numbers.mean()) ** 2).sum())

    def total(self, factors: Numbers, numbers: Numbers, reach: float) -> Bounds:
        """The shortest interval for the sum over all strata of its factor times its total of `numbers`."""
        return min((self.bounds(weights, numbers, reach) for weights in self.weights(factors)), key=_length)

    def average_inside(
        self, factors: Numbers, numbers: Numbers, chosen: Numbers, certain: Bounds, reach: float
    ) -> Bounds:
        """An interval for an average over `chosen` records of strata with factors 1; `numbers` are of their block."""

        def bounds(weights: Weights, average: float) -> Bounds:
            return self.bounds(weights, numbers - average * chosen, reach)

        return _roots(bounds, self.weights(factors), certain)

    def average_of_strata(
        self, values: Numbers, factors: Numbers, chosen: Numbers, certain: Bounds, reach: float
    ) -> Bounds:
        """An interval for the average of `values` of strata, over `chosen` records of strata with factors 1."""

        def bounds(pair: tuple[Weights, Weights], average: float) -> Bounds:
            total, count = pair
            return self.bounds(total.minus(average, count), chosen, reach)

        return _roots(bounds, list(zip(self.weights(values * factors), self.weights(factors), strict=True)), certain)


def largest_sum(rates: Numbers, room: Numbers, total: float) -> float:
    """The largest sum of rate times amount, for amounts from 0 to `room` that add up to `total`.

    >>> largest_sum(np.array([1.0, 3.0, 2.0]), np.array([5.0, 1.0, 4.0]), 6.0)
    12.0
    """
    order = np.argsort(-rates, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    return float(rates[order] @ np.clip(total - before, 0, room[order]))


def _roots(bounds: Callable[[Choice, float], Bounds], choices: Sequence[Choice], certain: Bounds) -> Bounds:
    """The averages for which a total of zero lies within bounds: (sum - average * count) must be zero.

    The total falls as the average grows. So the smallest average is where its lower bound becomes zero, and the largest
    where the upper bound does (Fieller 1954). The bounds are those of the choice that are shortest in the middle.
    """
    best = min(choices, key=lambda choice: _length(bounds(choice, (certain[0] + certain[1]) / 2)))
    lowest = _crossing(lambda average: bounds(best, average)[0] > 0, *certain, highest=False)
    return lowest, _crossing(lambda average: bounds(best, average)[1] >= 0, *certain, highest=True)


def _crossing(too_low: Callable[[float], bool], low: float, high: float, *, highest: bool) -> float:
    """Where a condition that is true of small numbers ends, between two numbers; rounded outward."""
    if not too_low(low):
        return low
    if too_low(high):
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if too_low(middle) else (low, middle)
    return high if highest else low


def _length(bounds: Bounds) -> float:
    return bounds[1] - bounds[0]
