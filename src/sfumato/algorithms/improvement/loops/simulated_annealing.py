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
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

OF_GROUPS, OF_THREE = 0.01, 0.2
"""The share of moves that move a whole group, and the share in which three groups take part instead of two."""

WOBBLE, PASSED_OVER = 0.4, 0.15
"""The random part of the cost by which a target group is chosen, and the share of near records a new group skips."""


class GroupMembership(NamedTuple):
    """The members and the centroid of every group, updated in place by every move.

    `members[g, : sizes[g]]` are the records of group g, and record i is at `members[labels[i], places[i]]`. A group has
    at most as many members as the array has columns.
    """

    points: Points
    near: Numbers
    """Record: its nearest records, nearest first."""
    labels: Numbers
    centroids: Points
    sizes: Numbers
    members: Numbers
    places: Numbers
    spare: Numbers
    """The numbers of groups without members, `spare[: spares[0]]`; they are taken from the end."""
    spares: Numbers

    def __repr__(self) -> str:
        return sizes_only(self)


def membership_of(points: Points, near: Numbers, labels: Numbers, k: int) -> GroupMembership:
    """The arrays for groups of k to 2k - 1 records and for as many groups as possible; `fill_state` fills them."""
    groups, (records, columns) = len(points) // k, points.shape
    # the unused numbers, highest first; the last entry is in use and lies behind the first `spares`
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
def fill_state(state: GroupMembership) -> Points:
    """Compute the state from the labels, which also removes accumulated rounding; returns the SSE of every group."""
    state.sizes[:] = 0
    state.centroids[:] = 0.0
    columns = state.points.shape[1]
    for record in range(len(state.labels)):
        group = state.labels[record]
        state.places[record] = state.sizes[group]
        state.members[group, state.sizes[group]] = record
        state.sizes[group] += 1
        for column in range(columns):
            state.centroids[group, column] += state.points[record, column]
    for group in range(len(state.sizes)):
        for column in range(columns):
            state.centroids[group, column] /= max(state.sizes[group], 1)
    # a second pass, because distances need the final centroids
    losses = np.zeros(len(state.sizes))
    for record in range(len(state.labels)):
        losses[state.labels[record]] += distance_to_centroid(state, record, state.labels[record])
    return losses


@compiled
def distance_to_centroid(state: GroupMembership, record: int, group: int) -> float:
    """The squared distance of a record from the centroid of a group."""
    total = 0.0
    for column in range(state.points.shape[1]):
        step = state.points[record, column] - state.centroids[group, column]
        total += step * step
    return total


@compiled
def join_increase(state: GroupMembership, record: int, group: int) -> float:
    """The increase of the SSE when a record joins a group; 0 for the first member."""
    size = state.sizes[group]
    return 0.0 if size == 0 else distance_to_centroid(state, record, group) * size / (size + 1)


@compiled
def leave_decrease(state: GroupMembership, record: int) -> float:
    """The decrease of the SSE when a record leaves its group; 0 for the last member."""
    size = state.sizes[state.labels[record]]
    return 0.0 if size == 1 else distance_to_centroid(state, record, state.labels[record]) * size / (size - 1)


@compiled
def relocate(state: GroupMembership, record: int, group: int) -> None:
    """Move a record to another group, which must have room."""
    old = state.labels[record]
    left, size = state.sizes[old] - 1, state.sizes[group]
    # the last member fills the gap, so that members stay contiguous without shifting them
    last = state.members[old, left]
    state.members[old, state.places[record]] = last
    state.places[last] = state.places[record]
    state.members[group, size] = record
    state.places[record], state.labels[record] = size, group
    state.sizes[old], state.sizes[group] = left, size + 1
    for column in range(state.points.shape[1]):
        value = state.points[record, column]
        # updating a mean by its difference from the point needs no sum of the members
        if left > 0:
            state.centroids[old, column] -= (value - state.centroids[old, column]) / left
        if size > 0:
            state.centroids[group, column] += (value - state.centroids[group, column]) / (size + 1)
        else:
            state.centroids[group, column] = value


@compiled
def place_record(state: GroupMembership, record: int, group: int, place: int) -> None:
    """Put a record at a position of a group; the caller updates the centroids."""
    state.members[group, place] = record
    state.places[record], state.labels[record] = place, group


# Moves of single records: for each move one function returns the change of the SSE and another one makes the move.


@inlined
def relocation_change(state: GroupMembership, record: int, group: int) -> float:
    """The change of the SSE when a record moves to another group."""
    return join_increase(state, record, group) - leave_decrease(state, record)


@inlined
def swap_change(state: GroupMembership, one: int, other: int) -> float:
    """The change of the SSE when two records of different groups swap positions, by the formula of the module."""
    here, there = state.labels[one], state.labels[other]
    along, squared = 0.0, 0.0
    for column in range(state.points.shape[1]):
        step = state.points[other, column] - state.points[one, column]
        along += step * (state.centroids[there, column] - state.centroids[here, column])
        squared += step * step
    return float(2.0 * along - squared * (1.0 / state.sizes[here] + 1.0 / state.sizes[there]))


