"""Loops of `three_phases`: draw groups as Li and Li (2008) do, records with many conflicts first.

Two records conflict if they have the same value, or if the value of one is ruled out for the other. The number of
remaining records that conflict with a group is updated from counts, without a comparison of records. Choosing a member
costs one step per class and excluded value. While a group is drawn, the records of classes in conflict with it are not
counted in `exclusions_by_value` and `sums`, so that these count only open records; `release` counts them again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

LARGEST = 2**62
"""Larger than all record numbers and all counts of conflicts."""


class RemainingRecords(NamedTuple):
    """Classes and their remaining records: `rows[used[c] : starts[c + 1]]` remain of class c."""

    value: Codes
    """Class: its sensitive value."""
    exclusion: Codes
    """Class: the number of its excluded set."""
    rows: Codes
    starts: Counts
    used: Counts
    ruled_out: Flags
    rulings: Codes
    """The values that each set rules out: `rulings[bounds[b] : bounds[b + 1]]` for set b."""
    bounds: Counts
    line: Codes
    """Value: its row in the two arrays below; values that no set rules out share the last row, which stays zero."""
    whole: Counts
    """Value: the number of remaining records."""
    exclusions_by_value: Counts
    """Row x, value v: the remaining records of value v for which the value of row x is ruled out."""
    sums: Counts
    """The sums of these rows."""


class Group(NamedTuple):
    """The conflicts of a group under construction."""

    closed: Flags
    """Value: whether all its records conflict with the group."""
    in_conflict: Flags
    """Class: whether it conflicts with the group, for classes whose value is not closed."""
    conflicting: Counts
    """Value: the number of records of such classes."""
    open_sums: Counts
    """The sums of `exclusions_by_value` over values that are not closed, without classes in conflict."""


@compiled
def left(pool: RemainingRecords, chosen: int) -> int:
    """Number of remaining records of a class."""
    return int(pool.starts[chosen + 1] - pool.used[chosen])


@compiled
def return_records(pool: RemainingRecords, chosen: int, by: int) -> None:
    """Return `by` records of a class to the remaining ones; a negative number removes them."""
    value, exclusion = pool.value[chosen], pool.exclusion[chosen]
    pool.used[chosen] -= by
    pool.whole[value] += by
    count_exclusions(pool, value, exclusion, by)


@compiled
def count_exclusions(pool: RemainingRecords, value: int, exclusion: int, by: int) -> None:
    """Count `by` more records of a value for which the values of a set are ruled out."""
    for at in range(pool.bounds[exclusion], pool.bounds[exclusion + 1]):
        line = pool.line[pool.rulings[at]]
        pool.exclusions_by_value[line, value] += by
        pool.sums[line] += by


@compiled
def conflicts(pool: RemainingRecords, group: Group, chosen: int) -> int:
    """The number of remaining records that conflict with a class but not with the group."""
    value, exclusion = pool.value[chosen], pool.exclusion[chosen]
    line = pool.line[value]
    # records for which the value of the class is ruled out, then others of the same value, then those of excluded
    # values
    total = group.open_sums[line]
    if not group.closed[value]:
        total += pool.whole[value] - group.conflicting[value] - pool.exclusions_by_value[line, value]
    for at in range(pool.bounds[exclusion], pool.bounds[exclusion + 1]):
        other = pool.rulings[at]
        if not group.closed[other]:
            total += pool.whole[other] - group.conflicting[other] - pool.exclusions_by_value[line, other]
    return int(total)


@compiled
def close(pool: RemainingRecords, group: Group, value: int) -> None:
    """Mark a value as in conflict with a group."""
    if not group.closed[value]:
        group.closed[value] = True
        for line in range(len(group.open_sums)):
            group.open_sums[line] -= pool.exclusions_by_value[line, value]


@compiled
def add_member(pool: RemainingRecords, group: Group, chosen: int) -> None:
    """Remove a record of a class from the remaining ones, and add its conflicts to those of the group."""
    value, exclusion = pool.value[chosen], pool.exclusion[chosen]
    for at in range(pool.bounds[exclusion], pool.bounds[exclusion + 1]):
        group.open_sums[pool.line[pool.rulings[at]]] -= 1
    # `open_sums` falls with the counts of the pool, of which it is a part; `close` reads these counts afterwards
    return_records(pool, chosen, -1)
    close(pool, group, value)
    for at in range(pool.bounds[exclusion], pool.bounds[exclusion + 1]):
        close(pool, group, pool.rulings[at])
    # classes for which the new value is ruled out now conflict with the group; they are no longer counted as open
    for other in range(len(pool.value)):
        here = pool.value[other]
        if group.in_conflict[other] or group.closed[here] or not pool.ruled_out[pool.exclusion[other], value]:
            continue
        group.in_conflict[other] = True
        records, excluded_set = left(pool, other), pool.exclusion[other]
        group.conflicting[here] += records
        count_exclusions(pool, here, excluded_set, -records)
        for at in range(pool.bounds[excluded_set], pool.bounds[excluded_set + 1]):
            group.open_sums[pool.line[pool.rulings[at]]] -= records


@compiled
def release(pool: RemainingRecords, group: Group) -> None:
    """Count the classes in conflict again, after a group is complete."""
    for other in range(len(pool.value)):
        if group.in_conflict[other]:
            count_exclusions(pool, pool.value[other], pool.exclusion[other], left(pool, other))


@compiled
def choose(pool: RemainingRecords, group: Group, hardest: bool) -> int:
    """The class with the most conflicts (for a seed) or the fewest; on ties the class of the first record."""
    best, least, first = -1, LARGEST, LARGEST
    for chosen in range(len(pool.value)):
        if left(pool, chosen) == 0 or group.closed[pool.value[chosen]] or group.in_conflict[chosen]:
            continue
        found = conflicts(pool, group, chosen)
        # the most conflicts become the fewest, so that one comparison serves both
        found = -found if hardest else found
        record = pool.rows[pool.used[chosen]]
        if found < least or (found == least and record < first):
            best, least, first = chosen, found, record
    return best


@compiled
def draw_groups(pool: RemainingRecords, l: int, rest: Codes) -> tuple[Codes, int]:
    """Groups of l, a row of records each; a seed without enough partners goes to `rest`.

    Returns the groups and the number of records in `rest`.
    """
    remaining, total, failed = int(pool.whole.sum()), 0, 0
    values, classes = len(pool.whole), len(pool.value)
    found = np.empty((remaining // l, l), dtype=np.int32)
    chosen = np.empty(l, dtype=np.int64)
    while remaining >= l:
        # no conflicts yet, so all counts of the pool are open
        group = Group(
            np.zeros(values, dtype=np.bool_), np.zeros(classes, dtype=np.bool_), np.zeros(values, dtype=np.int64),
            pool.sums.copy(),
        )  # fmt: skip
        size = 0
        while size < l:
            best = choose(pool, group, size == 0)
            if best < 0:
                break
            chosen[size], found[total, size] = best, pool.rows[pool.used[best]]
            add_member(pool, group, best)
            size += 1
        release(pool, group)
        if size == l:
            total, remaining = total + 1, remaining - l
            continue
        # the partners of a failed seed return to the remaining records
        for member in range(1, size):
            return_records(pool, chosen[member], 1)
        rest[failed] = found[total, 0]
        failed, remaining = failed + 1, remaining - 1
    return found[:total], failed
