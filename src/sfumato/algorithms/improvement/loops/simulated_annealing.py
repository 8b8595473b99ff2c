"""Compiled loops of simulated annealing on groups of points.

`GroupMembership` is the state: the members and the centroid of every group. Moves keep it up to date, so that the
change of the squared error (SSE) by a move costs one pass over the columns and never a pass over a group. The file has,
in this order: the state, moves of single records, moves of whole groups, and the loop that draws moves at random.

Formulas. The SSE of a group of m points is the sum of their squared distances from its centroid c. When x joins, it
grows by m / (m + 1) times the squared distance of x from c; when x leaves, it falls by m / (m - 1) times that distance.
The SSE is also the sum of all |x|² less |s|² / m, where s is the sum of the points. Where records change places, m and
the sum of all |x|² stay the same; if s becomes s + u, the SSE falls by 2 u·c + u·u / m.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import exp, inf
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.random import Chance, draw

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

OF_GROUPS, OF_THREE = 0.01, 0.2
"""The share of moves that move a whole group, and the share in which three groups take part instead of two."""

WOBBLE, PASSED_OVER = 0.4, 0.15
"""The random part of the cost by which a target group is chosen, and the share of near records a new group skips."""


class GroupMembership(NamedTuple):
    """`members[g, : sizes[g]]` are the records of group g, and record i is at `members[labels[i], places[i]]`.

    A group has at most as many members as the array has columns. `near` has the nearest records of each record, nearest
    first. The numbers of groups without members are `spare[: spares[0]]`; they are taken from the end.
    """

    points: Points
    near: Numbers
    labels: Numbers
    centroids: Points
    sizes: Numbers
    members: Numbers
    places: Numbers
    spare: Numbers
    spares: Numbers


def membership_of(points: Points, near: Numbers, labels: Numbers, k: int) -> GroupMembership:
    """The arrays for groups of k to 2k - 1 records, with room for as many groups as possible; `settle` fills them."""
    groups, (records, columns) = len(points) // k, points.shape
    spare = np.arange(groups, labels.max(), -1, dtype=np.int32) - 1
    return GroupMembership(
        points,
        near,
        labels.astype(np.int32),
        np.empty((groups, columns)),
        np.empty(groups, dtype=np.int32),
        np.empty((groups, 2 * k - 1), dtype=np.int32),
        np.empty(records, dtype=np.int32),
        np.concatenate([spare, np.empty(groups - len(spare), dtype=np.int32)])[:groups],
        np.array([groups - 1 - labels.max()], dtype=np.int32),
    )


@compiled
def settle(at: GroupMembership) -> Points:
    """Compute the state from the labels, which also removes accumulated rounding; returns the SSE of every group."""
    at.sizes[:] = 0
    at.centroids[:] = 0.0
    columns = at.points.shape[1]
    for record in range(len(at.labels)):
        group = at.labels[record]
        at.places[record] = at.sizes[group]
        at.members[group, at.sizes[group]] = record
        at.sizes[group] += 1
        for column in range(columns):
            at.centroids[group, column] += at.points[record, column]
    for group in range(len(at.sizes)):
        for column in range(columns):
            at.centroids[group, column] /= max(at.sizes[group], 1)
    losses = np.zeros(len(at.sizes))
    for record in range(len(at.labels)):
        losses[at.labels[record]] += apart(at, record, at.labels[record])
    return losses


@compiled
def apart(at: GroupMembership, record: int, group: int) -> float:
    """The squared distance of a record from the centroid of a group."""
    total = 0.0
    for column in range(at.points.shape[1]):
        step = at.points[record, column] - at.centroids[group, column]
        total += step * step
    return total


@compiled
def joining(at: GroupMembership, record: int, group: int) -> float:
    """By how much the SSE grows when a record joins a group; 0 for the first member."""
    size = at.sizes[group]
    return 0.0 if size == 0 else apart(at, record, group) * size / (size + 1)


@compiled
def leaving(at: GroupMembership, record: int) -> float:
    """By how much the SSE falls when a record leaves its group; 0 for the last member."""
    size = at.sizes[at.labels[record]]
    return 0.0 if size == 1 else apart(at, record, at.labels[record]) * size / (size - 1)


@compiled
def relocate(at: GroupMembership, record: int, group: int) -> None:
    """Move a record to another group, which must have room."""
    old = at.labels[record]
    left, size = at.sizes[old] - 1, at.sizes[group]
    # The last member fills the gap, so that members stay contiguous without shifting them.
    last = at.members[old, left]
    at.members[old, at.places[record]] = last
    at.places[last] = at.places[record]
    at.members[group, size] = record
    at.places[record], at.labels[record] = size, group
    at.sizes[old], at.sizes[group] = left, size + 1
    for column in range(at.points.shape[1]):
        value = at.points[record, column]
        if left > 0:
            at.centroids[old, column] -= (value - at.centroids[old, column]) / left
        if size > 0:
            at.centroids[group, column] += (value - at.centroids[group, column]) / (size + 1)
        else:
            at.centroids[group, column] = value


@compiled
def seat(at: GroupMembership, record: int, group: int, place: int) -> None:
    """Put a record at a place of a group; the caller updates the centroids."""
    at.members[group, place] = record
    at.places[record], at.labels[record] = place, group


# Moves of single records: for each move one function returns the change of the SSE and another one makes the move.


@inlined
def relocation_change(at: GroupMembership, record: int, group: int) -> float:
    """By how much the SSE changes when a record moves to another group."""
    return joining(at, record, group) - leaving(at, record)


@inlined
def swap_change(at: GroupMembership, one: int, other: int) -> float:
    """By how much the SSE changes when two records of different groups change places."""
    here, there = at.labels[one], at.labels[other]
    along, squared = 0.0, 0.0
    for column in range(at.points.shape[1]):
        step = at.points[other, column] - at.points[one, column]
        along += step * (at.centroids[there, column] - at.centroids[here, column])
        squared += step * step
    return float(2.0 * along - squared * (1.0 / at.sizes[here] + 1.0 / at.sizes[there]))


@compiled
def swap(at: GroupMembership, one: int, other: int) -> None:
    """Exchange two records of different groups."""
    here, there = at.labels[one], at.labels[other]
    for column in range(at.points.shape[1]):
        step = at.points[other, column] - at.points[one, column]
        at.centroids[here, column] += step / at.sizes[here]
        at.centroids[there, column] -= step / at.sizes[there]
    place, further = at.places[one], at.places[other]
    seat(at, other, here, place)
    seat(at, one, there, further)


@compiled
def cycle_change(at: GroupMembership, one: int, two: int, three: int) -> float:
    """By how much the SSE changes when each of three records of different groups takes the place of the next."""
    first, second, third = at.labels[one], at.labels[two], at.labels[three]
    share, share_2, share_3 = 1.0 / at.sizes[first], 1.0 / at.sizes[second], 1.0 / at.sizes[third]
    total = 0.0
    for column in range(at.points.shape[1]):
        x, y, z = at.points[one, column], at.points[two, column], at.points[three, column]
        total += (z - x) * (2.0 * at.centroids[first, column] + (z - x) * share)
        total += (x - y) * (2.0 * at.centroids[second, column] + (x - y) * share_2)
        total += (y - z) * (2.0 * at.centroids[third, column] + (y - z) * share_3)
    return -total


@compiled
def cycle(at: GroupMembership, one: int, two: int, three: int) -> None:
    """Move each of three records of different groups to the place of the next."""
    first, second, third = at.labels[one], at.labels[two], at.labels[three]
    for column in range(at.points.shape[1]):
        x, y, z = at.points[one, column], at.points[two, column], at.points[three, column]
        at.centroids[first, column] += (z - x) / at.sizes[first]
        at.centroids[second, column] += (x - y) / at.sizes[second]
        at.centroids[third, column] += (y - z) / at.sizes[third]
    place, place_2, place_3 = at.places[one], at.places[two], at.places[three]
    seat(at, three, first, place)
    seat(at, one, second, place_2)
    seat(at, two, third, place_3)


@compiled
def chain_change(at: GroupMembership, one: int, two: int, group: int) -> float:
    """By how much the SSE changes when record one takes the place of record two, which moves to a third group."""
    middle = at.labels[two]
    left = at.sizes[middle] - 1
    total = 0.0
    for column in range(at.points.shape[1]):
        centroid = at.centroids[middle, column]
        centroid -= (at.points[two, column] - centroid) / left
        step = at.points[one, column] - centroid
        total += step * step
    return float(relocation_change(at, two, group) + total * left / (left + 1) - leaving(at, one))


@compiled
def chain(at: GroupMembership, one: int, two: int, group: int) -> None:
    """Move record two to a third group and record one to the group that two has left."""
    middle = at.labels[two]
    relocate(at, two, group)
    relocate(at, one, middle)


# Moves of whole groups: they are made record by record, because every record changes the cost of the next, and undone
# if they are rejected. `steps` has room for the records that moved, `origins` for the groups they came from.


@inlined
def accepted(change: float, temperature: float, chance: Chance) -> bool:
    """Whether to make a move: always if the SSE does not grow, else with probability exp(-change / temperature)."""
    if change <= 0.0:
        return True
    return temperature > 0.0 and draw(chance) < exp(-change / temperature)


@compiled
def undo(at: GroupMembership, steps: Numbers, origins: Numbers, count: int) -> None:
    """Undo relocations, the last one first."""
    for step in range(count - 1, -1, -1):
        relocate(at, steps[step], origins[step])


@compiled
def refuge(at: GroupMembership, record: int, chance: Chance) -> int:
    """The group of a near record that a record can join at about the least cost; -1 where none has room."""
    least, found, own = inf, -1, at.labels[record]
    for place in range(at.near.shape[1]):
        group = at.labels[at.near[record, place]]
        if group != own and group != found and at.sizes[group] < at.members.shape[1]:
            harm = joining(at, record, group) * (1.0 - WOBBLE / 2 + WOBBLE * draw(chance))
            if harm < least:
                least, found = harm, group
    return found


@compiled
def dissolve(
    at: GroupMembership, group: int, temperature: float, chance: Chance, steps: Numbers, origins: Numbers
) -> float:
    """Move all records of a group to groups nearby, if that is accepted; returns by how much the SSE changed."""
    total, count = 0.0, 0
    while at.sizes[group] > 0:
        record = at.members[group, at.sizes[group] - 1]
        target = refuge(at, record, chance)
        if target < 0:
            break
        total += joining(at, record, target) - leaving(at, record)
        steps[count], origins[count] = record, group
        count += 1
        relocate(at, record, target)
    if at.sizes[group] > 0 or not accepted(total, temperature, chance):
        undo(at, steps, origins, count)
        return 0.0
    at.spare[at.spares[0]] = group
    at.spares[0] += 1
    return total


@compiled
def found(at: GroupMembership, seed: int, k: int, temperature: float, chance: Chance, steps: Numbers,
          origins: Numbers) -> float:  # fmt: skip
    """Make a new group of a record and k - 1 near records from groups of more than k, if that is accepted.

    Returns by how much the SSE changed.
    """
    if at.spares[0] == 0 or at.sizes[at.labels[seed]] <= k:
        return 0.0
    group, total, count = at.spare[at.spares[0] - 1], 0.0, 0
    for place in range(-1, at.near.shape[1]):
        record = seed if place < 0 else at.near[seed, place]
        if at.labels[record] == group or at.sizes[at.labels[record]] <= k:
            continue
        if place >= 0 and draw(chance) < PASSED_OVER:
            continue
        total += joining(at, record, group) - leaving(at, record)
        steps[count], origins[count] = record, at.labels[record]
        count += 1
        relocate(at, record, group)
        if count == k:
            break
    if count < k or not accepted(total, temperature, chance):
        undo(at, steps, origins, count)
        return 0.0
    at.spares[0] -= 1
    return total


# The loop: draws a record from a window, then one of its near records, the nearer ones more often. Every move is
# between the groups of the two, so that only groups next to each other are compared and the window stays in the cache.


@compiled
def anneal(
    at: GroupMembership, k: int, window: tuple[int, int], tries: int, temperature: float, chance: Chance
) -> float:
    """Try this number of moves that start at records of a window; returns by how much the SSE changed.

    Every group keeps at least k members and at most as many as there is room for. At temperature 0 no move increases
    the SSE.
    """
    total, (begin, end) = 0.0, window
    steps, origins = np.empty(at.members.shape[1], dtype=np.int32), np.empty(at.members.shape[1], dtype=np.int32)
    for _ in range(tries):
        record = begin + int(draw(chance) * (end - begin))
        kind = draw(chance)
        if kind < OF_GROUPS / 2:
            total += dissolve(at, at.labels[record], temperature, chance, steps, origins)
        elif kind < OF_GROUPS:
            total += found(at, record, k, temperature, chance, steps, origins)
        else:
            group = neighbour(at, record, chance)
            if group != at.labels[record]:
                total += between(at, k, record, group, kind < OF_GROUPS + OF_THREE, temperature, chance)
    return total


@inlined
def neighbour(at: GroupMembership, record: int, chance: Chance) -> int:
    """The group of one of the near records; it may be the record's own."""
    far = draw(chance)
    return int(at.labels[at.near[record, int(at.near.shape[1] * far * far)]])


