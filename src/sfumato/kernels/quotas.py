"""Hand out places in groups to equal records, in row order, as many to each group as was decided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def assign(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The group of every record.

    `used` is carried on from batch to batch: which run of its groups each combination has come to, and how many
    records of that run there were.
    """
    chosen = np.empty(len(numbers), dtype=np.int32)
    for record in range(len(numbers)):
        number = numbers[record]
        run = starts[number] + used[number, 0]
        if run < starts[number + 1] - 1 and used[number, 1] >= quotas[run]:
            run += 1
            used[number, 0] += 1
            used[number, 1] = 0
        used[number, 1] += 1
        chosen[record] = groups[run]
    return chosen


@compiled
def places(groups: Codes, skipped: NDArray[np.bool_], used: Counts) -> Counts:
    """How many records of its group came before each record that is not skipped; `used` is carried on."""
    found = np.zeros(len(groups), dtype=np.int64)
    for record in range(len(groups)):
        if not skipped[record]:
            found[record] = used[groups[record]]
            used[groups[record]] += 1
    return found


def assign_plain(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The same by writing every run out in full; `used` says how many records of each combination came before."""
    chosen = np.empty(len(numbers), dtype=np.int32)
    for number in np.unique(numbers):
        runs = slice(starts[number], starts[number + 1])
        line = np.repeat(groups[runs], quotas[runs])
        mine = np.flatnonzero(numbers == number)
        ordinal = np.minimum(np.arange(used[number], used[number] + len(mine)), len(line) - 1)
        chosen[mine] = line[ordinal]
        used[number] += len(mine)
    return chosen


def places_plain(groups: Codes, skipped: NDArray[np.bool_], used: Counts) -> Counts:
    """The same, one record after the other."""
    found = np.zeros(len(groups), dtype=np.int64)
    for record, group in enumerate(groups.tolist()):
        if not skipped[record]:
            found[record] = used[group]
            used[group] += 1
    return found
