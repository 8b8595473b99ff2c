"""Compiled loops that cut points into blocks where they are sparse, so that few clusters are divided.

A part that is too large is projected on several directions, each between the two means of a sample. It is cut at the
widest gap of all directions that is not too far from the middle. The sample depends on the coordinates of the points
alone, so the order of the points does not matter. Points are reordered in place, and only the sample is sorted. The
cost is O(n * columns) per level of cuts, of which there are about log(n / size), plus a constant for each sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.balanced_order import cut_widest, swap
from sfumato.kernels.neighbours.duplicate_points import coordinate_hash

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Marks = NDArray[np.uint64]

SAMPLE = 2048
"""The number of points of a part on which the cut is decided, about."""
DIRECTIONS = 16
"""The number of directions on which a part is projected."""
STEPS = 6
"""The number of steps of two-means."""


@compiled
def marks_of(bits: Marks) -> Marks:
    """A pseudo-random number for every point, computed from the bits of its coordinates."""
    marks = np.empty(len(bits), dtype=np.uint64)
    for row in range(len(bits)):
        marks[row] = coordinate_hash(bits, row)
    return marks


@compiled
def cut_at_gaps(rows: Points, numbers: Numbers, marks: Marks, size: int) -> NDArray[np.int64]:
    """Reorder points and numbers into blocks of at most `size` and at least half of it; returns the ends of the blocks.

    `rows` are the points and move together with `numbers`, their original positions; `marks` are indexed by number.
    """
    # `stops` is a stack: its top is the end of the part that begins at `start`, and the entries below are the ends of
    # the parts after it
    stops = np.zeros(len(rows) + 1, dtype=np.int64)
    ends = np.zeros(len(rows) + 1, dtype=np.int64)
    stops[0], waiting, start, blocks = len(rows), 1, 0, 0
    while waiting:
        stop = stops[waiting - 1]
        # too large: its first half becomes the part on top of the stack
        if stop - start > size:
            stops[waiting] = _cut(rows, numbers, marks, start, stop, size // 2)
            waiting += 1
        else:
            ends[blocks], start = stop, stop
            blocks += 1
            waiting -= 1
    return ends[:blocks].copy()


@compiled
def _cut(rows: Points, numbers: Numbers, marks: Marks, start: int, stop: int, least: int) -> int:
    """Cut a part in two and return the position of the cut.

    The cut is at the widest gap; if that would leave fewer than `least` points on a side, it is at the median of the
    widest column.
    """
    sample = _sample(rows, numbers, marks, start, stop)
    direction, bar = _direction_with_widest_gap(sample, least / (stop - start))
    middle = _move_below_to_front(rows, numbers, start, stop, direction, bar)
    if middle - start < least or stop - middle < least:
        middle = (start + stop) // 2
        cut_widest(rows, numbers, start, stop, middle)
    return middle


@compiled
def _sample(rows: Points, numbers: Numbers, marks: Marks, start: int, stop: int) -> Points:
    """The points with the smallest marks, about `SAMPLE` of them (all of a small part), in the order of their marks.

    Marks are uniform, so the share of marks below a bar is the share of points that are sampled.
    """
    share = min(1.0, SAMPLE / (stop - start))
    # the factor is the largest float64 below 2^64
    bar = np.uint64(share * 18446744073709549568.0)
    drawn = np.empty(stop - start, dtype=np.int64)
    size = 0
    for row in range(start, stop):
        # written always and counted only if sampled, so the loop has no branch
        drawn[size] = row
        size += marks[numbers[row]] <= bar
    drawn = drawn[:size]
    order = np.argsort(marks[numbers[drawn]])[: 2 * SAMPLE]
    sample = np.empty((len(order), rows.shape[1]))
    for at in range(len(order)):
        sample[at] = rows[drawn[order[at]]]
    return sample


@compiled
def _direction_with_widest_gap(sample: Points, least: float) -> tuple[Points, float]:
    """The direction on which the projected sample has the widest gap, and the position of that gap on it."""
    widest, bar, best = -1.0, 0.0, np.zeros(sample.shape[1])
    for side in range(min(DIRECTIONS, len(sample) // 2)):
        # pairs of neighbours in the sample are random, because it is sorted by random marks
        direction = _between_means(sample, sample[2 * side].copy(), sample[2 * side + 1].copy())
        projected = np.array([_project(sample, row, direction) for row in range(len(sample))])
        projected.sort()
        width, place = _widest_gap(projected, least)
        if width > widest:
            widest, bar, best = width, (projected[place - 1] + projected[place]) / 2, direction
    return best, bar


@compiled
def _between_means(sample: Points, one: Points, other: Points) -> Points:
    """The difference of the two means after a few steps of two-means that starts at two points of the sample."""
    for _ in range(STEPS):
        middle, direction = (one + other) / 2, other - one
        sums, sizes = np.zeros((2, sample.shape[1])), np.zeros(2)
        for row in range(len(sample)):
            # positive if the point is nearer to the other mean: beyond the middle, in the direction from one to the
            # other
            ahead = 0.0
            for column in range(sample.shape[1]):
                ahead += (sample[row, column] - middle[column]) * direction[column]
            side = 1 if ahead > 0 else 0
            sizes[side] += 1
            for column in range(sample.shape[1]):
                sums[side, column] += sample[row, column]
        if sizes[0] == 0 or sizes[1] == 0:
            break
        one, other = sums[0] / sizes[0], sums[1] / sizes[1]
    return other - one


@compiled
def _widest_gap(projected: Points, least: float) -> tuple[float, int]:
    """The width of the widest gap, relative to the spread of the values, and the number of values before it.

    A gap is the range of one percent of the sorted values, so that single outliers do not count. It must leave a
    quarter of the values, and at least the share `least`, on each side. The spread is between the 5th and the 95th
    percentile.
    """
    size = len(projected)
    reach = max(1, size // 200)
    low = max(reach, int(size * max(0.25, least)))
    widest, place = -1.0, size // 2
    # `at` values are before the gap, which is measured between `reach` values on either side
    for at in range(low, size - low + 1):
        gap = projected[at + reach - 1] - projected[at - reach]
        if gap > widest:
            widest, place = gap, at
    spread = projected[size - 1 - size // 20] - projected[size // 20]
    # inside that range, cut at the largest difference of two neighbouring values
    bottom = _largest_step(projected, max(low, place - reach + 1), min(size - low + 1, place + reach), place)
    return widest / spread if spread > 0 else -1.0, bottom


@compiled
def _largest_step(projected: Points, start: int, stop: int, place: int) -> int:
    """The position among sorted values, from `start` to `stop`, with the largest difference from the value before."""
    for at in range(start, stop):
        if projected[at] - projected[at - 1] > projected[place] - projected[place - 1]:
            place = at
    return place


@compiled
def _move_below_to_front(rows: Points, numbers: Numbers, start: int, stop: int, direction: Points, bar: float) -> int:
    """Move the points below the bar to the front, as in quicksort; returns the end of them."""
    low, high = start, stop - 1
    while True:
        # points before `low` are below the bar, points after `high` are not
        while low <= high and _project(rows, low, direction) < bar:
            low += 1
        while low <= high and not _project(rows, high, direction) < bar:
            high -= 1
        if low > high:
            return low
        swap(rows, numbers, low, high)


@compiled
def _project(rows: Points, row: int, direction: Points) -> float:
    """The projection of a point on a direction."""
    projected = 0.0
    for column in range(rows.shape[1]):
        projected += rows[row, column] * direction[column]
    return projected
