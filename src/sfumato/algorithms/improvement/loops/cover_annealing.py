"""Loops of `cover_annealing`: records move to groups of near rows; the temperature limits the cost of a move.

The state counts the names of each group, so that the change of loss by a move takes time in the number of terms, not in
the size of the group. Only if a record at the end of a range leaves, the members are searched for the new end.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.covers import FAR, Covers
from sfumato.algorithms.clustering.loops.greedy_growth import TAKEN, pair_costs, row_of
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.random import Chance, draw

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

_TRIES = 8
"""Number of records of the other group that are tried; the best of them is exchanged."""


class CoverCells(NamedTuple):
    """Rows row by row: `place` of each number term, and `name` of each set term and then of each node term.

    Names are numbered consecutively over all terms. A group loses `price[m]` for each distinct name of set term m
    except the first, and `price[m]` for node term m if it has several names; `sets` is the number of set terms.
    """

    place: Whole
    name: Whole
    price: Whole
    sets: int
    whole: int


class Crowd(NamedTuple):
    """Records in groups: record i has row `row[i]` and is `member[group[i], at[i]]`.

    `often[group, name]` is the number of records of the group with a name, `different[group, m]` the number of its
    names of term m, `low` and `high` are the ends of its ranges, and `charge` is its loss per record.
    """

    row: Whole
    group: Whole
    at: Whole
    member: Whole
    size: Counts
    often: NDArray[np.uint16]
    different: Whole
    low: Whole
    high: Whole
    charge: Counts


@compiled
def near_rows(covers: Covers, many: int) -> Whole:
    """For each row, the `many` other rows with the smallest loss in a group of two, nearest first."""
    rows = covers.places.shape[1]
    left, costs = np.ones(rows, dtype=np.int64), np.empty(rows, dtype=np.int32)
    near, best = np.zeros((rows, many), dtype=np.int32), np.empty(many, dtype=np.int32)
    for row in range(rows):
        pair_costs(covers, left, row_of(covers, row), costs)
        costs[row] = TAKEN
        best[:] = TAKEN
        for other in range(rows):
            if costs[other] < best[many - 1]:
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
def _ends(cells: CoverCells, crowd: Crowd, group: int, term: int, gone: int) -> tuple[int, int]:
    """The ends of the range of a group without one of its records."""
    place, low, high = cells.place[crowd.row[gone], term], crowd.low[group, term], crowd.high[group, term]
    if low < place < high:
        return low, high
    low, high = np.int32(FAR), np.int32(-FAR)
    for at in range(crowd.size[group]):
        member = crowd.member[group, at]
        if member != gone:
            other = cells.place[crowd.row[member], term]
            low, high = min(low, other), max(high, other)
    return low, high


@compiled
def _saved(cells: CoverCells, crowd: Crowd, record: int, ends: Whole) -> int:
    """The decrease of a group's loss per record without a record; `ends` receives the ends of its ranges."""
    group, row, saved = crowd.group[record], crowd.row[record], 0
    if crowd.size[group] == 1:
        ends[:, 0], ends[:, 1] = FAR, -FAR
        return saved
    for term in range(cells.sets):
        saved += cells.price[term] * np.int32(crowd.often[group, cells.name[row, term]] == 1)
    for term in range(cells.sets, len(cells.price)):
        alone = crowd.often[group, cells.name[row, term]] == 1
        saved += cells.price[term] * np.int32(alone and crowd.different[group, term] == 2)
    for term in range(cells.place.shape[1]):
        low, high = _ends(cells, crowd, group, term, record)
        ends[term, 0], ends[term, 1] = low, high
        saved += min(cells.whole, crowd.high[group, term] - crowd.low[group, term]) - min(cells.whole, high - low)
    return saved


@compiled
def _added(cells: CoverCells, crowd: Crowd, row: int, group: int) -> int:
    """The increase of a group's loss per record with another record of a row."""
    added = 0
    for term in range(cells.sets):
        added += cells.price[term] * np.int32(crowd.often[group, cells.name[row, term]] == 0)
    for term in range(cells.sets, len(cells.price)):
        fresh = crowd.often[group, cells.name[row, term]] == 0
        added += cells.price[term] * np.int32(fresh and crowd.different[group, term] == 1)
    for term in range(cells.place.shape[1]):
        place, low, high = cells.place[row, term], crowd.low[group, term], crowd.high[group, term]
        added += min(cells.whole, max(high, place) - min(low, place)) - min(cells.whole, high - low)
    return added


