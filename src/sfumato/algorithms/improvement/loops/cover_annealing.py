"""Loops of `cover_annealing`: records move to groups of near rows; the temperature limits the cost of a move.

The state counts the names of each group, so that the change of loss by a move takes time in the number of terms, not in
the size of the group. Only if a record at the end of a range leaves, the members are searched for the new end. Between
two moves, `loss`, `low`, `high`, `distinct` and `name_count` of every group are exactly those of its members: all are
integers, so no rounding adds up. A proposal costs O(terms), O(group size) for each range whose end it would change, and
the same for up to `_TRIES` partners if it is an exchange.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.covers import FAR, TAKEN, Covers, pair_costs, row_of
from sfumato.kernels.random import Chance, draw

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

_TRIES = 8
"""Number of records of the other group that are tried; the best of them is exchanged."""


class CoverCells(NamedTuple):
    """Rows row by row, so that one move reads neighbouring numbers (`Covers` has them term by term).

    Names are numbered consecutively over all terms. A group loses `price[m]` for each distinct name of set term m
    except the first, and `price[m]` for node term m if it has several names.
    """

    place: Whole
    """Row, number term: the position of the number."""
    name: Whole
    """Row, term: the name, for set terms first and then for node terms."""
    price: Whole
    sets: int
    """The number of set terms."""
    whole: int
    """The largest loss of a cell."""


class GroupedRecords(NamedTuple):
    """Records in groups: record i has row `row[i]` and is `member[group[i], at[i]]`. Updated in place by every move."""

    row: Whole
    group: Whole
    at: Whole
    member: Whole
    size: Counts
    """Group: the number of its records; its members are `member[group, :size]`."""
    name_count: NDArray[np.int32]
    """Group, name: the number of records of the group with this name."""
    distinct: Whole
    """Group, term: the number of different names of the group."""
    low: Whole
    """Group, number term: the lower end of the range."""
    high: Whole
    """Group, number term: the upper end of the range."""
    loss: Counts
    """Group: its loss per record."""


@compiled
def near_rows(covers: Covers, many: int) -> Whole:
    """For each row, the `many` other rows with the smallest loss in a group of two, nearest first.

    Compares all pairs of rows: O(rows^2 * terms).
    """
    rows = covers.places.shape[1]
    left, costs = np.ones(rows, dtype=np.int64), np.empty(rows, dtype=np.int32)
    near, best = np.zeros((rows, many), dtype=np.int32), np.empty(many, dtype=np.int32)
    for row in range(rows):
        # all rows count as free, and the row itself is excluded below
        pair_costs(covers, left, row_of(covers, row), costs)
        costs[row] = TAKEN
        best[:] = TAKEN
        for other in range(rows):
            if costs[other] < best[many - 1]:
                # insertion sort into the list of the best rows, which stays short
                place = many - 1
                while place > 0 and best[place - 1] > costs[other]:
                    best[place], near[row, place] = best[place - 1], near[row, place - 1]
                    place -= 1
                best[place], near[row, place] = costs[other], other
    return near


@inlined
def _below(chance: Chance, limit: int) -> int:
    """A random integer from 0 to limit - 1."""
    return int(draw(chance) * limit)


@compiled
def _ends(cells: CoverCells, grouped: GroupedRecords, group: int, term: int, gone: int) -> tuple[int, int]:
    """The ends of the range of a group without one of its records."""
    place, low, high = cells.place[grouped.row[gone], term], grouped.low[group, term], grouped.high[group, term]
    # a record inside the range leaves it unchanged
    if low < place < high:
        return low, high
    low, high = np.int32(FAR), np.int32(-FAR)
    for at in range(grouped.size[group]):
        member = grouped.member[group, at]
        if member != gone:
            other = cells.place[grouped.row[member], term]
            low, high = min(low, other), max(high, other)
    return low, high


@compiled
def _decrease_without(cells: CoverCells, grouped: GroupedRecords, record: int, ends: Whole) -> int:
    """The decrease of a group's loss per record without a record; `ends` receives the ends of its ranges."""
    group, row, saved = grouped.group[record], grouped.row[record], 0
    # the group becomes empty: it has no range, and it keeps the loss of a group of one record
    if grouped.size[group] == 1:
        ends[:, 0], ends[:, 1] = FAR, -FAR
        return saved
    for term in range(cells.sets):
        # the only record with its name takes the name out of the set
        saved += cells.price[term] * np.int32(grouped.name_count[group, cells.name[row, term]] == 1)
    # a node term only becomes free if the name was one of two and no other record has it
    for term in range(cells.sets, len(cells.price)):
        alone = grouped.name_count[group, cells.name[row, term]] == 1
        saved += cells.price[term] * np.int32(alone and grouped.distinct[group, term] == 2)
    for term in range(cells.place.shape[1]):
        low, high = _ends(cells, grouped, group, term, record)
        ends[term, 0], ends[term, 1] = low, high
        saved += min(cells.whole, grouped.high[group, term] - grouped.low[group, term]) - min(cells.whole, high - low)
    return saved


