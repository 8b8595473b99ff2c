"""Counts of records by combinations of labels in some columns, as dense arrays (cubes), for `SubsetGuard`.

Each loop is one pass over its rows, `cube` with one step per row and block. A block is a
number per row: the part, the sensitive value, the label of a column, or the labels of two columns folded into one key,
so that a row is located with fewer reads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Unsigned = NDArray[np.uint32]
Counts = NDArray[np.int64]


@compiled
def affected_rows(codes: Unsigned, part_of: Unsigned, parts: int) -> Unsigned:
    """The rows whose code is not in the part after the last one."""
    rows = np.empty(len(codes), dtype=np.uint32)
    width, found = np.uint32(parts), 0
    for row in range(len(codes)):
        # written always and counted only if affected, so the loop has no branch
        rows[found] = row
        found += part_of[codes[row]] != width
    return rows[:found].copy()


@compiled
def look_up(rows: Unsigned, codes: Unsigned, table: Unsigned) -> Unsigned:
    """`table[codes[rows]]`."""
    found = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        found[place] = table[codes[rows[place]]]
    return found


@compiled
def fold_pair(rows: Unsigned, one: Unsigned, other: Unsigned, radix: int) -> Unsigned:
    """The labels of two columns as one number, `one * radix + other`, for the listed rows."""
    found = np.empty(len(rows), dtype=np.uint32)
    width = np.uint32(radix)
    for place in range(len(rows)):
        found[place] = one[rows[place]] * width + other[rows[place]]
    return found


@compiled
def cube(keys: Unsigned, chosen: Counts, strides: Counts, counts: Counts, size: int) -> Counts:
    """Records by the keys of the chosen blocks; the index of a row is the sum of its keys times their strides."""
    found = np.zeros(size, dtype=np.int64)
    blocks = len(chosen)
    # the most frequent case without the inner loop
    if blocks == 4:
        a, b, c, d = keys[chosen[0]], keys[chosen[1]], keys[chosen[2]], keys[chosen[3]]
        u, v = np.uint32(strides[0]), np.uint32(strides[1])
        w, x = np.uint32(strides[2]), np.uint32(strides[3])
        for row in range(len(counts)):
            found[a[row] * u + b[row] * v + c[row] * w + d[row] * x] += counts[row]
        return found
    for row in range(len(counts)):
        at = np.uint32(0)
        for block in range(blocks):
            at += keys[chosen[block], row] * np.uint32(strides[block])
        found[at] += counts[row]
    return found


@compiled
def relabel(rows: Unsigned, labels: Unsigned, codes: Unsigned, part_of: Unsigned, first: int) -> None:
    """Rows in part 0 keep their label; rows in part p > 0 get the label first + p - 1."""
    for place in range(len(rows)):
        part = part_of[codes[rows[place]]]
        if part > 0:
            labels[rows[place]] = np.uint32(first) + part - np.uint32(1)
