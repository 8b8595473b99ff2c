"""Re-identification risk: how likely it is that a person is found in a release, for three kinds of attackers.

All three follow from group sizes alone: an attacker who cannot tell s records apart guesses right once in s times.
Audits and reports measure it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_digits import rounded_down, rounded_up
from sfumato.errors import ParameterError

THRESHOLD = 0.2
"""The default chance above which a record counts as being at risk: fewer than five records look alike."""


@dataclass(frozen=True)
class AttackerRisk:
    """The chance of finding a person: for the worst record, on average, and the share of records above a threshold."""

    highest: float
    average: float
    share_above: float

    @classmethod
    def of_sizes(cls, sizes: NDArray[np.int64], how_many: NDArray[np.int64], threshold: float) -> AttackerRisk:
        """From the number of groups of each size; without groups every risk is 0."""
        records = int(sizes @ how_many)
        if not records:
            return cls(0.0, 0.0, 0.0)
        above = 1 / sizes > threshold
        return cls(1 / int(sizes.min()), int(how_many.sum()) / records, int(sizes[above] @ how_many[above]) / records)

    def rounded(self) -> AttackerRisk:
        """The same risks with three significant digits, rounded up."""
        return AttackerRisk(rounded_up(self.highest), rounded_up(self.average), rounded_up(self.share_above))


@dataclass(frozen=True)
class Risk:
    """What three attackers could achieve against a release.

    The prosecutor knows that a certain person is in the release. The journalist knows only that the person belongs to
    the population the release was drawn from, and needs a single success. The marketer tries to identify everybody:
    `marketer` is the expected share of records that are identified correctly.

    >>> Risk.of_sizes([3, 4], [1, 1]).marketer == 2 / 7
    True
    """

    records: int
    threshold: float
    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: float
    population_known: bool

    @classmethod
    def of(cls, groups: Groups, population: Groups | None = None, *, threshold: float = THRESHOLD) -> Risk:
        """The risk of published groups.

        `population` are the groups of the people the records were drawn from, by the same published columns, and only
        those that occur in the release. Without it the release is taken to be the whole population, which can only
        overstate what a journalist achieves.
        """
        sizes, how_many = np.unique(groups.sizes, return_counts=True)
        if population is None:
            return cls.of_sizes(sizes, how_many, threshold=threshold)
        return cls.of_sizes(
            sizes, how_many, population=np.unique(population.sizes, return_counts=True), threshold=threshold
        )

    @classmethod
    def of_sizes(
        cls,
        sizes: Any,
        how_many: Any,
        *,
        population: tuple[Any, Any] | None = None,
        threshold: float = THRESHOLD,
    ) -> Risk:
        """The same from a histogram: `how_many[i]` groups have `sizes[i]` records; `population` is such a pair too."""
        if not 0 < threshold <= 1:
            raise ParameterError(f"'threshold' must be a chance above 0 and at most 1; got {threshold!r}.")
        seen = _histogram(sizes, how_many)
        prosecutor = AttackerRisk.of_sizes(*seen, threshold)
        known = population is not None
        journalist = (
            AttackerRisk.of_sizes(*_histogram(*population), threshold) if population is not None else prosecutor
        )
        return cls(int(seen[0] @ seen[1]), threshold, prosecutor, journalist, prosecutor.average, known)

    def rounded(self) -> Risk:
        """The same with three significant digits, to the safe side, if the published file does not show the groups."""
        return replace(
            self,
            records=rounded_down(self.records),
            prosecutor=self.prosecutor.rounded(),
            journalist=self.journalist.rounded(),
            marketer=rounded_up(self.marketer),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a report or a certificate."""
        return {
            "records": self.records,
            "threshold": self.threshold,
            "prosecutor": dict(self.prosecutor.__dict__),
            "journalist": {**self.journalist.__dict__, "population_known": self.population_known},
            "marketer": {"average": self.marketer},
        }


def _histogram(sizes: Any, how_many: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both as arrays, without the sizes that no group has."""
    size, count = np.asarray(sizes, dtype=np.int64), np.asarray(how_many, dtype=np.int64)
    if size.shape != count.shape or (count < 0).any() or (size[count > 0] < 1).any():
        raise ParameterError("a histogram of group sizes needs as many counts as sizes, and sizes of at least 1.")
    return size[count > 0], count[count > 0]
