"""Takes the records nearest to a point out of a shrinking tree, nearest first, and of equally near ones the lowest."""

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
    """Scratch for one question: the nearest places, how far they are, and their lowest records."""

    distances: Points
    records: Numbers
    places: Numbers


def scratch(most: int) -> Near:
    """Room for the answers to questions about at most so many places."""
    return Near(np.empty(most), np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32))


@compiled
def look(tree: ShrinkingTree, near: Near, query: Points, wanted: int) -> int:
    """Note the nearest places; how many there are."""
    return int(nearest(tree, query, near.distances[:wanted], near.records[:wanted], near.places[:wanted]))


@compiled
def take_nearest(tree: ShrinkingTree, near: Near, query: Points, wanted: int, taken: Numbers) -> int:
    """Take so many records, or all that are left, and note them in the order of taking; how many they are."""
    found = look(tree, near, query, wanted)
    start, count = 0, 0
    while start < found and count < wanted:
        stop = start + 1
        while stop < found and near.distances[stop] == near.distances[start]:
            stop += 1
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
    """Which of some places has the lowest free record; -1 if none has any."""
    best = -1
    for at in range(start, stop):
        record = first[places[at]]
        if record >= 0 and (best < 0 or record < first[places[best]]):
            best = at
    return best
