"""The compiled loop of k-Ward: merges the two groups whose squared error grows least, until no group is too small.

Ward's cost is reducible: a merged group is never nearer to a third group than the nearer of its two parts was. The cost
of the cheapest partner of a group therefore stays a lower bound. The partner is searched again only when this bound is
the lowest of all and the partner has changed. Only groups that are still too small look for a partner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Merging(NamedTuple):
    """The groups by their number; a group that was merged into another is no longer in `alive`."""

    alive: Numbers
    """The numbers of the remaining groups, ascending; only the first `count` entries are in use."""
    centres: Points
    sizes: NDArray[np.int64]
    partner: Numbers
    """The cheapest group to merge with when it was last searched."""
    price: Points
    changes: NDArray[np.int64]
    """The number of changes of a group; -1 if it was merged into another."""
    seen: NDArray[np.int64]
    """The number of changes of the partner when it was searched."""


@compiled
def ward_merged(points: Points, labels: Numbers, k: int) -> Numbers:
    """Merge groups until each has k records, but never two that both have k; labels keep the old numbers, with gaps.

    The cheapest pair is merged first; of several the pair of the lowest small group, then that of its lowest partner.
    The merged group keeps the lower number. There must be k records.
    """
    at, small = _begun(points, labels, k)
    count, joined = len(at.alive), np.arange(len(at.sizes)).astype(np.int32)
    while small > 0 and count > 1:
        group = _cheapest(at, count, k)
        other = at.partner[group]
        if other < 0 or at.changes[other] != at.seen[group]:
            _look(at, count, group)
            continue
        low, high = min(group, other), max(group, other)
        small -= int(at.sizes[low] < k) + int(at.sizes[high] < k)
        count = _join(at, count, low, high)
        small += int(at.sizes[low] < k)
        joined[high] = low
    for group in range(len(joined)):
        joined[group] = joined[joined[group]]
    return joined[labels]


@compiled
def _begun(points: Points, labels: Numbers, k: int) -> tuple[Merging, int]:
    """The state for the given groups, and the number of groups that are too small."""
    groups = labels.max() + 1
    centres, sizes = np.zeros((groups, points.shape[1])), np.zeros(groups, dtype=np.int64)
    for record in range(len(points)):
        group = labels[record]
        sizes[group] += 1
        centres[group] += (points[record] - centres[group]) / sizes[group]
    nobody, never = np.full(groups, -1, dtype=np.int32), np.zeros(groups, dtype=np.int64)
    alive = np.arange(groups).astype(np.int32)
    return Merging(alive, centres, sizes, nobody, np.zeros(groups), never, never.copy()), int((sizes < k).sum())


@compiled
def _cheapest(at: Merging, count: int, k: int) -> int:
    """The small group with the lowest bound."""
    best, found = np.inf, -1
    for place in range(count):
        group = at.alive[place]
        if at.sizes[group] < k and (found < 0 or at.price[group] < best):
            best, found = at.price[group], group
    return found


@compiled
def _look(at: Merging, count: int, group: int) -> None:
    """Find the cheapest partner of a group."""
    best, found = np.inf, -1
    size, centre = at.sizes[group], at.centres[group]
    for place in range(count):
        other = at.alive[place]
        if other == group:
            continue
        share = size * at.sizes[other] / (size + at.sizes[other])
        price = share * squared_distance(centre, at.centres[other])
        if found < 0 or price < best:
            best, found = price, other
    at.partner[group], at.price[group], at.seen[group] = found, best, at.changes[found]


@compiled
def _join(at: Merging, count: int, low: int, high: int) -> int:
    """Merge the higher group into the lower; returns the number of groups that remain."""
    total = at.sizes[low] + at.sizes[high]
    at.centres[low] += (at.centres[high] - at.centres[low]) * (at.sizes[high] / total)
    at.sizes[low] = total
    at.changes[low] += 1
    at.changes[high] = -1
    at.partner[low] = -1
    kept = 0
    for place in range(count):
        if at.alive[place] != high:
            at.alive[kept] = at.alive[place]
            kept += 1
    return kept