@inlined
def between(
    at: GroupMembership, k: int, record: int, group: int, three: bool, temperature: float, chance: Chance
) -> float:
    """Try to move a record to another group, alone or in exchange; returns by how much the SSE changed."""
    spared = at.sizes[at.labels[record]] > k
    if spared and at.sizes[group] < at.members.shape[1] and draw(chance) < 0.5:
        change = relocation_change(at, record, group)
        if not accepted(change, temperature, chance):
            return 0.0
        relocate(at, record, group)
        return change
    other = at.members[group, int(draw(chance) * at.sizes[group])]
    if three:
        return among_three(at, record, other, spared, temperature, chance)
    change = swap_change(at, record, other)
    if not accepted(change, temperature, chance):
        return 0.0
    swap(at, record, other)
    return change


@compiled
def among_three(
    at: GroupMembership, record: int, other: int, spared: bool, temperature: float, chance: Chance
) -> float:
    """Try to move a record to the place of another, and that one to a third group, alone or in exchange.

    In exchange, a record of the third group takes the place of the first record. Returns by how much the SSE changed.
    """
    group = neighbour(at, other, chance)
    if group == at.labels[record] or group == at.labels[other]:
        return 0.0
    if spared and at.sizes[group] < at.members.shape[1] and draw(chance) < 0.5:
        change = chain_change(at, record, other, group)
        if not accepted(change, temperature, chance):
            return 0.0
        chain(at, record, other, group)
        return change
    third = at.members[group, int(draw(chance) * at.sizes[group])]
    change = cycle_change(at, record, other, third)
    if not accepted(change, temperature, chance):
        return 0.0
    cycle(at, record, other, third)
    return change
