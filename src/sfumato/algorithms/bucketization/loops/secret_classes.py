"""Records that no choice of buckets can tell apart: those with the same secret for which the same values are ruled out.

Such records form a class. Classes are numbered in the order of their first record, so that ties fall to the first one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Marks = NDArray[np.uint32]
Places = NDArray[np.int64]


@compiled
def number_pairs(first: Codes, second: Codes, seconds: int, numbers: Codes) -> Marks:
    """The number of every pair, in the order in which pairs come up; `numbers` has -1 for every possible pair."""
    found = np.empty(len(first), dtype=np.uint32)
    total = 0
    for row in range(len(first)):
        pair = first[row] * seconds + second[row]
        if numbers[pair] < 0:
            numbers[pair] = total
            total += 1
        found[row] = numbers[pair]
    return found


@compiled
def in_order(codes: Marks, starts: Places) -> Codes:
    """The rows in order of their code, given where the rows of each code begin; rows of one code stay in order."""
    at = starts.copy()
    rows = np.empty(len(codes), dtype=np.int32)
    for row in range(len(codes)):
        rows[at[codes[row]]] = row
        at[codes[row]] += 1
    return rows
