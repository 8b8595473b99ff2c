"""Groups are joined two by two where that costs least in squared distances, until none is too small.

Joining two groups never brings the result nearer to a third than the nearer of the two was (Ward's cost is reducible).
So the price of a group's cheapest partner, once found, stays a lower bound, and a group is looked at again only when
its bound is the lowest of all and its partner has changed. Only groups that are still too small look for a partner.
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
    """Groups by their number; one that has joined another is in `alive` no more."""

    alive: Numbers
    """The first so many are the groups that there still are, ascending."""
    centres: Points
    sizes: NDArray[np.int64]
    partner: Numbers
    """The cheapest group to join, as far as was looked."""
    price: Points
    changes: NDArray[np.int64]
    """How often a group has changed, -1 if it is gone."""
    seen: NDArray[np.int64]
    """How often its partner had changed when it was looked at."""


@compiled
def ward_merged(points: Points, labels: Numbers, k: int) -> Numbers:
    """Join groups until each has k records, never two that both have; labels then number what there was before.

    The cheapest pair comes first, of several that of the smallest number too small, then that of its lowest partner.
    The joined group keeps the lower number. There must be k records.
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
    """The groups as they are given, and how many of them are too small."""
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
    """The small group whose bound is lowest."""
    best, found = np.inf, -1
    for place in range(count):
        group = at.alive[place]
        if at.sizes[group] < k and (found < 0 or at.price[group] < best):
            best, found = at.price[group], group
    return found


@compiled
def _look(at: Merging, count: int, group: int) -> None:
    """Find the partner that is cheapest now."""
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
    """Let the higher group join the lower; how many groups there are then."""
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
