"""Numbers equal records, and finds the run of a group that a numbered record belongs to.

A recoding may send equal records to several groups, so many to each. The engine numbers equal records in row order
(`number_equal`); where a record goes then follows from its combination and its ordinal alone (`runs_of`), so that any
batch can be published anywhere, in any order, and again after a failure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@compiled
def number_equal(numbers: Codes, seen: Counts) -> Counts:
    """How many records with the same number came before each record.

    `seen[n]` is how many there were of number n before this batch; it is updated for the next one. One pass.
    """
    ordinals = np.empty(len(numbers), dtype=np.int64)
    for record in range(len(numbers)):
        number = numbers[record]
        ordinals[record] = seen[number]
        seen[number] += 1
    return ordinals


@compiled
def runs_of(numbers: Codes, ordinals: Counts, starts: Counts, ends: Counts) -> Counts:
    """The run of every record: the first run of its combination that ends after its ordinal, else the last one.

    Combination n has the runs `starts[n]` to `starts[n + 1]`; `ends[run]` is how many records of the combination lie in
    this run and those before it. Found by bisection, since a frequent combination may have thousands of runs: time
    proportional to the records times the logarithm of the runs of their combination.
    """
    found = np.empty(len(numbers), dtype=np.int64)
    for record in range(len(numbers)):
        # the run lies in low..high; the end of the last run is never compared, so records beyond all quotas go there
        low, high = starts[numbers[record]], starts[numbers[record] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if ends[middle] <= ordinals[record]:
                low = middle + 1
            else:
                high = middle
        found[record] = low
    return found