@compiled
def _increase_with(cells: CoverCells, grouped: GroupedRecords, row: int, group: int) -> int:
    """The increase of a group's loss per record with another record of a row."""
    added = 0
    for term in range(cells.sets):
        added += cells.price[term] * np.int32(grouped.name_count[group, cells.name[row, term]] == 0)
    # a node term is only charged once, when a second name occurs
    for term in range(cells.sets, len(cells.price)):
        fresh = grouped.name_count[group, cells.name[row, term]] == 0
        added += cells.price[term] * np.int32(fresh and grouped.distinct[group, term] == 1)
    for term in range(cells.place.shape[1]):
        place, low, high = cells.place[row, term], grouped.low[group, term], grouped.high[group, term]
        added += min(cells.whole, max(high, place) - min(low, place)) - min(cells.whole, high - low)
    return added


@compiled
def _exchange_increase(
    cells: CoverCells, grouped: GroupedRecords, one: int, other: int, ends: Whole
) -> tuple[int, int]:
    """The increase of the losses per record of two groups if two of their records swap places.

    `ends` are the ends of the ranges of the first record's group without it.
    """
    here, there, row, their = grouped.group[one], grouped.group[other], grouped.row[one], grouped.row[other]
    mine, theirs = 0, 0
    for term in range(len(cells.price)):
        old, new = cells.name[row, term], cells.name[their, term]
        if old == new:
            continue
        # the change of the number of different names in each group: a new name, and the last record of an old one
        first = np.int32(grouped.name_count[here, new] == 0) - np.int32(grouped.name_count[here, old] == 1)
        second = np.int32(grouped.name_count[there, old] == 0) - np.int32(grouped.name_count[there, new] == 1)
        # a node term distinguishes only one name and several
        if term >= cells.sets:
            few, many = grouped.distinct[here, term], grouped.distinct[there, term]
            first, second = min(few + first, 2) - min(few, 2), min(many + second, 2) - min(many, 2)
        mine += cells.price[term] * first
        theirs += cells.price[term] * second
    for term in range(cells.place.shape[1]):
        place, their_place = cells.place[row, term], cells.place[their, term]
        if place != their_place:
            wide = max(ends[term, 1], their_place) - min(ends[term, 0], their_place)
            mine += min(cells.whole, wide) - min(cells.whole, grouped.high[here, term] - grouped.low[here, term])
            low, high = _ends(cells, grouped, there, term, other)
            wide = max(high, place) - min(low, place)
            theirs += min(cells.whole, wide) - min(cells.whole, grouped.high[there, term] - grouped.low[there, term])
    return mine, theirs


@compiled
def _leave(cells: CoverCells, grouped: GroupedRecords, record: int, ends: Whole) -> None:
    """Remove a record from its group and update the state; the last member takes its position."""
    group = grouped.group[record]
    grouped.loss[group] -= _decrease_without(cells, grouped, record, ends)
    for term in range(cells.place.shape[1]):
        grouped.low[group, term], grouped.high[group, term] = ends[term, 0], ends[term, 1]
    for term in range(len(cells.price)):
        name = cells.name[grouped.row[record], term]
        grouped.name_count[group, name] -= 1
        grouped.distinct[group, term] -= np.int32(grouped.name_count[group, name] == 0)
    grouped.size[group] -= 1
    # the last member takes the position of the record
    last = grouped.member[group, grouped.size[group]]
    grouped.member[group, grouped.at[record]] = last
    grouped.at[last] = grouped.at[record]


