"""Loops of `k_member` and `loukides_shao`: grow groups one after the other from a seed by the cheapest rows.

`costs` holds for each row the loss per record of the current group with that row. A new member changes few terms of the
loss, so the costs are updated only for the terms that changed. Rows without free records are removed from the arrays
from time to time, so that the loops get shorter. Invariant: the cost of a row with free records is exact, and that of
every other row is at least `TAKEN`. A new member costs a pass over the rows for each term that it changes, and one more
to find the next member.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.covers import MIXED, TAKEN, Covers, Seed, pair_costs, row_of
from sfumato.runtime.progress import labelling, watched

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

_CROWDED = 0.75
"""If the fraction of free rows falls below this, the other rows are removed."""


class Runs(NamedTuple):
    """Assignments of records to groups: the row, the group, and how many records of the row."""

    row: Counts
    group: Whole
    counts: Counts


class Young(NamedTuple):
    """The state of the current group; see `GroupCovers`."""

    low: Whole
    high: Whole
    node: Whole
    absent: NDArray[np.uint8]


class Free(NamedTuple):
    """The rows that may have free records, moved to the front of their arrays in their order.

    `row` is the number of a row in the table, `left` the number of its free records. `covers` belongs to the loop: its
    rows move, too.
    """

    covers: Covers
    row: Counts
    left: Counts


def _free(covers: Covers, counts: Counts) -> Free:
    """All rows with all their records, in arrays that the loop may change."""
    own = covers._replace(places=covers.places.copy(), nodes=covers.nodes.copy(), values=covers.values.copy())
    return Free(own, np.arange(len(counts)), counts.copy())


def _young(covers: Covers) -> Young:
    """Memory for the state of one group, still undefined; `_plant` fills it."""
    places, nodes = len(covers.places), len(covers.nodes)
    low, high, node = (np.empty(terms, dtype=np.int32) for terms in (places, places, nodes))
    return Young(low, high, node, np.empty(int(covers.first[-1]), dtype=np.uint8))


@compiled
def _plant(young: Young, seed: Seed, first: Counts) -> None:
    """Let the current group consist of the seed row only."""
    for term in range(len(seed.places)):
        young.low[term] = seed.places[term]
        young.high[term] = seed.places[term]
    for term in range(len(seed.nodes)):
        young.node[term] = seed.nodes[term]
    for value in range(len(young.absent)):
        young.absent[value] = 1
    for term in range(len(seed.values)):
        young.absent[first[term] + seed.values[term]] = 0


@compiled
def _widen(young: Young, covers: Covers, row: int, costs: Whole) -> None:
    """Add the numbers of a row to the group, and update the costs of all rows."""
    whole = np.int32(covers.whole)
    for term in range(len(covers.places)):
        places, low, high = covers.places[term], young.low[term], young.high[term]
        place = places[row]
        # the range stays the same, so no cost changes: the usual case once a group has a few members
        if low <= place <= high:
            continue
        # `low` and `high` are the range before, `new_low` and `new_high` the range with the row
        new_low, new_high = low if low < place else place, high if high > place else place
        young.low[term], young.high[term] = new_low, new_high
        for other in range(len(costs)):
            place = places[other]
            # the width of the range with the other row, after and before; 32 bits, so that twice as many fit a register
            after = np.int32((new_high if new_high > place else place) - (new_low if new_low < place else place))
            before = np.int32((high if high > place else place) - (low if low < place else place))
            costs[other] += (after if after < whole else whole) - (before if before < whole else whole)


@compiled
def _mix(young: Young, covers: Covers, row: int, costs: Whole) -> None:
    """Add the categories of a row to the group, and update the costs of all rows."""
    for term in range(len(covers.nodes)):
        nodes, node, price = covers.nodes[term], young.node[term], covers.node_price[term]
        if (node != MIXED) & (node != nodes[row]):
            young.node[term] = MIXED
            for other in range(len(costs)):  # the others were charged already
                costs[other] += price if nodes[other] == node else np.int32(0)
    for term in range(len(covers.values)):
        values, value, price = covers.values[term], covers.values[term, row], covers.value_price[term]
        # a row with another value is now charged for this one as well; a row with this value was charged for it before
        if young.absent[covers.first[term] + value]:
            young.absent[covers.first[term] + value] = 0
            for other in range(len(costs)):
                costs[other] += price if values[other] != value else np.int32(0)


@compiled
def _cheapest(costs: Whole) -> int:
    """The first row with the lowest cost; -1 if all are taken."""
    # two loops, of which the first has no branch and no position to keep, so that it can be vectorized
    least = TAKEN
    for row in range(len(costs)):
        least = costs[row] if costs[row] < least else least
    if least >= TAKEN:
        return -1
    row = 0
    while costs[row] != least:
        row += 1
    return row


@compiled
def _dearest(costs: Whole) -> int:
    """The first free row with the highest cost; -1 if all are taken."""
    most = np.int32(-1)
    for row in range(len(costs)):
        cost = costs[row] if costs[row] < TAKEN else np.int32(-1)
        most = cost if cost > most else most
    if most < 0:
        return -1
    row = 0
    while costs[row] != most:
        row += 1
    return row


@compiled
def _clear(free: Free, rows: int) -> int:
    """Move the rows with free records to the front; returns how many there are."""
    # in order, because ties are decided by the first row, and `grown_to_loss` finds a row by bisection
    places, nodes, values, kept = free.covers.places, free.covers.nodes, free.covers.values, 0
    for row in range(rows):
        if free.left[row] == 0:
            continue
        for term in range(len(places)):
            places[term, kept] = places[term, row]
        for term in range(len(nodes)):
            nodes[term, kept] = nodes[term, row]
        for term in range(len(values)):
            values[term, kept] = values[term, row]
        free.row[kept] = free.row[row]
        free.left[kept] = free.left[row]
        kept += 1
    return kept


def grown_to_size(covers: Covers, counts: Counts, k: int, first: int) -> Runs:
    """Groups of k records for k-member: each starts at the row farthest from the last seed and takes the cheapest rows.

    Records of a row join together while there is room. Fewer than k records remain; these are runs of group -1. `first`
    is the row from which the distance of the first seed is measured. The time is proportional to the rows times the
    groups times the terms of the loss that change when a row joins, k at most.
    """
    records = int(counts.sum())
    most = len(counts) + records // k + k
    runs = Runs(np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32), np.zeros(most, dtype=np.int64))
    costs = np.empty(len(counts), dtype=np.int32)
    with watched("growing groups", records, lambda: int(runs.counts.sum())):
        made = _grow_to_size(_free(covers, counts), _young(covers), costs, runs, records, k, first)
    return Runs(runs.row[:made], runs.group[:made], runs.counts[:made])


@compiled
def _grow_to_size(free: Free, young: Young, costs: Whole, runs: Runs, records: int, k: int, first: int) -> int:
    """The loop of `grown_to_size`; returns the number of runs."""
    covers, left = free.covers, free.left
    # `used` counts the rows that ran out of free records since the last removal
    seed, made, group, used = row_of(covers, first), 0, 0, 0
    while records >= k:
        # a removal costs as much as a pass over all terms, so it waits until a quarter of the rows is used
        if used > (1 - _CROWDED) * len(costs):
            costs, used = costs[: _clear(free, len(costs))], 0
        pair_costs(covers, left, seed, costs)
        # the row farthest from the last seed is the next one
        place, size = _dearest(costs), 0
        seed = row_of(covers, place)
        pair_costs(covers, left, seed, costs)
        _plant(young, seed, covers.first)
        while True:
            # equal records cost the group nothing, so as many join as there is room for
            taken = left[place] if left[place] < k - size else k - size
            runs.row[made] = free.row[place]
            runs.group[made] = group
            runs.counts[made] = taken
            made += 1
            size += taken
            left[place] -= taken
            if left[place] == 0:
                costs[place] = TAKEN
                used += 1
            if size == k:
                break
            place = _cheapest(costs)
            _widen(young, covers, place, costs)
            _mix(young, covers, place, costs)
        group += 1
        records -= k
    # fewer than k records are left; the caller decides where they go
    for place in range(len(costs)):
        if left[place] > 0:
            runs.row[made] = free.row[place]
            runs.group[made] = -1
            runs.counts[made] = left[place]
            made += 1
    return made


def grown_to_loss(covers: Covers, counts: Counts, seeds: Counts, limit: int) -> Runs:
    """Groups that start at the first free row of `seeds` and take whole rows, the cheapest first, up to a loss.

    The loss per record of a group is at most `limit`, unless the loss of a single row exceeds it. The time is
    at most proportional to the rows squared times the terms: every row joins once, and each time the costs of all free
    rows are updated and compared.
    """
    group, costs = np.full(len(counts), -1, dtype=np.int32), np.empty(len(counts), dtype=np.int32)
    with labelling(group):
        _grow_to_loss(_free(covers, counts), _young(covers), costs, seeds, limit, group)
    return Runs(np.arange(len(counts)), group, counts)


@compiled
def _grow_to_loss(free: Free, young: Young, costs: Whole, seeds: Counts, limit: int, group_of: Whole) -> None:
    """The loop of `grown_to_loss`; `group_of` is -1 for every row that is still free."""
    covers, left, group, used = free.covers, free.left, 0, 0
    for seed_row in seeds:
        if group_of[seed_row] >= 0:
            continue
        if used > (1 - _CROWDED) * len(costs):
            costs, used = costs[: _clear(free, len(costs))], 0
        # rows have moved, but they are still ascending
        place = np.searchsorted(free.row[: len(costs)], seed_row)
        seed = row_of(covers, place)
        pair_costs(covers, left, seed, costs)
        _plant(young, seed, covers.first)
        while True:
            group_of[free.row[place]] = group
            left[place] = 0
            costs[place] = TAKEN
            used += 1
            place = _cheapest(costs)
            # even the cheapest row exceeds the limit, and costs never fall while a group grows
            if place < 0 or costs[place] > limit:
                break
            _widen(young, covers, place, costs)
            _mix(young, covers, place, costs)
        group += 1
