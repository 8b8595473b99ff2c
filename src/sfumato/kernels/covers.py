"""The cover loss of groups: ranges of numbers, sets of categories, and taxonomy nodes.

Clustering grows groups by it, local search improves groups by it, and republishing adds records by it. The state has
one array over all groups for each term of the loss, so that the loss of a row with each group is a sum of loops over
contiguous arrays: O(groups * terms) per row. All losses are integers, so sums do not depend on their order, and ties
are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

MIXED = -1
"""In place of a node: the group has different nodes."""

FAR = 2**30
"""Greater than all places."""

TAKEN = np.int32(2**30)
"""The cost of a row without free records; all other costs are lower.

The loops go on adding to it while the group grows, because a loop without branches is faster. What they add is never
negative, and together it is at most `most_loss`, which is at most 2^29 (see `algorithms/clustering/covers.py`). So such
a cost stays between `TAKEN` and 2^30 + 2^29, which fits 32 bits, and the cost of a free row stays below `TAKEN`.
"""

NO_LIMIT = 2**63 - 1
"""More records than a group can have."""


class Covers(NamedTuple):
    """Rows as terms of their cover loss, with one array over all rows for each term.

    Number term r: a group loses the width of its range of `places[r]`, at most `whole`. Node term m: it loses
    `node_price[m]` unless all its `nodes[m]` are equal. Set term s: it loses `value_price[s]` for each distinct value
    of its `values[s]` except the first. `first[s]` is the number of the first value of term s if the values of all
    terms are numbered consecutively; the last entry is the total. Each group loses `base`.
    """

    places: Whole
    nodes: Whole
    node_price: Whole
    values: Whole
    value_price: Whole
    first: Counts
    base: int
    whole: int


class Seed(NamedTuple):
    """A copy of one row of `Covers`: an entry per term. The row itself may be removed while its copy is in use."""

    places: Whole
    nodes: Whole
    values: Whole


class GroupCovers(NamedTuple):
    """The current state of groups, with one array over all groups for each term; updated in place."""

    low: Whole
    """The lower end of the range of each number term; FAR for an empty group."""
    high: Whole
    """The upper end of the range; -FAR for an empty group."""
    node: Whole
    """The common node of all records for each node term, or MIXED (also for an empty group)."""
    absent: NDArray[np.uint8]
    """Value, group: 1 while no record of the group has the value, for the values of all set terms."""
    category_loss: Whole
    """The loss per record by nodes and sets, and `base`; ranges are not included."""
    size: Counts
    """The number of records."""


def empty_group_covers(covers: Covers, groups: int) -> GroupCovers:
    """The state of empty groups.

    The loss by sets starts below zero, because the first value of each set term is free and `join` charges every new
    value.
    """
    return GroupCovers(
        low=np.full((len(covers.places), groups), FAR, dtype=np.int32),
        high=np.full((len(covers.places), groups), -FAR, dtype=np.int32),
        node=np.full((len(covers.nodes), groups), MIXED, dtype=np.int32),
        absent=np.ones((int(covers.first[-1]), groups), dtype=np.uint8),
        category_loss=np.full(groups, covers.base - covers.value_price.sum(), dtype=np.int32),
        size=np.zeros(groups, dtype=np.int64),
    )


def most_loss(covers: Covers) -> int:
    """The loss per record of a group with all values."""
    more = np.diff(covers.first) - 1
    nodes, sets = int(covers.node_price.sum()), int(covers.value_price @ more)
    return covers.base + len(covers.places) * covers.whole + nodes + sets


@compiled
def losses_with(covers: Covers, grown: GroupCovers, row: int, losses: Whole) -> None:
    """The loss per record of each group if the row joined it."""
    whole = covers.whole
    # nodes and sets so far; the terms below add what the row changes, and the whole of every range
    for group in range(len(losses)):
        losses[group] = grown.category_loss[group]
    for term in range(len(covers.places)):
        place, low, high = covers.places[term, row], grown.low[term], grown.high[term]
        for group in range(len(losses)):
            upper = high[group] if high[group] > place else place
            lower = low[group] if low[group] < place else place
            losses[group] += upper - lower if upper - lower < whole else whole
    for term in range(len(covers.nodes)):
        node, price, shared = covers.nodes[term, row], covers.node_price[term], grown.node[term]
        for group in range(len(losses)):
            # an empty group is MIXED as well and is not charged, because its first record sets the node
            losses[group] += price if (shared[group] != node) & (shared[group] != MIXED) else np.int32(0)
    for term in range(len(covers.values)):
        price, absent = covers.value_price[term], grown.absent[covers.first[term] + covers.values[term, row]]
        for group in range(len(losses)):
            losses[group] += price * np.int32(absent[group])


@compiled
def loss_of(covers: Covers, grown: GroupCovers, group: int) -> int:
    """The loss per record of a group that has a record."""
    loss = int(grown.category_loss[group])
    for term in range(len(covers.places)):
        width = grown.high[term, group] - grown.low[term, group]
        loss += width if width < covers.whole else covers.whole
    return loss


@compiled
def join(covers: Covers, grown: GroupCovers, row: int, group: int, records: int) -> None:
    """Add records of a row to a group."""
    for term in range(len(covers.places)):
        place = covers.places[term, row]
        if place < grown.low[term, group]:
            grown.low[term, group] = place
        if place > grown.high[term, group]:
            grown.high[term, group] = place
    for term in range(len(covers.nodes)):
        # the first record sets the node; the first record with another node makes the term lose its price, once
        if grown.size[group] == 0:
            grown.node[term, group] = covers.nodes[term, row]
        elif (grown.node[term, group] != MIXED) & (grown.node[term, group] != covers.nodes[term, row]):
            grown.node[term, group] = MIXED
            grown.category_loss[group] += covers.node_price[term]
    for term in range(len(covers.values)):
        value = covers.first[term] + covers.values[term, row]
        # each new value of a set costs its price; the first one was paid in advance
        if grown.absent[value, group]:
            grown.absent[value, group] = 0
            grown.category_loss[group] += covers.value_price[term]
    grown.size[group] += records


@compiled
def least_group(covers: Covers, grown: GroupCovers, row: int, limit: int, losses: Whole) -> int:
    """The group with fewer than `limit` records whose loss increases least with a record of the row; -1 if none.

    The loss of a group is its loss per record times its size. `losses` is scratch memory with an entry per group.
    """
    losses_with(covers, grown, row, losses)
    best, least = -1, np.int64(0)
    for group in range(len(losses)):
        size = grown.size[group]
        if size >= limit:
            continue
        # loss per record times size, after and before
        increase = (size + 1) * np.int64(losses[group])
        # an empty group has no range yet, so its width would be negative
        if size:
            increase -= size * loss_of(covers, grown, group)
        if best < 0 or increase < least:
            best, least = group, increase
    return best


@compiled
def join_runs(covers: Covers, grown: GroupCovers, rows: Counts, groups: Whole, counts: Counts) -> None:
    """Add runs of records to their groups."""
    for run in range(len(rows)):
        join(covers, grown, rows[run], groups[run], counts[run])


@compiled
def join_least(covers: Covers, grown: GroupCovers, rows: Counts, counts: Counts) -> Whole:
    """Let runs of records, one after the other, join the group whose loss increases least; return the groups.

    All records of a run join the same group: after the first one joined, this group is even cheaper for the others.
    """
    chosen = np.empty(len(rows), dtype=np.int32)
    losses = np.empty(len(grown.size), dtype=np.int32)
    for run in range(len(rows)):
        chosen[run] = least_group(covers, grown, rows[run], NO_LIMIT, losses)
        join(covers, grown, rows[run], chosen[run], counts[run])
    return chosen


@compiled
def pair_costs(covers: Covers, left: Counts, seed: Seed, costs: Whole) -> None:
    """The loss per record of a group of the seed row and each other row; TAKEN for rows without free records.

    `costs` has an entry per row, and may be shorter than the arrays of `covers` if only the first rows are in use.
    """
    base, whole = np.int32(covers.base), np.int32(covers.whole)
    for row in range(len(costs)):
        costs[row] = base
    for term in range(len(covers.places)):
        places, place = covers.places[term], seed.places[term]
        for row in range(len(costs)):
            apart = np.int32(places[row] - place if places[row] > place else place - places[row])
            costs[row] += apart if apart < whole else whole
    for term in range(len(covers.nodes)):
        nodes, node, price = covers.nodes[term], seed.nodes[term], covers.node_price[term]
        for row in range(len(costs)):
            costs[row] += price if nodes[row] != node else np.int32(0)
    for term in range(len(covers.values)):
        values, value, price = covers.values[term], seed.values[term], covers.value_price[term]
        for row in range(len(costs)):
            costs[row] += price if values[row] != value else np.int32(0)
    for row in range(len(costs)):
        if left[row] == 0:
            costs[row] = TAKEN


@compiled
def row_of(covers: Covers, row: int) -> Seed:
    """A copy of a single row."""
    places = np.empty(len(covers.places), dtype=np.int32)
    nodes = np.empty(len(covers.nodes), dtype=np.int32)
    values = np.empty(len(covers.values), dtype=np.int32)
    for term in range(len(places)):
        places[term] = covers.places[term, row]
    for term in range(len(nodes)):
        nodes[term] = covers.nodes[term, row]
    for term in range(len(values)):
        values[term] = covers.values[term, row]
    return Seed(places, nodes, values)
