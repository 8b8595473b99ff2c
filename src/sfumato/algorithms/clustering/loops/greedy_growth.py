"""Loops of `k_member` and `loukides_shao`: grow groups one after the other from a seed by the cheapest rows.

`costs` holds for each row the loss per record of the current group with that row. A new member changes few terms of the
loss, so the costs are updated only for the terms that changed. Rows without free records are removed from the arrays
from time to time, so that the loops get shorter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.covers import MIXED, Covers
from sfumato.kernels.compiled import compiled

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

TAKEN = np.int32(2**30)
"""The cost of a row without free records; all other costs are lower."""

_CROWDED = 0.75
"""If the fraction of free rows falls below this, the other rows are removed."""


class Runs(NamedTuple):
    """Assignments of records to groups: the row, the group, and how many records of the row."""

    row: Counts
    group: Whole
    counts: Counts


class Young(NamedTuple):
    """The state of the current group; see `Grown`."""

    low: Whole
    high: Whole
    node: Whole
    absent: NDArray[np.uint8]


@compiled
def pair_costs(covers: Covers, left: Counts, seed: Covers, costs: Whole) -> None:
    """The loss per record of a group of the seed row and each other row; TAKEN for rows without free records."""
    whole = np.int32(covers.whole)
    costs[:] = np.int32(covers.base)
    for term in range(len(covers.places)):
        places, place = covers.places[term], seed.places[term, 0]
        for row in range(len(costs)):
            costs[row] += min(whole, abs(places[row] - place))
    for term in range(len(covers.nodes)):
        nodes, node, price = covers.nodes[term], seed.nodes[term, 0], covers.node_price[term]
        for row in range(len(costs)):
            costs[row] += price if nodes[row] != node else np.int32(0)
    for term in range(len(covers.values)):
        values, value, price = covers.values[term], seed.values[term, 0], covers.value_price[term]
        for row in range(len(costs)):
            costs[row] += price if values[row] != value else np.int32(0)
    for row in range(len(costs)):
        if left[row] == 0:
            costs[row] = TAKEN


@compiled
def row_of(covers: Covers, row: int) -> Covers:
    """The covers of a single row."""
    return Covers(
        covers.places[:, row : row + 1].copy(),
        covers.nodes[:, row : row + 1].copy(),
        covers.node_price,
        covers.values[:, row : row + 1].copy(),
        covers.value_price,
        covers.first,
        covers.base,
        covers.whole,
    )


@compiled
def _planted(seed: Covers) -> Young:
    absent = np.ones(seed.first[-1], dtype=np.uint8)
    for term in range(len(seed.values)):
        absent[seed.first[term] + seed.values[term, 0]] = 0
    return Young(seed.places[:, 0].copy(), seed.places[:, 0].copy(), seed.nodes[:, 0].copy(), absent)


@compiled
def _widen(young: Young, covers: Covers, row: int, costs: Whole) -> None:
    """Add the numbers of a row to the group, and update the costs of all rows."""
    whole = np.int32(covers.whole)
    for term in range(len(covers.places)):
        places, low, high = covers.places[term], young.low[term], young.high[term]
        new_low, new_high = min(low, places[row]), max(high, places[row])
        if new_low == low and new_high == high:
            continue
        young.low[term], young.high[term] = new_low, new_high
        for other in range(len(costs)):
            place = places[other]
            costs[other] += min(whole, max(new_high, place) - min(new_low, place)) - min(
                whole, max(high, place) - min(low, place)
            )


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
        if young.absent[covers.first[term] + value]:
            young.absent[covers.first[term] + value] = 0
            for other in range(len(costs)):
                costs[other] += price if values[other] != value else np.int32(0)


@compiled
def _cheapest(costs: Whole) -> int:
    """The first row with the lowest cost; -1 if all are taken."""
    least = TAKEN
    for row in range(len(costs)):
        least = min(least, costs[row])
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
        most = max(most, costs[row] if costs[row] < TAKEN else np.int32(-1))
    if most < 0:
        return -1
    row = 0
    while costs[row] != most:
        row += 1
    return row


@compiled
def _cleared(covers: Covers, row: Counts, left: Counts) -> tuple[Covers, Counts, Counts]:
    """The rows with free records, in their order."""
    keep = np.flatnonzero(left)
    kept = Covers(
        covers.places[:, keep],
        covers.nodes[:, keep],
        covers.node_price,
        covers.values[:, keep],
        covers.value_price,
        covers.first,
        covers.base,
        covers.whole,
    )
    return kept, row[keep], left[keep]


@compiled
def grown_to_size(covers: Covers, counts: Counts, k: int, first: int) -> Runs:
    """Groups of k records for k-member: each starts at the row furthest from the last seed and takes the cheapest rows.

    Records of a row join together while there is room. Fewer than k records remain; these are runs of group -1. `first`
    is the row from which the distance of the first seed is measured.
    """
    row, left, costs = np.arange(len(counts)), counts.copy(), np.empty(len(counts), dtype=np.int32)
    most = len(counts) + counts.sum() // k + k
    runs = Runs(np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64))
    seed, made, group, free, used = row_of(covers, first), 0, 0, counts.sum(), 0
    while free >= k:
        if used > (1 - _CROWDED) * len(row):
            covers, row, left = _cleared(covers, row, left)
            costs, used = costs[: len(row)], 0
        pair_costs(covers, left, seed, costs)
        place, size = _dearest(costs), 0
        seed = row_of(covers, place)
        pair_costs(covers, left, seed, costs)
        young = _planted(seed)
        while True:
            taken = min(int(left[place]), k - size)
            runs.row[made], runs.group[made], runs.counts[made] = row[place], group, taken
            made, size, left[place] = made + 1, size + taken, left[place] - taken
            if left[place] == 0:
                costs[place] = TAKEN
                used += 1
            if size == k:
                break
            place = _cheapest(costs)
            _widen(young, covers, place, costs)
            _mix(young, covers, place, costs)
        group, free = group + 1, free - k
    for rest in np.flatnonzero(left):
        runs.row[made], runs.group[made], runs.counts[made] = row[rest], -1, left[rest]
        made += 1
    return Runs(runs.row[:made], runs.group[:made], runs.counts[:made])


@compiled
def grown_to_loss(covers: Covers, counts: Counts, seeds: Counts, limit: int) -> Runs:
    """Groups that start at the first free row of `seeds` and take whole rows, the cheapest first, up to a loss.

    The loss per record of a group is at most `limit`, unless the loss of a single row exceeds it.
    """
    row, left, costs = np.arange(len(counts)), counts.copy(), np.empty(len(counts), dtype=np.int32)
    group_of, group, used = np.full(len(counts), -1, dtype=np.int32), 0, 0
    for seed_row in seeds:
        if group_of[seed_row] >= 0:
            continue
        if used > (1 - _CROWDED) * len(row):
            covers, row, left = _cleared(covers, row, left)
            costs, used = costs[: len(row)], 0
        place = np.searchsorted(row, seed_row)
        seed = row_of(covers, place)
        pair_costs(covers, left, seed, costs)
        young = _planted(seed)
        while True:
            group_of[row[place]], left[place], costs[place], used = group, 0, TAKEN, used + 1
            place = _cheapest(costs)
            if place < 0 or costs[place] > limit:
                break
            _widen(young, covers, place, costs)
            _mix(young, covers, place, costs)
        group += 1
    return Runs(np.arange(len(counts)), group_of, counts)
