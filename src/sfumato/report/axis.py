"""Axes: assign the values of a column to few places, so that two distributions can be drawn side by side.

`published_column` uses it for the distributions before and after publishing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, written
from sfumato.data.kinds import Kind

MOST = 12
_MONTHS = (1, 2, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50, 100, 1000)))


@dataclass(frozen=True, eq=False)
class Axis:
    """The places of an axis: value code c lies at place `place[c]`, which is named `names[place[c]]`.

    If `others` is not 0, the last place holds that many rarer values together.
    """

    names: tuple[str, ...] = field(repr=False)
    place: NDArray[np.int64]
    ordered: bool
    others: int = 0

    @classmethod
    def over(cls, domain: Domain, frequency: NDArray[np.int64]) -> Axis:
        """The axis of a column: intervals for many numbers or dates, the most frequent values of a categorical column.

        Up to `MOST` numbers or dates have a place each.
        """
        if not domain.ordered:
            return _most_frequent(domain, frequency)
        if domain.present <= MOST:
            return cls(tuple(domain.named(code) for code in range(len(domain))), np.arange(len(domain)), True)
        return _intervals(domain)

    def shares(self, weights: NDArray[np.float64]) -> tuple[float, ...]:
        """The share of the total weight of all codes that lies at each place."""
        total = float(weights.sum())
        sums = np.bincount(self.place, weights=weights, minlength=len(self.names))
        return tuple(float(part) / total if total else 0.0 for part in sums)


def _most_frequent(domain: Domain, frequency: NDArray[np.int64]) -> Axis:
    """A place for each of the most frequent values, and one for all others."""
    order = np.argsort(-frequency, kind="stable")
    rest = len(order) - MOST
    shown = order if rest <= 1 else order[:MOST]
    place = np.full(len(domain), len(shown), dtype=np.int64)
    place[shown] = np.arange(len(shown))
    names = [domain.named(code) for code in shown.tolist()]
    if rest <= 1:
        return Axis(tuple(names), place, False)
    return Axis((*names, f"{rest:,} others"), place, False, rest)


def _intervals(domain: Domain) -> Axis:
    """A place for each interval of numbers or dates, and one for missing values."""
    numbers = np.asarray(domain.numbers)[: domain.present]
    place, names = _months(numbers) if domain.kind in (Kind.DATE, Kind.MONTH) else _steps(numbers)
    if domain.has_missing:
        place, names = np.append(place, len(names)), [*names, domain.named(domain.present)]
    return Axis(tuple(names), place, True)


def _steps(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], list[str]]:
    """The place of every number and the names of the places: intervals of equal width between round numbers."""
    step = even_step(float(numbers[-1] - numbers[0]))
    start = floor(numbers[0] / step)
    place = np.floor(numbers / step).astype(np.int64) - start
    ends = [written(round((start + index) * step, 9)) for index in range(int(place[-1]) + 2)]
    return place, [f"{low} to {high}" for low, high in pairwise(ends)]


def _months(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], list[str]]:
    """The place of every date and the names of the places: days, months, quarters, years or multiples of years."""
    days = [date.fromordinal(int(number)) for number in numbers]
    if (days[-1] - days[0]).days < MOST:
        place = np.array([(day - days[0]).days for day in days])
        return place, [(days[0] + timedelta(index)).isoformat() for index in range(int(place[-1]) + 1)]
    month = np.array([day.year * 12 + day.month - 1 for day in days])
    step = next(step for step in _MONTHS if month[-1] // step - month[0] // step < MOST)
    place = month // step - month[0] // step
    starts = [int(month[0] // step + index) * step for index in range(int(place[-1]) + 1)]
    prefix = "from " if step > 1 else ""
    return place, [f"{prefix}{start // 12:04d}-{start % 12 + 1:02d}" for start in starts]


def even_step(width: float) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that covers the width in fewer than `MOST` steps.

    >>> even_step(73), even_step(0.9), even_step(40000)
    (10.0, 0.1, 5000.0)
    """
    least = width / (MOST - 1)
    power = floor(log10(least))
    candidates = [float(f"{lead}e{power}") for lead in (1, 2, 5, 10)]
    return next(step for step in candidates if step >= least or ceil(width / step) < MOST)
