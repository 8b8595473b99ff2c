"""Cubes: how many records have each combination of labels in some columns, counted densely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Marks = NDArray[np.uint32]
Counts = NDArray[np.int64]


@compiled
def rows_concerned(codes: Marks, part_of: Marks, parts: int) -> Marks:
    """The rows whose code is not in the part after the last one."""
    rows = np.empty(len(codes), dtype=np.uint32)
    wide, found = np.uint32(parts), 0
    for row in range(len(codes)):
        rows[found] = row
        found += part_of[codes[row]] != wide
    return rows[:found].copy()


@compiled
def look_up(rows: Marks, codes: Marks, table: Marks) -> Marks:
    """`table[codes[rows]]`."""
    found = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        found[place] = table[codes[rows[place]]]
    return found


@compiled
def fold_pair(rows: Marks, one: Marks, other: Marks, radix: int) -> Marks:
    """The labels of two columns as one number, for the listed rows."""
    found = np.empty(len(rows), dtype=np.uint32)
    wide = np.uint32(radix)
    for place in range(len(rows)):
        found[place] = one[rows[place]] * wide + other[rows[place]]
    return found


@compiled
def cube(keys: Marks, chosen: Counts, strides: Counts, counts: Counts, size: int) -> Counts:
    """Records by the numbers `keys[block]` of the chosen blocks, each worth its stride."""
    found = np.zeros(size, dtype=np.int64)
    blocks = len(chosen)
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
def relabel(rows: Marks, labels: Marks, codes: Marks, part_of: Marks, first: int) -> None:
    """Rows in part 0 keep their label, those in part p > 0 get the label first + p - 1."""
    for place in range(len(rows)):
        part = part_of[codes[rows[place]]]
        if part > 0:
            labels[rows[place]] = np.uint32(first) + part - np.uint32(1)
