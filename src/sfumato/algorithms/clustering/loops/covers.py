"""What groups of rows lose by being covered: ranges around numbers, sets of categories, nodes over them.

All losses are whole numbers, so that they add up to the same in whatever order, and rows that cost the same are told
from each other by their place alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

MIXED = -1
"""In place of a node: the group's values lie under several."""

FAR = 2**30
"""Beyond every place."""


class Covers(NamedTuple):
    """Rows as what their cover costs, one array of all rows for every term of the loss.

    Number term r: a group is charged the width between its outermost `places[r]`, at most `whole`. Node term m: it is
    charged `node_price[m]` unless all of its `nodes[m]` are the same. Set term s: it is charged `value_price[s]` for
    every one of its different `values[s]` but the first; `first[s]` is where the values of a term begin when those of
    all terms are numbered through, and the last entry says how many there are. `base` is charged whatever the group.
    """

    places: Whole
    nodes: Whole
    node_price: Whole
    values: Whole
    value_price: Whole
    first: Counts
    base: int
    whole: int


class Grown(NamedTuple):
    """Groups as far as they have grown, one array of all groups for every term of the loss.

    `low` and `high` are the outermost places, `node` the node that all have in common or MIXED, `absent[value]` whether
    the value would be new to the group; `settled` is what the group is charged for its nodes and sets, `size` how many
    records it has.
    """

    low: Whole
    high: Whole
    node: Whole
    absent: NDArray[np.uint8]
    settled: Whole
    size: Counts


def nothing_grown(covers: Covers, groups: int) -> Grown:
    """So many groups without a record."""
    return Grown(
        low=np.full((len(covers.places), groups), FAR, dtype=np.int32),
        high=np.full((len(covers.places), groups), -FAR, dtype=np.int32),
        node=np.full((len(covers.nodes), groups), MIXED, dtype=np.int32),
        absent=np.ones((int(covers.first[-1]), groups), dtype=np.uint8),
        settled=np.full(groups, covers.base - covers.value_price.sum(), dtype=np.int32),
        size=np.zeros(groups, dtype=np.int64),
    )


def most_loss(covers: Covers) -> int:
    """What a group of all values there are is charged for each of its records."""
    more = np.diff(covers.first) - 1
    nodes, sets = int(covers.node_price.sum()), int(covers.value_price @ more)
    return covers.base + len(covers.places) * covers.whole + nodes + sets


@compiled
def losses_with(covers: Covers, grown: Grown, row: int, losses: Whole) -> None:
    """What every group would be charged for each of its records if the row joined it."""
    losses[:] = grown.settled
    whole = np.int32(covers.whole)
    for term in range(len(covers.places)):
        place, low, high = covers.places[term, row], grown.low[term], grown.high[term]
        for group in range(len(losses)):
            losses[group] += min(whole, max(high[group], place) - min(low[group], place))
    for term in range(len(covers.nodes)):
        node, price, shared = covers.nodes[term, row], covers.node_price[term], grown.node[term]
        for group in range(len(losses)):
            losses[group] += price if (shared[group] != node) & (shared[group] != MIXED) else np.int32(0)
    for term in range(len(covers.values)):
        price, absent = covers.value_price[term], grown.absent[covers.first[term] + covers.values[term, row]]
        for group in range(len(losses)):
            losses[group] += price * np.int32(absent[group])


@compiled
def loss_of(covers: Covers, grown: Grown, group: int) -> int:
    """What a group that has a record is charged for each of its records."""
    loss = int(grown.settled[group])
    for term in range(len(covers.places)):
        loss += min(covers.whole, grown.high[term, group] - grown.low[term, group])
    return loss


@compiled
def join(covers: Covers, grown: Grown, row: int, group: int, records: int) -> None:
    """Let records of a row join a group."""
    for term in range(len(covers.places)):
        grown.low[term, group] = min(grown.low[term, group], covers.places[term, row])
        grown.high[term, group] = max(grown.high[term, group], covers.places[term, row])
    for term in range(len(covers.nodes)):
        if grown.size[group] == 0:
            grown.node[term, group] = covers.nodes[term, row]
        elif (grown.node[term, group] != MIXED) & (grown.node[term, group] != covers.nodes[term, row]):
            grown.node[term, group] = MIXED
            grown.settled[group] += covers.node_price[term]
    for term in range(len(covers.values)):
        value = covers.first[term] + covers.values[term, row]
        if grown.absent[value, group]:
            grown.absent[value, group] = 0
            grown.settled[group] += covers.value_price[term]
    grown.size[group] += records


@compiled
def least_group(covers: Covers, grown: Grown, row: int, limit: int, losses: Whole) -> int:
    """The group of fewer than `limit` records whose loss grows least when a record of the row joins it; -1 if none.

    `losses` is room for one number a group.
    """
    losses_with(covers, grown, row, losses)
    best, least = -1, np.int64(0)
    for group in range(len(losses)):
        size = grown.size[group]
        if size >= limit:
            continue
        increase = (size + 1) * np.int64(losses[group])
        if size:
            increase -= size * loss_of(covers, grown, group)
        if best < 0 or increase < least:
            best, least = group, increase
    return best


@compiled
def join_runs(covers: Covers, grown: Grown, rows: Counts, groups: Whole, counts: Counts) -> None:
    """Let runs of records join the groups they belong to."""
    for run in range(len(rows)):
        join(covers, grown, rows[run], groups[run], counts[run])


@compiled
def join_least(covers: Covers, grown: Grown, rows: Counts, counts: Counts) -> Whole:
    """Let runs of records, one after the other, join whichever group then loses least by it; says which.

    Records that are alike stay together: after the first has joined a group, it costs least there all the more.
    """
    chosen = np.empty(len(rows), dtype=np.int32)
    losses = np.empty(len(grown.size), dtype=np.int32)
    for run in range(len(rows)):
        chosen[run] = least_group(covers, grown, rows[run], np.iinfo(np.int64).max, losses)
        join(covers, grown, rows[run], chosen[run], counts[run])
    return chosen
