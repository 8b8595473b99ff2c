"""The place farthest from a centre that moves a little between searches, without computing all distances each time.

Level 0 is a list of all places. Each next level is a list of the places that were farthest from the centre when the
list was drawn, about a twelfth of the level before. A place that is not in a list was at most `limit` away from the
centre at that time. By the triangle inequality it is now at most `limit` plus the distance that the centre has moved.
If the farthest place of the shortest list is farther than that, it is the farthest of all. If not, the next longer list
is searched, and the shorter lists are drawn from it again.

A search costs O(columns) times the lengths of the lists that it goes through. The shortest has at most `SHORT` places
(unless many places are equally far) and is enough until the centre has moved far or the outer places have been removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.search import NO_RECORD
from sfumato.kernels.neighbours.tree import ShrinkingTree
from sfumato.kernels.shell_sort import shell_sort
from sfumato.runtime.representations import sizes_only

Point = NDArray[np.float64]
Numbers = NDArray[np.int32]

DEPTH = 12
"""The largest number of lists."""
SHORT = 192
"""A list with no more places than this is not shortened."""
SHARE = 12
"""A list is about this many times shorter than the list before."""
SAMPLE = 384
"""The number of distances from which the length of the next list is estimated, about."""
ROUNDING = 1e-11
"""Much more than the relative rounding error of a distance."""


class Outermost(NamedTuple):
    """The lists of places by level, and when and how they were drawn; every search updates them in place."""

    lists: Numbers
    """All lists one after the other; level i starts at `starts[i]` and has `sizes[i]` places."""
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    centres: Point
    """The centre at the time when a list was drawn, one row per level."""
    limits: Point
    """The largest distance from that centre of a place of the level before that is not in the list."""
    used: NDArray[np.int64]
    """The number of levels in use (one number, in an array because it changes)."""
    values: Point
    """Scratch: the squared distances of the places of the list that was searched last, in the order of the list."""
    sample: Point
    """Scratch: the squared distances from which the length of the next list is estimated."""

    def __repr__(self) -> str:
        return sizes_only(self)


def outermost(tree: ShrinkingTree) -> Outermost:
    """Level 0 with all places; the first search draws the other lists."""
    places = len(tree.rows)
    starts, sizes = np.zeros(DEPTH, dtype=np.int64), np.zeros(DEPTH, dtype=np.int64)
    sizes[0] = places
    return Outermost(
        np.resize(np.arange(places, dtype=np.int32), 3 * places),
        starts,
        sizes,
        np.zeros((DEPTH, tree.rows.shape[1])),
        np.full(DEPTH, -np.inf),
        np.ones(1, dtype=np.int64),
        np.empty(places),
        np.empty(2 * SAMPLE),
    )


@compiled
def farthest_from_centre(far: Outermost, tree: ShrinkingTree, centre: Point) -> int:
    """The place farthest from the centre; of several the one with the lowest record; -1 if no place is left."""
    # from the shortest list to longer ones, until the farthest place of a list is certain to be the farthest of all
    level = far.used[0] - 1
    place = _best(far, tree.rows, tree.first, centre, level)
    while level > 0 and (place < 0 or not _certain(far, tree.rows[place], centre, level)):
        level -= 1
        place = _best(far, tree.rows, tree.first, centre, level)
    # lists shorter than the one searched were not enough; they are drawn again with the distances just computed
    far.used[0] = level + 1
    if place >= 0:
        _shorten(far, centre)
    return place


@compiled
def _best(far: Outermost, rows: Point, first: Numbers, centre: Point, level: int) -> int:
    """The farthest place of a list; removes places without free records and notes the distances of the others."""
    start, kept = far.starts[level], 0
    best, lowest, found = -1.0, NO_RECORD, -1
    for at in range(start, start + far.sizes[level]):
        place = far.lists[at]
        # places without free records are dropped while the list is scanned, so it only gets shorter
        if first[place] < 0:
            continue
        distance = squared_distance(rows[place], centre)
        if distance > best or (distance == best and first[place] < lowest):
            best, lowest, found = distance, first[place], place
        far.lists[start + kept], far.values[kept] = place, distance
        kept += 1
    far.sizes[level] = kept
    return found


@compiled
def squared_distance(one: Point, other: Point) -> float:
    """The squared distance of two points, summed from the first column to the last."""
    total = 0.0
    for column in range(len(one)):
        apart = one[column] - other[column]
        total += apart * apart
    return total


@compiled
def _certain(far: Outermost, best: Point, centre: Point, level: int) -> bool:
    """Whether every place outside the list of this level is nearer to the centre than `best`, the farthest of the list.

    Such a place is missing from one of the lists 1 to `level`, so its distance is at most the `limit` of that list plus
    the distance that the centre has moved since. The comparison is strict, because a place at the same distance with a
    lower record would win.
    """
    reached = np.sqrt(squared_distance(best, centre)) * (1.0 - ROUNDING)
    for shorter in range(1, level + 1):
        moved = np.sqrt(squared_distance(far.centres[shorter], centre))
        if not far.limits[shorter] + moved < reached:
            return False
    return True


@compiled
def _shorten(far: Outermost, centre: Point) -> None:
    """Draw shorter lists from the last one, whose distances have just been computed."""
    while far.sizes[far.used[0] - 1] > SHORT and far.used[0] < DEPTH:
        if not _draw_list(far, centre, far.used[0]):
            return
        far.used[0] += 1


@compiled
def _draw_list(far: Outermost, centre: Point, level: int) -> bool:
    """Draw the list of a level from the level before; False if too many places are equally far to shorten it much."""
    values, start, size = far.values, far.starts[level - 1], far.sizes[level - 1]
    # the new list has the places at least as far as the bar; it is stored directly after the list before
    bar, shorter = _distance_to_reach(values, size, far.sample), start + size
    # count first and write later, because a list that would hardly be shorter is not drawn at all
    kept, limit = 0, -1.0
    for at in range(size):
        if values[at] >= bar:
            kept += 1
    if kept > size // 2 or kept > len(far.lists) - shorter:
        return False
    kept = 0
    for at in range(size):
        # `kept` never overtakes `at`, so the distances can be moved to the front of the same array
        if values[at] >= bar:
            far.lists[shorter + kept], values[kept] = far.lists[start + at], values[at]
            kept += 1
        elif values[at] > limit:
            limit = values[at]
    far.starts[level], far.sizes[level] = shorter, kept
    for column in range(len(centre)):
        far.centres[level, column] = centre[column]
    far.limits[level] = np.sqrt(limit)
    return True


@compiled
def _distance_to_reach(values: Point, size: int, sample: Point) -> float:
    """The squared distance that about one in `SHARE` of the first `size` values reaches, estimated from a sample.

    The sample is evenly spaced. It has fewer than 2 * SAMPLE values, because the step is rounded down.
    """
    step, count, at = size // SAMPLE, 0, 0
    if step == 0:
        step = 1
    while at < size:
        sample[count] = values[at]
        count += 1
        at += step
    shell_sort(sample, count)
    return float(sample[count - 1 - count // SHARE])
