"""Loops of `record_classes`: number the pairs of sensitive value and excluded set, and sort records by class.

Classes are numbered in the order of their first record, so that ties are broken in favour of the first record. Both
loops are one pass over the records. Their tables have an entry per possible pair and per class, so nothing is hashed or
compared.
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
    """The number of each pair, in the order of their first occurrence; `numbers` has -1 for each possible pair."""
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
def sort_by_code(codes: Marks, starts: Places) -> Codes:
    """The rows sorted by code, given the start of each code; a counting sort, so equal codes keep their order."""
    at = starts.copy()
    rows = np.empty(len(codes), dtype=np.int32)
    for row in range(len(codes)):
        # `at[code]` is the next free position of the code
        rows[at[codes[row]]] = row
        at[codes[row]] += 1
    return rows
