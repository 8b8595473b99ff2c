"""Loops of `three_phases`: draw groups as Li and Li (2008) do, records with many conflicts first.

Two records conflict if they have the same value, or if the value of one is ruled out for the other. The number of
remaining records that conflict with a group is updated from counts, without a comparison of records: `whole` counts
them by value, `bars[x, v]` counts those of value v for which the value of row x is ruled out, and `sums` are the row
sums of `bars`. Only values that are ruled out for a record have a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

NOBODY = 2**62


class Waiting(NamedTuple):
    """Classes and their remaining records: `rows[used[c] : starts[c + 1]]` remain of class c.

    `rulings[bounds[b] : bounds[b + 1]]` are the values that set b rules out. `line` is the row of each value in `bars`
    and `sums`; values that are ruled out for no record share the last row, which stays zero.
    """

    value: Codes
    barred: Codes
    rows: Codes
    starts: Counts
    used: Counts
    ruled_out: Mask
    rulings: Codes
    bounds: Counts
    line: Codes
    whole: Counts
    bars: Counts
    sums: Counts


class Group(NamedTuple):
    """The conflicts of a group under construction.

    `closed` are the values whose records all conflict with the group, `hit` the conflicting classes of other values,
    `met` the number of their records by value. `open_sums` are the sums of `bars` over values that are not closed,
    without classes that are hit.
    """

    closed: Mask
    hit: Mask
    met: Counts
    open_sums: Counts


@compiled
def left(waiting: Waiting, chosen: int) -> int:
    """Number of remaining records of a class."""
    return int(waiting.starts[chosen + 1] - waiting.used[chosen])


@compiled
def count(waiting: Waiting, chosen: int, by: int) -> None:
    """Return `by` records of a class to the remaining ones."""
    value, barred = waiting.value[chosen], waiting.barred[chosen]
    waiting.used[chosen] -= by
    waiting.whole[value] += by
    add_bars(waiting, value, barred, by)


@compiled
def add_bars(waiting: Waiting, value: int, barred: int, by: int) -> None:
    """Count `by` more records for which the values of a set are ruled out."""
    for at in range(waiting.bounds[barred], waiting.bounds[barred + 1]):
        line = waiting.line[waiting.rulings[at]]
        waiting.bars[line, value] += by
        waiting.sums[line] += by


@compiled
def conflicts(waiting: Waiting, group: Group, chosen: int) -> int:
    """Number of remaining records that conflict with a class but not with the group."""
    value, barred = waiting.value[chosen], waiting.barred[chosen]
    line = waiting.line[value]
    total = group.open_sums[line]
    if not group.closed[value]:
        total += waiting.whole[value] - group.met[value] - waiting.bars[line, value]
    for at in range(waiting.bounds[barred], waiting.bounds[barred + 1]):
        other = waiting.rulings[at]
        if not group.closed[other]:
            total += waiting.whole[other] - group.met[other] - waiting.bars[line, other]
    return int(total)


@compiled
def close(waiting: Waiting, group: Group, value: int) -> None:
    """Mark a value as in conflict with a group."""
    if not group.closed[value]:
        group.closed[value] = True
        for line in range(len(group.open_sums)):
            group.open_sums[line] -= waiting.bars[line, value]


@compiled
def admit(waiting: Waiting, group: Group, chosen: int) -> None:
    """Remove a record of a class from the remaining ones, and add its conflicts to those of the group."""
    value, barred = waiting.value[chosen], waiting.barred[chosen]
    for at in range(waiting.bounds[barred], waiting.bounds[barred + 1]):
        group.open_sums[waiting.line[waiting.rulings[at]]] -= 1
    count(waiting, chosen, -1)
    close(waiting, group, value)
    for at in range(waiting.bounds[barred], waiting.bounds[barred + 1]):
        close(waiting, group, waiting.rulings[at])
    for other in range(len(waiting.value)):
        here = waiting.value[other]
        if group.hit[other] or group.closed[here] or not waiting.ruled_out[waiting.barred[other], value]:
            continue
        group.hit[other] = True
        records, bars = left(waiting, other), waiting.barred[other]
        group.met[here] += records
        add_bars(waiting, here, bars, -records)
        for at in range(waiting.bounds[bars], waiting.bounds[bars + 1]):
            group.open_sums[waiting.line[waiting.rulings[at]]] -= records


@compiled
def release(waiting: Waiting, group: Group) -> None:
    """Count the classes that were hit again, after a group is complete."""
    for other in range(len(waiting.value)):
        if group.hit[other]:
            add_bars(waiting, waiting.value[other], waiting.barred[other], left(waiting, other))


@compiled
def choose(waiting: Waiting, group: Group, hardest: bool) -> int:
    """The class with the most conflicts (for a seed) or the fewest; on ties the class of the first record."""
    best, least, first = -1, NOBODY, NOBODY
    for chosen in range(len(waiting.value)):
        if left(waiting, chosen) == 0 or group.closed[waiting.value[chosen]] or group.hit[chosen]:
            continue
        found = conflicts(waiting, group, chosen)
        found = -found if hardest else found
        record = waiting.rows[waiting.used[chosen]]
        if found < least or (found == least and record < first):
            best, least, first = chosen, found, record
    return best


@compiled
def draw_groups(waiting: Waiting, l: int, rest: Codes) -> tuple[Codes, int]:
    """Groups of l, a row of records each; a seed without enough partners goes to `rest`.

    Returns the groups and the number of records in `rest`.
    """
    remaining, total, failed = int(waiting.whole.sum()), 0, 0
    values, classes = len(waiting.whole), len(waiting.value)
    found = np.empty((remaining // l, l), dtype=np.int32)
    chosen = np.empty(l, dtype=np.int64)
    while remaining >= l:
        group = Group(
            np.zeros(values, dtype=np.bool_), np.zeros(classes, dtype=np.bool_), np.zeros(values, dtype=np.int64),
            waiting.sums.copy(),
        )  # fmt: skip
        size = 0
        while size < l:
            best = choose(waiting, group, size == 0)
            if best < 0:
                break
            chosen[size], found[total, size] = best, waiting.rows[waiting.used[best]]
            admit(waiting, group, best)
            size += 1
        release(waiting, group)
        if size == l:
            total, remaining = total + 1, remaining - l
            continue
        for member in range(1, size):
            count(waiting, chosen[member], 1)
        rest[failed] = found[total, 0]
        failed, remaining = failed + 1, remaining - 1
    return found[:total], failed
