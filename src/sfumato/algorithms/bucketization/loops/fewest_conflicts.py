"""Groups drawn as Li and Li draw them: hard records first, and with them whoever is in conflict with fewest others.

Two records are in conflict if they have the same value, or one has a value that is ruled out for the other. How many of
the records still waiting are in conflict with a group is kept up to date from counts: by value in `whole`, and in
`bars[x, v]` those of value v for which the value in row x is ruled out, with their sums over v in `sums`. Only values
that are ruled out for somebody have a row.
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
    """Classes of records and what is left of them: class c has `rows[used[c] : starts[c + 1]]` left.

    `rulings[bounds[b] : bounds[b + 1]]` are the values that set b rules out; `line` is the row of every value in `bars`
    and `sums`, the last one, in which nothing is ever counted, for values that are ruled out for nobody.
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
    """What a group in the making is in conflict with.

    `closed` are the values of which every record is, `hit` the classes of other values, `met` how many records those
    have by value, and `open_sums` the sums of `bars` over values that are not closed, classes that are hit left out.
    """

    closed: Mask
    hit: Mask
    met: Counts
    open_sums: Counts


@compiled
def left(waiting: Waiting, chosen: int) -> int:
    """How many records of a class are waiting."""
    return int(waiting.starts[chosen + 1] - waiting.used[chosen])


@compiled
def count(waiting: Waiting, chosen: int, by: int) -> None:
    """Count so many records of a class more."""
    value, barred = waiting.value[chosen], waiting.barred[chosen]
    waiting.used[chosen] -= by
    waiting.whole[value] += by
    add_bars(waiting, value, barred, by)


@compiled
def add_bars(waiting: Waiting, value: int, barred: int, by: int) -> None:
    """Count so many records more for which the values of a set are ruled out."""
    for at in range(waiting.bounds[barred], waiting.bounds[barred + 1]):
        line = waiting.line[waiting.rulings[at]]
        waiting.bars[line, value] += by
        waiting.sums[line] += by


@compiled
def conflicts(waiting: Waiting, group: Group, chosen: int) -> int:
    """How many waiting records are in conflict with a class and not with the group already."""
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
    """Let a group be in conflict with a value."""
    if not group.closed[value]:
        group.closed[value] = True
        for line in range(len(group.open_sums)):
            group.open_sums[line] -= waiting.bars[line, value]


@compiled
def admit(waiting: Waiting, group: Group, chosen: int) -> None:
    """Take a record of a class away from those waiting, and let the group be in conflict with all that it is."""
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
    """Count the classes that were hit again, when a group is done."""
    for other in range(len(waiting.value)):
        if group.hit[other]:
            add_bars(waiting, waiting.value[other], waiting.barred[other], left(waiting, other))


@compiled
def choose(waiting: Waiting, group: Group, hardest: bool) -> int:
    """The class in conflict with most others, for a seed, or with fewest; of equal ones that of the first record."""
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
    """Groups of l, one row of records each; a seed without enough partners comes to `rest`, and so does who is left.

    Returns the groups and how many records came to `rest`.
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
