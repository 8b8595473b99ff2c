"""Which values of quasi columns are more frequent among suppressed records than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.disclosure.published_digits import rounded
from sfumato.releases.table_release import TableRelease
from sfumato.report.axis import Axis

_MOST = 10
"""Values in the report."""

_FEWEST = 10
"""Suppressed records that must have a value; the values of fewer could be those of one record."""


@dataclass(frozen=True)
class SuppressedValue:
    """A value of a quasi column, or an interval of values, with its share of all and of the suppressed records."""

    column: str
    value: str = field(repr=False)
    share: float
    suppressed_share: float

    @property
    def excess(self) -> float:
        """By how much its share is larger among suppressed records."""
        return self.suppressed_share - self.share


def suppressed_values(release: TableRelease) -> tuple[SuppressedValue, ...]:
    """The values that are most over-represented among suppressed records; none if all or no records are suppressed."""
    gone, original = release.suppressed, release.original
    if not gone.any() or gone.all():
        return ()
    rows, weights = release.origin[gone], release.published.counts[gone].astype(np.float64)
    found = []
    for name in original.schema.quasi:
        frequency = original.histogram(name)
        axis = Axis.over(original.domain(name), frequency)
        codes = original.codes[name][rows]
        hit = np.bincount(codes, weights=weights, minlength=len(frequency)).astype(np.float64)
        count = np.bincount(axis.place, weights=hit, minlength=len(axis.names))
        shares = zip(count, axis.names, axis.shares(frequency.astype(np.float64)), axis.shares(hit), strict=True)
        found += [
            SuppressedValue(name, value, rounded(share), rounded(more))
            for records, value, share, more in shares
            if records >= _FEWEST
        ]
    over = [one for one in found if one.excess > 0]
    return tuple(sorted(over, key=lambda one: -one.excess)[:_MOST])