@compiled
def _enter(cells: CoverCells, grouped: GroupedRecords, record: int, group: int) -> None:
    """Add a record to a group."""
    row = grouped.row[record]
    # the first record of an empty group adds nothing; its ranges, from FAR to -FAR, are set below
    if grouped.size[group] > 0:
        grouped.loss[group] += _increase_with(cells, grouped, row, group)
    for term in range(cells.place.shape[1]):
        grouped.low[group, term] = min(grouped.low[group, term], cells.place[row, term])
        grouped.high[group, term] = max(grouped.high[group, term], cells.place[row, term])
    for term in range(len(cells.price)):
        name = cells.name[row, term]
        grouped.distinct[group, term] += np.int32(grouped.name_count[group, name] == 0)
        grouped.name_count[group, name] += 1
    grouped.group[record], grouped.at[record] = group, grouped.size[group]
    grouped.member[group, grouped.size[group]] = record
    grouped.size[group] += 1


@compiled
def fill_state(cells: CoverCells, grouped: GroupedRecords) -> None:
    """Add each record to its `group`, starting from empty groups."""
    for record in range(len(grouped.row)):
        _enter(cells, grouped, record, grouped.group[record])


@compiled
def _best_partner(
    cells: CoverCells, grouped: GroupedRecords, record: int, there: int, ends: Whole, chance: Chance
) -> tuple[int, int]:
    """The record of another group, out of a few, whose exchange with this record costs least, and the cost."""
    size, best, least = grouped.size[there], -1, 0
    # a random run of members, cyclic, which needs one draw
    at = _below(chance, size)
    for _ in range(min(_TRIES, size)):
        other, at = grouped.member[there, at], at + 1 if at + 1 < size else 0
        # an exchange of equal records changes nothing
        if grouped.row[other] == grouped.row[record]:
            continue
        mine, theirs = _exchange_increase(cells, grouped, record, other, ends)
        # sizes stay the same in an exchange, so each group's change counts for all its records
        cost = grouped.size[grouped.group[record]] * mine + size * theirs
        if best < 0 or cost < least:
            best, least = other, cost
    return best, least


@compiled
def anneal(
    cells: CoverCells, grouped: GroupedRecords, near: Whole, k: int, chance: Chance, proposals: int, temperature: float
) -> int:
    """Propose moves of random records to the group of one of the `near` records of their row.

    The record moves alone if its group can spare it; otherwise it swaps places with a record of the other group. A
    partner is searched only if the move alone could be accepted, since an exchange pays where one of its two moves
    does. A move with a positive cost is accepted with probability exp(-cost / temperature). Returns the total cost of
    all moves.
    """
    ends, total = np.empty((cells.place.shape[1], 2), dtype=np.int32), 0
    for _ in range(proposals):
        record = _below(chance, len(grouped.row))
        row, here = grouped.row[record], grouped.group[record]
        there = grouped.group[near[row, _below(chance, near.shape[1])]]
        if here == there:
            continue
        mine, theirs = grouped.size[here], grouped.size[there]
        saved, added = _decrease_without(cells, grouped, record, ends), _increase_with(cells, grouped, row, there)
        # the largest cost that is accepted: drawing it first is the same as comparing a draw with exp(-cost /
        # temperature)
        accepted_cost = -temperature * log(1.0 - draw(chance))
        # the change at constant sizes, as in an exchange; a move alone also changes the loss of the record itself
        other, cost = -1, theirs * added - mine * saved
        if mine > k and theirs < grouped.member.shape[1]:
            other, cost = record, cost + grouped.loss[there] + added - (grouped.loss[here] - saved)
        if cost > accepted_cost:
            continue
        if other < 0:
            other, cost = _best_partner(cells, grouped, record, there, ends, chance)
        if other < 0 or cost > accepted_cost:
            continue
        total += cost
        _leave(cells, grouped, record, ends)
        # both leave before one enters, so that no group is ever too large for its array
        if other != record:
            _leave(cells, grouped, other, ends)
            _enter(cells, grouped, other, here)
        _enter(cells, grouped, record, there)
    return total