@compiled
def swap(state: GroupMembership, one: int, other: int) -> None:
    """Exchange two records of different groups."""
    here, there = state.labels[one], state.labels[other]
    for column in range(state.points.shape[1]):
        step = state.points[other, column] - state.points[one, column]
        state.centroids[here, column] += step / state.sizes[here]
        state.centroids[there, column] -= step / state.sizes[there]
    place, further = state.places[one], state.places[other]
    place_record(state, other, here, place)
    place_record(state, one, there, further)


@compiled
def cycle_change(state: GroupMembership, one: int, two: int, three: int) -> float:
    """The change of the SSE when each of three records of different groups takes the position of the next."""
    first, second, third = state.labels[one], state.labels[two], state.labels[three]
    share, share_2, share_3 = 1.0 / state.sizes[first], 1.0 / state.sizes[second], 1.0 / state.sizes[third]
    total = 0.0
    for column in range(state.points.shape[1]):
        x, y, z = state.points[one, column], state.points[two, column], state.points[three, column]
        # the formula of the module for each group: u is the new record less the old one
        total += (z - x) * (2.0 * state.centroids[first, column] + (z - x) * share)
        total += (x - y) * (2.0 * state.centroids[second, column] + (x - y) * share_2)
        total += (y - z) * (2.0 * state.centroids[third, column] + (y - z) * share_3)
    return -total


@compiled
def cycle(state: GroupMembership, one: int, two: int, three: int) -> None:
    """Move each of three records of different groups to the place of the next."""
    first, second, third = state.labels[one], state.labels[two], state.labels[three]
    for column in range(state.points.shape[1]):
        x, y, z = state.points[one, column], state.points[two, column], state.points[three, column]
        state.centroids[first, column] += (z - x) / state.sizes[first]
        state.centroids[second, column] += (x - y) / state.sizes[second]
        state.centroids[third, column] += (y - z) / state.sizes[third]
    place, place_2, place_3 = state.places[one], state.places[two], state.places[three]
    place_record(state, three, first, place)
    place_record(state, one, second, place_2)
    place_record(state, two, third, place_3)


@compiled
def chain_change(state: GroupMembership, one: int, two: int, group: int) -> float:
    """The change of the SSE when record one takes the position of record two, which moves to a third group."""
    middle = state.labels[two]
    left = state.sizes[middle] - 1
    total = 0.0
    for column in range(state.points.shape[1]):
        centroid = state.centroids[middle, column]
        # the centroid of the middle group without record two
        centroid -= (state.points[two, column] - centroid) / left
        step = state.points[one, column] - centroid
        total += step * step
    return float(relocation_change(state, two, group) + total * left / (left + 1) - leave_decrease(state, one))


@compiled
def chain(state: GroupMembership, one: int, two: int, group: int) -> None:
    """Move record two to a third group and record one to the group that two has left."""
    middle = state.labels[two]
    relocate(state, two, group)
    relocate(state, one, middle)


# Moves of whole groups: they are made record by record, because every record changes the cost of the next, and undone
# if they are rejected. `steps` has room for the records that moved, `origins` for the groups they came from.


@inlined
def is_accepted(change: float, temperature: float, chance: Chance) -> bool:
    """Whether to make a move: always if the SSE does not grow, else with probability exp(-change / temperature)."""
    if change <= 0.0:
        return True
    return temperature > 0.0 and draw(chance) < exp(-change / temperature)


@compiled
def undo(state: GroupMembership, steps: Numbers, origins: Numbers, count: int) -> None:
    """Undo relocations, the last one first."""
    for step in range(count - 1, -1, -1):
        relocate(state, steps[step], origins[step])


@compiled
def cheapest_near_group(state: GroupMembership, record: int, chance: Chance) -> int:
    """The group of a near record that a record can join at about the least cost; -1 if none has room.

    A random factor varies the choice, so that repeated attempts differ.
    """
    least, best, own = inf, -1, state.labels[record]
    for place in range(state.near.shape[1]):
        group = state.labels[state.near[record, place]]
        # near records often share a group, and the best one so far need not be compared again
        if group != own and group != best and state.sizes[group] < state.members.shape[1]:
            harm = join_increase(state, record, group) * (1.0 - WOBBLE / 2 + WOBBLE * draw(chance))
            if harm < least:
                least, best = harm, group
    return best


@compiled
def dissolve(
    state: GroupMembership, group: int, temperature: float, chance: Chance, steps: Numbers, origins: Numbers
) -> float:
    """Move all records of a group to groups nearby, if that is accepted; returns the change of the SSE."""
    total, count = 0.0, 0
    while state.sizes[group] > 0:
        # from the end, so that no other member changes its position
        record = state.members[group, state.sizes[group] - 1]
        target = cheapest_near_group(state, record, chance)
        if target < 0:
            break
        total += join_increase(state, record, target) - leave_decrease(state, record)
        steps[count], origins[count] = record, group
        count += 1
        relocate(state, record, target)
    # a record found no room, or the whole move is too expensive
    if state.sizes[group] > 0 or not is_accepted(total, temperature, chance):
        undo(state, steps, origins, count)
        return 0.0
    state.spare[state.spares[0]] = group
    state.spares[0] += 1
    return total


