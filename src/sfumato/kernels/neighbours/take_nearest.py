"""Removes the records nearest to a point from a shrinking tree, nearest first, and of equally near ones the lowest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.search import nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, take_first

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Near(NamedTuple):
    """Scratch for one search: the nearest places, their squared distances, and the lowest free record of each."""

    distances: Points
    records: Numbers
    places: Numbers


def scratch(most: int) -> Near:
    """Arrays for searches of at most this many places."""
    return Near(np.empty(most), np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32))


@compiled
def look(tree: ShrinkingTree, near: Near, query: Points, wanted: int) -> int:
    """Search the `wanted` nearest places and note them in `near`; returns their number."""
    return int(nearest(tree, query, near.distances[:wanted], near.records[:wanted], near.places[:wanted]))


@compiled
def take_nearest(tree: ShrinkingTree, near: Near, query: Points, wanted: int, taken: Numbers) -> int:
    """Remove the `wanted` nearest records, or all that are left, and write them to `taken`; returns their number.

    The `wanted` nearest places are enough, because every place has at least one free record. Places at the same
    distance are treated together: their records are taken in ascending order, whichever place they belong to. Cost: one
    search, and for each record a pass over the places at its distance.
    """
    found = look(tree, near, query, wanted)
    start, count = 0, 0
    while start < found and count < wanted:
        # the places from `start` to `stop` are equally near
        stop = start + 1
        while stop < found and near.distances[stop] == near.distances[start]:
            stop += 1
        # a place drops out of `_lowest` when its last record is taken, because `first` is then -1
        while count < wanted:
            at = _lowest(tree.first, near.places, start, stop)
            if at < 0:
                break
            taken[count] = take_first(tree, near.places[at])
            count += 1
        start = stop
    return count


@compiled
def _lowest(first: Numbers, places: Numbers, start: int, stop: int) -> int:
    """The position of the place with the lowest free record; -1 if none has a free record."""
    best = -1
    for at in range(start, stop):
        record = first[places[at]]
        if record >= 0 and (best < 0 or record < first[places[best]]):
            best = at
    return best
