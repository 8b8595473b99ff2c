"""An order of points whose halves, quarters, eighths and so on are near each other.

Every part is cut at its median along the column in which it is widest, recursively, so that after h rounds there are
2^h parts whose sizes differ by at most one. Points move together with their numbers. Equal values are ordered by
number, so the content of a part does not depend on how the median is found. The expected cost is O(n * columns) per
round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def halve(rows: Points, numbers: Numbers, rounds: int) -> None:
    """Reorder points and their numbers in place; part i of 2^rounds is then i*n >> rounds up to (i+1)*n >> rounds.

    `parts` and `depths` are a stack of the parts that are still to be cut. The first half is cut before the second, so
    there are at most rounds + 1 entries.
    """
    parts = np.zeros(rounds + 2, dtype=np.int64)
    depths = np.zeros(rounds + 2, dtype=np.int64)
    waiting = 1
    while waiting:
        waiting -= 1
        part, depth = parts[waiting], depths[waiting]
        if depth == rounds:
            continue
        # part i of 2^depth, and the boundary between its two halves, which are parts 2i and 2i + 1 of 2^(depth + 1)
        start, stop = part * len(rows) >> depth, (part + 1) * len(rows) >> depth
        middle = (2 * part + 1) * len(rows) >> (depth + 1)
        cut_widest(rows, numbers, start, stop, middle)
        for side in range(2):
            parts[waiting], depths[waiting] = 2 * part + 1 - side, depth + 1
            waiting += 1


@compiled
def cut_widest(rows: Points, numbers: Numbers, start: int, stop: int, middle: int) -> None:
    """Reorder a part so that the points before `middle` have the smaller values in its widest column."""
    if start < middle < stop:
        _select(rows, numbers, start, stop, middle, _widest(rows, start, stop))


@compiled
def _widest(rows: Points, start: int, stop: int) -> int:
    """The column with the largest variance in a part; of several the first."""
    widest, best = 0, -1.0
    total, squares = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    for row in range(start, stop):
        for column in range(rows.shape[1]):
            # differences from the first row of the part, because the squares of large values would lose digits
            value = rows[row, column] - rows[start, column]
            total[column] += value
            squares[column] += value * value
    for column in range(rows.shape[1]):
        spread = squares[column] - total[column] * total[column] / (stop - start)
        if spread > best:
            widest, best = column, spread
    return widest


@compiled
def _select(rows: Points, numbers: Numbers, start: int, stop: int, middle: int, column: int) -> None:
    """Quickselect: move the point that belongs at `middle` there, smaller ones before it and larger ones after it."""
    while stop - start > 1:
        # `middle` is in [start, stop); points of the part before `start` are smaller, those from `stop` on are larger
        pivot = _middle_of_three(rows, numbers, start, stop, column)
        value, number = rows[pivot, column], numbers[pivot]
        low, high = start, stop - 1
        # Hoare's partition: points before `low` are not above the pivot, points after `high` are not below it
        while low <= high:
            while rows[low, column] < value or (rows[low, column] == value and numbers[low] < number):
                low += 1
            while rows[high, column] > value or (rows[high, column] == value and numbers[high] > number):
                high -= 1
            if low <= high:
                swap(rows, numbers, low, high)
                low += 1
                high -= 1
        # continue on the side with position `middle`; between `high` and `low` lies the pivot, already in its place
        if middle <= high:
            stop = high + 1
        elif middle >= low:
            start = low
        else:
            return


@compiled
def _middle_of_three(rows: Points, numbers: Numbers, start: int, stop: int, column: int) -> int:
    """The median of three points inside a part, as the pivot."""
    # not the ends: in a part that is sorted except for a few points at an end, the pivot would be near that end
    step = (stop - start) // 4
    first, second, third = start + step, start + 2 * step, stop - 1 - step
    if _before(rows, numbers, second, first, column):
        first, second = second, first
    if _before(rows, numbers, third, second, column):
        second = first if _before(rows, numbers, third, first, column) else third
    return second


@compiled
def _before(rows: Points, numbers: Numbers, one: int, other: int, column: int) -> bool:
    """Whether a point comes before another: by value, then by number."""
    if rows[one, column] == rows[other, column]:
        return bool(numbers[one] < numbers[other])
    return bool(rows[one, column] < rows[other, column])


@compiled
def swap(rows: Points, numbers: Numbers, one: int, other: int) -> None:
    """Exchange two points and their numbers."""
    numbers[one], numbers[other] = numbers[other], numbers[one]
    for column in range(rows.shape[1]):
        rows[one, column], rows[other, column] = rows[other, column], rows[one, column]
