"""The k free records nearest to every place, and which of these neighbourhoods are outdated when a record is taken.

DBA keeps the neighbourhoods of all places between its steps and searches one again only if one of its members was
taken. A search costs one walk through the tree and O(k * columns) for the mean of the members; noting that a record was
taken costs O(k) for each neighbourhood that it belongs to. Memory: three numbers per place and neighbour.
"""

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
    """The members of every neighbourhood, and for every record a linked list of its seats in neighbourhoods.

    Seat j of place i has the number i * k + j. The lists are linked both ways, so that a seat is removed in constant
    time.
    """

    members: Numbers
    """Place, seat: the records of its neighbourhood, ascending."""
    head: Numbers
    """Record: the first of its seats; -1 for none."""
    after: Numbers
    """Seat: the next seat of the same record, or -1."""
    before: Numbers
    """Seat: the previous seat of the same record, or -1 for the first."""


def neighbourhoods(places: int, records: int, k: int) -> Neighbourhoods:
    """Arrays for the neighbourhoods of all places, still empty."""
    return Neighbourhoods(
        np.full((places, k), -1, dtype=np.int32),
        np.full(records, -1, dtype=np.int32),
        np.full(places * k, -1, dtype=np.int32),
        np.full(places * k, -1, dtype=np.int32),
    )


@compiled
def find_neighbourhood(points: Points, tree: ShrinkingTree, near: Near, hoods: Neighbourhoods, place: int) -> float:
    """Store the k free records nearest to a place, ascending; returns the sum of squared distances from their mean.

    At least k records must be free. Records of the place itself are nearest. Of equally near records the lowest numbers
    are chosen, wherever they are.
    """
    members = hoods.members[place]
    found = look(tree, near, tree.rows[place], len(members))
    start, count = 0, 0
    while count < len(members):
        # places `start` to `stop` are equally near; `near.records` has the lowest unused record of each, or -1 if all
        # are used
        stop = start + 1
        while stop < found and near.distances[stop] == near.distances[start]:
            stop += 1
        while count < len(members):
            at = _lowest(near.records, start, stop)
            if at < 0:
                break
            # the next record of the same place takes its turn
            members[count] = near.records[at]
            near.records[at] = tree.following[near.records[at]]
            count += 1
        start = stop
    # ascending, so that the sum below has the same order of additions however the members were found
    members.sort()
    _add_seats(hoods, place)
    return _spread(points, members)


@compiled
def _lowest(records: Numbers, start: int, stop: int) -> int:
    """The position of the lowest record that is not -1; -1 if there is none."""
    best = -1
    for at in range(start, stop):
        if records[at] >= 0 and (best < 0 or records[at] < records[best]):
            best = at
    return best


@compiled
def _spread(points: Points, members: Numbers) -> float:
    """The sum of the squared distances of some records from their mean."""
    mean, total = np.zeros(points.shape[1]), 0.0
    for record in members:
        mean += points[record]
    mean /= len(members)
    for record in members:
        total += distance_below(points[record], mean, np.inf)
    return total


@compiled
def _add_seats(hoods: Neighbourhoods, place: int) -> None:
    """Add the seats of a neighbourhood to the lists of its members, at the front."""
    k = hoods.members.shape[1]
    for slot in range(k):
        seat, record = place * k + slot, hoods.members[place, slot]
        hoods.after[seat], hoods.before[seat] = hoods.head[record], -1
        if hoods.head[record] >= 0:
            hoods.before[hoods.head[record]] = seat
        hoods.head[record] = seat


@compiled
def empty_neighbourhoods_of(hoods: Neighbourhoods, record: int, stale: Numbers, count: int) -> int:
    """Empty all neighbourhoods with this record and append their places to `stale`; returns the new length of `stale`.

    An emptied neighbourhood is in no list any more, so no place is noted twice.
    """
    k = hoods.members.shape[1]
    while hoods.head[record] >= 0:
        # the list shrinks by the seat of `record`, so this loop ends
        place = hoods.head[record] // k
        stale[count] = place
        count += 1
        for slot in range(k):
            _remove_seat(hoods, place * k + slot, hoods.members[place, slot])
    return count


@compiled
def _remove_seat(hoods: Neighbourhoods, seat: int, record: int) -> None:
    """Remove one seat from the list of its record."""
    following, preceding = hoods.after[seat], hoods.before[seat]
    if preceding >= 0:
        hoods.after[preceding] = following
    else:
        hoods.head[record] = following
    if following >= 0:
        hoods.before[following] = preceding
