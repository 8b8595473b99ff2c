"""Loops of `group_repair`: merge each failing group with the group whose loss increases least.

The state is that of `covers`: ranges, nodes and sets of every group, with empty groups for those that were merged. A
merge costs O(groups * terms), and O(groups) for each value that the failing group has in a set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled
from sfumato.kernels.covers import MIXED, Covers, GroupCovers, loss_of

Whole = NDArray[np.int32]


@compiled
def losses_if_merged(covers: Covers, grown: GroupCovers, group: int, losses: Whole) -> None:
    """The loss per record of each group if it merged with `group`."""
    # nodes and sets of the other group; the terms below add what `group` adds to it, and the whole of every range
    losses[:] = grown.category_loss
    whole = np.int32(covers.whole)
    for term in range(len(covers.places)):
        low, high = grown.low[term], grown.high[term]
        own_low, own_high = low[group], high[group]
        for other in range(len(losses)):
            losses[other] += min(whole, max(high[other], own_high) - min(low[other], own_low))
    for term in range(len(covers.nodes)):
        shared, price = grown.node[term], covers.node_price[term]
        own = shared[group]
        for other in range(len(losses)):
            # a mixed group is charged already; if `own` is MIXED, every group that is not mixed is charged
            mixes = (shared[other] != MIXED) & (shared[other] != own)
            losses[other] += price if mixes else np.int32(0)
    for term in range(len(covers.values)):
        price = covers.value_price[term]
        for value in range(covers.first[term], covers.first[term + 1]):
            absent = grown.absent[value]
            # a value of `group` is charged to every group that lacks it
            if not absent[group]:
                for other in range(len(losses)):
                    losses[other] += price * np.int32(absent[other])


@compiled
def _partner(covers: Covers, grown: GroupCovers, group: int, losses: Whole) -> int:
    """The nonempty group whose loss increases least in a merger with this one; -1 if there is no other."""
    losses_if_merged(covers, grown, group, losses)
    size = grown.size[group]
    best, least = -1, np.int64(0)
    for other in range(len(losses)):
        if other == group or grown.size[other] == 0:
            continue
        # the loss that `group` has now is the same for every partner, so it is left out of the comparison
        together = (size + grown.size[other]) * np.int64(losses[other])
        increase = together - grown.size[other] * loss_of(covers, grown, other)
        if best < 0 or increase < least:
            best, least = other, increase
    return best


@compiled
def _absorb(covers: Covers, grown: GroupCovers, group: int, other: int) -> None:
    """Move all records of a group to another one."""
    for term in range(len(covers.places)):
        grown.low[term, other] = min(grown.low[term, other], grown.low[term, group])
        grown.high[term, other] = max(grown.high[term, other], grown.high[term, group])
    for term in range(len(covers.nodes)):
        if (grown.node[term, other] != MIXED) & (grown.node[term, other] != grown.node[term, group]):
            grown.node[term, other] = MIXED
            grown.category_loss[other] += covers.node_price[term]
    for term in range(len(covers.values)):
        for value in range(covers.first[term], covers.first[term + 1]):
            # the other group lacks the value and this one has it
            if grown.absent[value, other] > grown.absent[value, group]:
                grown.absent[value, other] = 0
                grown.category_loss[other] += covers.value_price[term]
    grown.size[other] += grown.size[group]
    grown.size[group] = 0


@compiled
def merge_failing(covers: Covers, grown: GroupCovers, failing: Flags) -> Whole:
    """Merge each failing group, in order, with the cheapest other group; return the new group of each group.

    A failing group that another one joined has changed, so it is not merged before the model judges it again.
    """
    groups = len(grown.size)
    merged_into, losses = np.arange(groups).astype(np.int32), np.empty(groups, dtype=np.int32)
    changed = np.zeros(groups, dtype=np.bool_)
    for group in range(groups):
        if not failing[group] or changed[group]:
            continue
        other = _partner(covers, grown, group, losses)
        # no other group is left to merge with
        if other < 0:
            break
        _absorb(covers, grown, group, other)
        merged_into[group], changed[other] = other, True
    for group in range(groups):
        # follow the merges to the group that remains
        end = merged_into[group]
        while merged_into[end] != end:
            end = merged_into[end]
        merged_into[group] = end
    return merged_into
