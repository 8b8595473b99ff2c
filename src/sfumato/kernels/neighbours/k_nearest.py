"""The k free records nearest to every place, and who has to look around again when one of them is taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.kernels.neighbours.take_nearest import Near, look
from sfumato.kernels.neighbours.tree import ShrinkingTree

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Neighbourhoods(NamedTuple):
    """The `members` around every place, and for every record a chain of the seats that it has in neighbourhoods.

    Seat j of place i has the number i * k + j. Chains run both ways, so that a seat can be left at any time.
    """

    members: Numbers
    head: Numbers
    after: Numbers
    before: Numbers


def neighbourhoods(places: int, records: int, k: int) -> Neighbourhoods:
    """Room for all; nobody has looked around yet."""
    return Neighbourhoods(
        np.full((places, k), -1, dtype=np.int32),
        np.full(records, -1, dtype=np.int32),
        np.full(places * k, -1, dtype=np.int32),
        np.full(places * k, -1, dtype=np.int32),
    )


@compiled
def look_around(points: Points, tree: ShrinkingTree, near: Near, hoods: Neighbourhoods, place: int) -> float:
    """Seat the k free records nearest to a place, its own first, and say how far they lie from their mean, squared."""
    members = hoods.members[place]
    found = look(tree, near, tree.rows[place], len(members))
    start, count = 0, 0
    while count < len(members):
        stop = start + 1
        while stop < found and near.distances[stop] == near.distances[start]:
            stop += 1
        while count < len(members):
            at = _lowest(near.records, start, stop)
            if at < 0:
                break
            members[count] = near.records[at]
            near.records[at] = tree.following[near.records[at]]
            count += 1
        start = stop
    members.sort()
    _seat(hoods, place)
    return _spread(points, members)


@compiled
def _lowest(records: Numbers, start: int, stop: int) -> int:
    """Where the lowest record stands; -1 if there is none."""
    best = -1
    for at in range(start, stop):
        if records[at] >= 0 and (best < 0 or records[at] < records[best]):
            best = at
    return best


@compiled
def _spread(points: Points, members: Numbers) -> float:
    """The squared distances from the mean, added up."""
    mean, total = np.zeros(points.shape[1]), 0.0
    for record in members:
        mean += points[record]
    mean /= len(members)
    for record in members:
        total += distance_below(points[record], mean, np.inf)
    return total


@compiled
def _seat(hoods: Neighbourhoods, place: int) -> None:
    k = hoods.members.shape[1]
    for slot in range(k):
        seat, record = place * k + slot, hoods.members[place, slot]
        hoods.after[seat], hoods.before[seat] = hoods.head[record], -1
        if hoods.head[record] >= 0:
            hoods.before[hoods.head[record]] = seat
        hoods.head[record] = seat


@compiled
def unseat(hoods: Neighbourhoods, record: int, stale: Numbers, count: int) -> int:
    """Note all places in whose neighbourhood a record is, and take these apart; how many are noted now."""
    k = hoods.members.shape[1]
    while hoods.head[record] >= 0:
        place = hoods.head[record] // k
        stale[count] = place
        count += 1
        for slot in range(k):
            _leave(hoods, place * k + slot, hoods.members[place, slot])
    return count


@compiled
def _leave(hoods: Neighbourhoods, seat: int, record: int) -> None:
    following, preceding = hoods.after[seat], hoods.before[seat]
    if preceding >= 0:
        hoods.after[preceding] = following
    else:
        hoods.head[record] = following
    if following >= 0:
        hoods.before[following] = preceding
