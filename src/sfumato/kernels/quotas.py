"""Assign equal records to groups by quotas, and count the records of a group before each record, batch by batch.

Algorithms work on distinct rows with counts, so several groups can share one combination of values. These loops decide,
in row order, which record of a combination belongs to which group. One pass, constant time per record. The state in
`used` continues from one batch of records to the next, so a table need not be in memory at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def assign(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The group of every record of a batch.

    `numbers` has the combination of every record. The groups of combination c are `groups[starts[c] : starts[c + 1]]`,
    and each takes as many records as `quotas` says; the last one takes all records beyond the quotas. `used[c]` has the
    position in this list that combination c has reached, and the number of records assigned at that position.
    """
    chosen = np.empty(len(numbers), dtype=np.int32)
    for record in range(len(numbers)):
        number = numbers[record]
        run = starts[number] + used[number, 0]
        # the quota of this group is used up and it is not the last of its combination: go on to the next group
        if run < starts[number + 1] - 1 and used[number, 1] >= quotas[run]:
            run += 1
            used[number, 0] += 1
            used[number, 1] = 0
        used[number, 1] += 1
        chosen[record] = groups[run]
    return chosen


@compiled
def places(groups: Codes, skipped: NDArray[np.bool_], used: Counts) -> Counts:
    """The number of records of its group before each record, skipped ones left out (0 for a skipped record).

    `used` has the number of records of every group in the batches before and is updated.
    """
    found = np.zeros(len(groups), dtype=np.int64)
    for record in range(len(groups)):
        if not skipped[record]:
            found[record] = used[groups[record]]
            used[groups[record]] += 1
    return found


def assign_plain(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The same with one list of groups per combination; `used` has the records of each combination so far."""
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
    """The same in plain Python."""
    found = np.zeros(len(groups), dtype=np.int64)
    for record, group in enumerate(groups.tolist()):
        if not skipped[record]:
            found[record] = used[group]
            used[group] += 1
    return found
