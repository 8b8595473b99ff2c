"""Blocks of points that lie close together, so that a way that compares all pairs can work on block after block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_blocks(points: NDArray[np.float64], size: int) -> list[NDArray[np.int64]]:
    """Cut points where they lie sparsest, not too far from the middle, until no block holds more than `size`.

    Where no such place is found, a block is cut at the median of its widest column, and equal values by the points'
    order. No block is smaller than half of `size` (rounded down), unless there are fewer points than that. A block
    lists its points in ascending order.

    >>> points = np.array([[0.0], [9.0], [1.0], [8.0], [2.0]])
    >>> sorted(block.tolist() for block in row_blocks(points, 3))
    [[0, 2, 4], [1, 3]]
    """
    from sfumato.algorithms.microaggregation.loops.density_blocks import cut_at_valleys, marks_of

    # adding zero makes minus zero plain, so that equal points have equal bits
    rows, numbers = np.ascontiguousarray(points + 0.0), np.arange(len(points), dtype=np.int32)
    ends = cut_at_valleys(rows, numbers, marks_of(rows.view(np.uint64)), size)
    return [np.sort(block).astype(np.int64) for block in np.split(numbers, ends[:-1])]
