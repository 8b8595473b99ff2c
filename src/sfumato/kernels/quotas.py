"""Hand out places in groups to equal records, in row order, as many to each group as was decided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def assign(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The group of every record; `used` says how many records of each combination came before and is carried on."""
    chosen = np.empty(len(numbers), dtype=np.int32)
    for record in range(len(numbers)):
        number = numbers[record]
        ordinal = used[number]
        used[number] += 1
        run = starts[number]
        while run < starts[number + 1] - 1 and ordinal >= quotas[run]:
            ordinal -= quotas[run]
            run += 1
        chosen[record] = groups[run]
    return chosen


def assign_plain(numbers: Codes, starts: Counts, groups: Codes, quotas: Counts, used: Counts) -> Codes:
    """The same by writing every run out in full."""
    chosen = np.empty(len(numbers), dtype=np.int32)
    for number in np.unique(numbers):
        places = np.flatnonzero(numbers == number)
        runs = slice(starts[number], starts[number + 1])
        line = np.repeat(groups[runs], quotas[runs])
        ordinal = np.minimum(np.arange(used[number], used[number] + len(places)), len(line) - 1)
        chosen[places] = line[ordinal]
        used[number] += len(places)
    return chosen