@compiled
def _exchanged(cells: CoverCells, crowd: Crowd, one: int, other: int, ends: Whole) -> tuple[int, int]:
    """The increase of the losses per record of two groups if two of their records swap places.

    `ends` are the ends of the ranges of the first record's group without it.
    """
    here, there, row, their = crowd.group[one], crowd.group[other], crowd.row[one], crowd.row[other]
    mine, theirs = 0, 0
    for term in range(len(cells.price)):
        old, new = cells.name[row, term], cells.name[their, term]
        if old == new:
            continue
        first = np.int32(crowd.often[here, new] == 0) - np.int32(crowd.often[here, old] == 1)
        second = np.int32(crowd.often[there, old] == 0) - np.int32(crowd.often[there, new] == 1)
        if term >= cells.sets:
            few, many = crowd.different[here, term], crowd.different[there, term]
            first, second = min(few + first, 2) - min(few, 2), min(many + second, 2) - min(many, 2)
        mine += cells.price[term] * first
        theirs += cells.price[term] * second
    for term in range(cells.place.shape[1]):
        place, their_place = cells.place[row, term], cells.place[their, term]
        if place != their_place:
            wide = max(ends[term, 1], their_place) - min(ends[term, 0], their_place)
            mine += min(cells.whole, wide) - min(cells.whole, crowd.high[here, term] - crowd.low[here, term])
            low, high = _ends(cells, crowd, there, term, other)
            wide = max(high, place) - min(low, place)
            theirs += min(cells.whole, wide) - min(cells.whole, crowd.high[there, term] - crowd.low[there, term])
    return mine, theirs


@compiled
def _leave(cells: CoverCells, crowd: Crowd, record: int, ends: Whole) -> None:
    """Remove a record from its group."""
    group = crowd.group[record]
    crowd.charge[group] -= _saved(cells, crowd, record, ends)
    for term in range(cells.place.shape[1]):
        crowd.low[group, term], crowd.high[group, term] = ends[term, 0], ends[term, 1]
    for term in range(len(cells.price)):
        name = cells.name[crowd.row[record], term]
        crowd.often[group, name] -= 1
        crowd.different[group, term] -= np.int32(crowd.often[group, name] == 0)
    crowd.size[group] -= 1
    last = crowd.member[group, crowd.size[group]]
    crowd.member[group, crowd.at[record]] = last
    crowd.at[last] = crowd.at[record]


@compiled
def _enter(cells: CoverCells, crowd: Crowd, record: int, group: int) -> None:
    """Add a record to a group."""
    row = crowd.row[record]
    if crowd.size[group] > 0:
        crowd.charge[group] += _added(cells, crowd, row, group)
    for term in range(cells.place.shape[1]):
        crowd.low[group, term] = min(crowd.low[group, term], cells.place[row, term])
        crowd.high[group, term] = max(crowd.high[group, term], cells.place[row, term])
    for term in range(len(cells.price)):
        name = cells.name[row, term]
        crowd.different[group, term] += np.int32(crowd.often[group, name] == 0)
        crowd.often[group, name] += 1
    crowd.group[record], crowd.at[record] = group, crowd.size[group]
    crowd.member[group, crowd.size[group]] = record
    crowd.size[group] += 1


@compiled
def settle(cells: CoverCells, crowd: Crowd) -> None:
    """Add each record to its `group`, starting from empty groups."""
    for record in range(len(crowd.row)):
        _enter(cells, crowd, record, crowd.group[record])


@compiled
def _best_partner(
    cells: CoverCells, crowd: Crowd, record: int, there: int, ends: Whole, chance: Chance
) -> tuple[int, int]:
    """The record of another group, out of a few, whose exchange with this record costs least, and the cost."""
    size, best, least = crowd.size[there], -1, 0
    at = _below(chance, size)
    for _ in range(min(_TRIES, size)):
        other, at = crowd.member[there, at], at + 1 if at + 1 < size else 0
        if crowd.row[other] == crowd.row[record]:
            continue
        mine, theirs = _exchanged(cells, crowd, record, other, ends)
        cost = crowd.size[crowd.group[record]] * mine + size * theirs
        if best < 0 or cost < least:
            best, least = other, cost
    return best, least


@compiled
def anneal(
    cells: CoverCells, crowd: Crowd, near: Whole, k: int, chance: Chance, proposals: int, temperature: float
) -> int:
    """Propose moves of random records to the group of one of the `near` records of their row.

    The record moves alone if its group can spare it; otherwise it swaps places with a record of the other group. A
    partner is searched only if the move alone could be accepted, since an exchange pays where one of its two moves
    does. A move with a positive cost is accepted with probability exp(-cost / temperature). Returns the total cost of
    all moves.
    """
    ends, total = np.empty((cells.place.shape[1], 2), dtype=np.int32), 0
    for _ in range(proposals):
        record = _below(chance, len(crowd.row))
        row, here = crowd.row[record], crowd.group[record]
        there = crowd.group[near[row, _below(chance, near.shape[1])]]
        if here == there:
            continue
        mine, theirs = crowd.size[here], crowd.size[there]
        saved, added = _saved(cells, crowd, record, ends), _added(cells, crowd, row, there)
        bearable = -temperature * log(1.0 - draw(chance))
        other, cost = -1, theirs * added - mine * saved
        if mine > k and theirs < crowd.member.shape[1]:
            other, cost = record, cost + crowd.charge[there] + added - (crowd.charge[here] - saved)
        if cost > bearable:
            continue
        if other < 0:
            other, cost = _best_partner(cells, crowd, record, there, ends, chance)
        if other < 0 or cost > bearable:
            continue
        total += cost
        _leave(cells, crowd, record, ends)
        if other != record:
            _leave(cells, crowd, other, ends)
            _enter(cells, crowd, other, here)
        _enter(cells, crowd, record, there)
    return total