@compiled
def create_group(state: GroupMembership, seed: int, k: int, temperature: float, chance: Chance, steps: Numbers,
          origins: Numbers) -> float:  # fmt: skip
    """Make a new group of a record and k - 1 near records from groups of more than k, if that is accepted.

    Returns the change of the SSE.
    """
    if state.spares[0] == 0 or state.sizes[state.labels[seed]] <= k:
        return 0.0
    group, total, count = state.spare[state.spares[0] - 1], 0.0, 0
    for place in range(-1, state.near.shape[1]):
        record = seed if place < 0 else state.near[seed, place]
        # already in the new group, or its own group cannot spare it
        if state.labels[record] == group or state.sizes[state.labels[record]] <= k:
            continue
        # skipping some near records makes repeated attempts differ
        if place >= 0 and draw(chance) < PASSED_OVER:
            continue
        total += join_increase(state, record, group) - leave_decrease(state, record)
        steps[count], origins[count] = record, state.labels[record]
        count += 1
        relocate(state, record, group)
        if count == k:
            break
    if count < k or not is_accepted(total, temperature, chance):
        undo(state, steps, origins, count)
        return 0.0
    state.spares[0] -= 1
    return total


# The loop: draws a record from a window, then one of its near records, the nearer ones more often. Every move is
# between the groups of the two, so that only groups next to each other are compared and the window stays in the cache.


@compiled
def anneal(
    state: GroupMembership, k: int, window: tuple[int, int], tries: int, temperature: float, chance: Chance
) -> float:
    """Try this number of moves that start at records of a window; returns the change of the SSE.

    Every group keeps at least k members and at most as many as there is room for. At temperature 0 no move increases
    the SSE. A move of single records costs O(columns), one of a whole group at most O(k * near records * columns).
    """
    total, (begin, end) = 0.0, window
    steps, origins = np.empty(state.members.shape[1], dtype=np.int32), np.empty(state.members.shape[1], dtype=np.int32)
    for _ in range(tries):
        record = begin + int(draw(chance) * (end - begin))
        # one draw selects the kind of move: the lowest share dissolves a group,
        # the next makes one, the next is among three
        kind = draw(chance)
        if kind < OF_GROUPS / 2:
            total += dissolve(state, state.labels[record], temperature, chance, steps, origins)
        elif kind < OF_GROUPS:
            total += create_group(state, record, k, temperature, chance, steps, origins)
        else:
            group = neighbour(state, record, chance)
            if group != state.labels[record]:
                total += between(state, k, record, group, kind < OF_GROUPS + OF_THREE, temperature, chance)
    return total


@inlined
def neighbour(state: GroupMembership, record: int, chance: Chance) -> int:
    """The group of one of the near records, which may be the record's own; nearer records are more likely."""
    # the square of a uniform draw is small more often than large
    far = draw(chance)
    return int(state.labels[state.near[record, int(state.near.shape[1] * far * far)]])


@inlined
def between(
    state: GroupMembership, k: int, record: int, group: int, three: bool, temperature: float, chance: Chance
) -> float:
    """Try to move a record to another group, alone or in exchange; returns the change of the SSE."""
    can_leave = state.sizes[state.labels[record]] > k
    # both a move alone and an exchange are possible: one of them at random
    if can_leave and state.sizes[group] < state.members.shape[1] and draw(chance) < 0.5:
        change = relocation_change(state, record, group)
        if not is_accepted(change, temperature, chance):
            return 0.0
        relocate(state, record, group)
        return change
    other = state.members[group, int(draw(chance) * state.sizes[group])]
    if three:
        return among_three(state, record, other, can_leave, temperature, chance)
    change = swap_change(state, record, other)
    if not is_accepted(change, temperature, chance):
        return 0.0
    swap(state, record, other)
    return change


@compiled
def among_three(
    state: GroupMembership, record: int, other: int, can_leave: bool, temperature: float, chance: Chance
) -> float:
    """Try to move a record to the position of another, and that one to a third group, alone or in exchange.

    In exchange, a record of the third group takes the position of the first record. Returns the change of the SSE.
    """
    group = neighbour(state, other, chance)
    if group == state.labels[record] or group == state.labels[other]:
        return 0.0
    if can_leave and state.sizes[group] < state.members.shape[1] and draw(chance) < 0.5:
        change = chain_change(state, record, other, group)
        if not is_accepted(change, temperature, chance):
            return 0.0
        chain(state, record, other, group)
        return change
    third = state.members[group, int(draw(chance) * state.sizes[group])]
    change = cycle_change(state, record, other, third)
    if not is_accepted(change, temperature, chance):
        return 0.0
    cycle(state, record, other, third)
    return change
