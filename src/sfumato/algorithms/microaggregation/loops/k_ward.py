"""The compiled loop of k-Ward: merges the two groups whose squared error grows least, until no group is too small.

Ward's cost is reducible: a merged group is never nearer to a third group than the nearer of its two parts was. The cost
of the cheapest partner of a group therefore stays a lower bound. The partner is searched again only when this bound is
the lowest of all and the partner has changed. Only groups that are still too small look for a partner. Each step costs
O(groups) for the scan of the bounds, and O(groups * columns) if it searches a partner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Merging(NamedTuple):
    """The state of the groups by their number; a group that was merged into another is no longer in `alive`."""

    alive: Numbers
    """The numbers of the remaining groups, ascending; only the first `count` entries are in use."""
    centres: Points
    """Group: the mean of its records."""
    sizes: NDArray[np.int64]
    """Group: the number of its records."""
    partner: Numbers
    """Group: the cheapest group to merge with when it was last searched; -1 if it must be searched."""
    price: Points
    """Group: the cost of that merge, a lower bound of the cheapest merge now."""
    changes: NDArray[np.int64]
    """Group: the number of merges it has taken part in; -1 if it was merged into another."""
    seen: NDArray[np.int64]
    """Group: the number of changes of its partner when it was searched; the partner is outdated if that differs."""

    def __repr__(self) -> str:
        return sizes_only(self)


@compiled
def merge_by_ward(points: Points, labels: Numbers, k: int) -> Numbers:
    """Merge groups until each has k records, but never two that both have k; labels keep the old numbers, with gaps.

    The cheapest pair is merged first; of several the pair of the lowest small group, then that of its lowest partner.
    The merged group keeps the lower number. There must be k records.
    """
    state, small = _initial_state(points, labels, k)
    count, merged_into = len(state.alive), np.arange(len(state.sizes)).astype(np.int32)
    while small > 0 and count > 1:
        group = _cheapest(state, count, k)
        other = state.partner[group]
        # the bound of this group is not exact any more: search its partner and compare again
        if other < 0 or state.changes[other] != state.seen[group]:
            _find_partner(state, count, group)
            continue
        # no bound is below this price, so it is the cheapest merge of all that involve a small group
        low, high = min(group, other), max(group, other)
        small -= int(state.sizes[low] < k) + int(state.sizes[high] < k)
        count = _merge(state, count, low, high)
        small += int(state.sizes[low] < k)
        merged_into[high] = low
    # the number in `merged_into` is never above that of the group, so in ascending order it is already the final one
    for group in range(len(merged_into)):
        merged_into[group] = merged_into[merged_into[group]]
    return merged_into[labels]


@compiled
def _initial_state(points: Points, labels: Numbers, k: int) -> tuple[Merging, int]:
    """The state for the given groups, and the number of groups that are too small."""
    groups = labels.max() + 1
    centres, sizes = np.zeros((groups, points.shape[1])), np.zeros(groups, dtype=np.int64)
    for record in range(len(points)):
        group = labels[record]
        sizes[group] += 1
        # running means
        centres[group] += (points[record] - centres[group]) / sizes[group]
    no_partner, no_changes = np.full(groups, -1, dtype=np.int32), np.zeros(groups, dtype=np.int64)
    alive = np.arange(groups).astype(np.int32)
    return Merging(alive, centres, sizes, no_partner, np.zeros(groups), no_changes, no_changes.copy()), int(
        (sizes < k).sum()
    )


@compiled
def _cheapest(state: Merging, count: int, k: int) -> int:
    """The small group with the lowest bound."""
    best, found = np.inf, -1
    for place in range(count):
        group = state.alive[place]
        if state.sizes[group] < k and (found < 0 or state.price[group] < best):
            best, found = state.price[group], group
    return found


@compiled
def _find_partner(state: Merging, count: int, group: int) -> None:
    """Find the cheapest partner of a group among all groups."""
    best, found = np.inf, -1
    size, centre = state.sizes[group], state.centres[group]
    for place in range(count):
        other = state.alive[place]
        if other == group:
            continue
        # the growth of the squared error when two groups are merged
        share = size * state.sizes[other] / (size + state.sizes[other])
        price = share * squared_distance(centre, state.centres[other])
        if found < 0 or price < best:
            best, found = price, other
    state.partner[group], state.price[group], state.seen[group] = found, best, state.changes[found]


@compiled
def _merge(state: Merging, count: int, low: int, high: int) -> int:
    """Merge the higher group into the lower; returns the number of groups that remain."""
    total = state.sizes[low] + state.sizes[high]
    state.centres[low] += (state.centres[high] - state.centres[low]) * (state.sizes[high] / total)
    state.sizes[low] = total
    # groups that have one of the two as partner notice the change by this number
    state.changes[low] += 1
    state.changes[high] = -1
    # `price[low]` stays a lower bound: if both groups are small, it equals the price of this merge, and by
    # reducibility no merge of the new group is cheaper
    state.partner[low] = -1
    # remove the higher group and keep the order of the others
    kept = 0
    for place in range(count):
        if state.alive[place] != high:
            state.alive[kept] = state.alive[place]
            kept += 1
    return kept
