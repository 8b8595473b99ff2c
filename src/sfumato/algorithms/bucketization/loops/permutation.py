"""Loop of `permutation`: cuts sorted numbers into runs with the smallest sum of ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


@compiled
def narrowest_runs(numbers: NDArray[np.float64], latest: NDArray[np.int64]) -> NDArray[np.int32]:
    """Cut sorted numbers into runs with the smallest sum of ranges; return the run of each number.

    A run that ends at i may begin at any position up to `latest[i]`, which never falls; if no cut is possible, all
    numbers are one run. The sum of ranges is smallest where the sum of the gaps between runs is largest. The loop
    maximizes gaps, because their floating-point sum does not depend on how equal numbers are cut. On ties, more runs
    win, then the longer last run.

    State: `gain[i]` is the largest sum of gaps for the first i numbers (-1 if they cannot be cut), `runs[i]` the number
    of runs, and `begin[i]` the start of the run that ends at number i. `best` is the best of all starts up to `seen`.
    As `latest` never falls, each start is looked at once, so the time is linear.
    """
    length = len(numbers)
    gain, runs = np.full(length + 1, -1.0), np.zeros(length + 1, dtype=np.int64)
    begin = np.zeros(length, dtype=np.int64)
    gain[0] = 0.0
    best, most, place, seen = -1.0, 0, 0, 0
    for end in range(length):
        # starts that have become possible since the last end; `gain[seen]` is
        # known, because a start is never after its end
        while seen <= latest[end]:
            if gain[seen] >= 0:
                # the gap before this start, if it is not the first
                found = gain[seen] + (numbers[seen] - numbers[seen - 1] if seen > 0 else 0.0)
                if found > best or (found == best and runs[seen] > most):
                    best, most, place = found, runs[seen], seen
            seen += 1
        if best >= 0:
            gain[end + 1], runs[end + 1], begin[end] = best, most + 1, place
    return _labels_of_runs(begin, max(runs[length], 1))


@compiled
def _labels_of_runs(begin: NDArray[np.int64], runs: int) -> NDArray[np.int32]:
    """The run of each place, given the start of the run that ends there."""
    label = np.zeros(len(begin), dtype=np.int32)
    # from the last run to the first, because `begin` leads backwards
    stop, number = len(begin), runs - 1
    while stop > 0 and number >= 0:
        start = begin[stop - 1]
        label[start:stop] = number
        stop, number = start, number - 1
    return label
