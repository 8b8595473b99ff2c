"""The place furthest from a centre that moves a little at a time, without looking at all places every time.

Places that were far out when last looked at are kept in a list, the furthest of them in a shorter list, and so on. A
place outside a list was at most `limit` away from the centre of that time, so by the triangle inequality it is now at
most `limit` plus what the centre has moved since. As long as the best of the shortest list is further out than that, it
is the furthest of all; else the next longer list is looked at, and the shorter ones are drawn from it again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.search import NOBODY
from sfumato.kernels.neighbours.tree import ShrinkingTree
from sfumato.kernels.shell_sort import shell_sort

Point = NDArray[np.float64]
Numbers = NDArray[np.int32]

DEPTH = 12
SHORT = 192
"""A list of so few places is not shortened any more."""
SHARE = 12
"""How many times shorter the next list is, about."""
SAMPLE = 384
ROUNDING = 1e-11
"""Far more than rounding can change in a distance, relative to it."""


class Outermost(NamedTuple):
    """Lists of places, the longest (everybody) first."""

    lists: Numbers
    """All lists one after the other."""
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    centres: Point
    """Where the centre was when a list was drawn."""
    limits: Point
    """How far from it a place outside the list was at most."""
    used: NDArray[np.int64]
    """How many lists there are."""
    values: Point
    """Scratch: squared distances of one list."""
    sample: Point
    """Scratch: some of these."""


def outermost(tree: ShrinkingTree) -> Outermost:
    """Everybody is in the first list; the others are drawn when the first question comes."""
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
def furthest_from_centre(far: Outermost, tree: ShrinkingTree, centre: Point) -> int:
    """The place furthest from the centre, of several that with the lowest record; -1 if no place is left."""
    level = far.used[0] - 1
    place = _best(far, tree.rows, tree.first, centre, level)
    while level > 0 and (place < 0 or not _certain(far, tree.rows[place], centre, level)):
        level -= 1
        place = _best(far, tree.rows, tree.first, centre, level)
    far.used[0] = level + 1
    if place >= 0:
        _shorten(far, centre)
    return place


@compiled
def _best(far: Outermost, rows: Point, first: Numbers, centre: Point, level: int) -> int:
    """Look at a whole list: forget those that are gone, note the distances of the others, find the furthest."""
    start, kept = far.starts[level], 0
    best, who, found = -1.0, NOBODY, -1
    for at in range(start, start + far.sizes[level]):
        place = far.lists[at]
        if first[place] < 0:
            continue
        distance = squared_distance(rows[place], centre)
        if distance > best or (distance == best and first[place] < who):
            best, who, found = distance, first[place], place
        far.lists[start + kept], far.values[kept] = place, distance
        kept += 1
    far.sizes[level] = kept
    return found


@compiled
def squared_distance(one: Point, other: Point) -> float:
    """Summed over the columns from first to last."""
    total = 0.0
    for column in range(len(one)):
        apart = one[column] - other[column]
        total += apart * apart
    return total


@compiled
def _certain(far: Outermost, best: Point, centre: Point, level: int) -> bool:
    """Whether nobody outside the lists down to this one can be as far out as the best point of this list."""
    reached = np.sqrt(squared_distance(best, centre)) * (1.0 - ROUNDING)
    for shorter in range(1, level + 1):
        moved = np.sqrt(squared_distance(far.centres[shorter], centre))
        if not far.limits[shorter] + moved < reached:
            return False
    return True


@compiled
def _shorten(far: Outermost, centre: Point) -> None:
    """Draw shorter lists from the last one, whose distances have just been noted."""
    while far.sizes[far.used[0] - 1] > SHORT and far.used[0] < DEPTH:
        if not _drawn(far, centre, far.used[0]):
            return
        far.used[0] += 1


@compiled
def _drawn(far: Outermost, centre: Point, level: int) -> bool:
    """Draw a list from the one before; False if too many are equally far out for it to be much shorter."""
    values, start, size = far.values, far.starts[level - 1], far.sizes[level - 1]
    bar, shorter = _bar(values, size, far.sample), start + size
    kept, limit = 0, -1.0
    for at in range(size):
        if values[at] >= bar:
            kept += 1
    if kept > size // 2 or kept > len(far.lists) - shorter:
        return False
    kept = 0
    for at in range(size):
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
def _bar(values: Point, size: int, sample: Point) -> float:
    """What about one in `SHARE` of the first values reach, judged from a sample."""
    step, count, at = size // SAMPLE, 0, 0
    if step == 0:
        step = 1
    while at < size:
        sample[count] = values[at]
        count += 1
        at += step
    shell_sort(sample, count)
    return float(sample[count - 1 - count // SHARE])
