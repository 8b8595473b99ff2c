"""Takes trees that are too large apart, by a cut or by letting a point between two parts go to one of them.

Where a point goes, what hung on it and stays behind would fall apart. It is held together by the nearest of those that
hung on the point, which takes its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]


class Wood(NamedTuple):
    """All trees: what every record hangs on (-1: nobody), and how many hang on it or on those, itself included."""

    points: Points
    above: Numbers
    size: Counts
    waiting: Counts
    """Scratch: how many of those that hang on a record have not been counted yet."""


@compiled
def felled(points: Points, above: Numbers, k: int) -> Numbers:
    """Labels of the trees after those of more than max(2k - 1, 3k - 5) records were taken apart; none has less than k.

    Every tree must have k records.
    """
    ones = np.ones(len(above), dtype=np.int64)
    wood = Wood(points, above.copy(), ones, ones.copy())
    labels, groups, most = np.empty(len(above), dtype=np.int32), 0, max(2 * k - 1, 3 * k - 5)
    members, stops = _trees(above)
    stack, top = np.empty((len(above) + 1, 2), dtype=np.int64), 0
    start = 0
    for stop in stops:
        stack[top, 0], stack[top, 1] = start, stop
        top, start = top + 1, stop
        while top > 0:
            top -= 1
            begin, end = stack[top, 0], stack[top, 1]
            if end - begin <= most:
                labels[members[begin:end]] = groups
                groups += 1
                continue
            middle = begin + _take_apart(wood, members[begin:end], k)
            stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = begin, middle, middle, end
            top += 2
    return labels


@compiled
def _trees(above: Numbers) -> tuple[Numbers, Counts]:
    """The records tree by tree, each ascending, and where the trees end."""
    n = len(above)
    top = np.arange(n).astype(np.int32)
    for record in range(n):
        while above[top[record]] >= 0:
            top[record] = above[top[record]]
    members = np.argsort(top, kind="mergesort").astype(np.int32)
    ends = [place + 1 for place in range(n) if place + 1 == n or top[members[place]] != top[members[place + 1]]]
    return members, np.array(ends, dtype=np.int64)


@compiled
def _take_apart(wood: Wood, members: Numbers, k: int) -> int:
    """Make two trees of one; its members are sorted by tree then, and the first so many are of the first.

    One looks from some record for the one where all that hangs on it is small enough: from the record furthest from
    the middle always on into the largest part, until at least k - 1 records are not in it.
    """
    at, total = _outermost(wood, members), len(members)
    _hang_on(wood, at)
    _weigh(wood, members)
    part = _largest_part(wood, members, at)
    while total - wood.size[part] < k - 1:
        wood.size[at], wood.size[part] = total - wood.size[part], total
        wood.above[at], wood.above[part] = part, -1
        at = part
        part = _largest_part(wood, members, at)
    inside = wood.size[part]
    if inside >= k and total - inside >= k:
        wood.above[part] = -1
    elif total - inside == k - 1:
        _leave(wood, _all_on(wood, members, part))
    elif inside == k - 1:
        parts = _all_on(wood, members, at)
        _leave(wood, parts[parts != part])
    else:
        _leave(wood, _share(wood, _all_on(wood, members, at), at, k))
    return _sorted_by_tree(wood, members)


@compiled
def _outermost(wood: Wood, members: Numbers) -> int:
    """The member furthest from the mean of all."""
    mean = np.zeros(wood.points.shape[1])
    for record in members:
        mean += wood.points[record]
    mean /= len(members)
    best, found = -1.0, -1
    for record in members:
        distance = squared_distance(wood.points[record], mean)
        if distance > best:
            best, found = distance, record
    return found


@compiled
def _hang_on(wood: Wood, record: int) -> None:
    """Turn the tree so that it hangs on another record."""
    below, at = -1, record
    while at >= 0:
        over = wood.above[at]
        wood.above[at] = below
        below, at = at, over


@compiled
def _weigh(wood: Wood, members: Numbers) -> None:
    """Count how many hang on every member."""
    for record in members:
        wood.size[record], wood.waiting[record] = 1, 0
    for record in members:
        if wood.above[record] >= 0:
            wood.waiting[wood.above[record]] += 1
    for record in members:
        at = record
        while wood.waiting[at] == 0 and wood.above[at] >= 0:
            wood.waiting[at] = -1
            over = wood.above[at]
            wood.size[over] += wood.size[at]
            wood.waiting[over] -= 1
            at = over


@compiled
def _all_on(wood: Wood, members: Numbers, record: int) -> Numbers:
    """Those that hang directly on a record, nearest first."""
    found = members[wood.above[members] == record]
    distances = np.array([squared_distance(wood.points[one], wood.points[record]) for one in found])
    order = np.argsort(distances, kind="mergesort")
    return np.asarray(found[order])


@compiled
def _largest_part(wood: Wood, members: Numbers, record: int) -> int:
    """Which of those that hang directly on a record has most on it; of several the nearest."""
    parts = _all_on(wood, members, record)
    return int(parts[np.argmax(wood.size[parts])])


@compiled
def _share(wood: Wood, parts: Numbers, record: int, k: int) -> Numbers:
    """Which of the parts on a record leave it, so that both sides have k: all but the first k - 1 records and more.

    If the others are only k - 1 they keep the record, and the first leave it.
    """
    first, count = 0, 0
    while count < k - 1:
        count += wood.size[parts[first]]
        first += 1
    others = wood.size[record] - 1 - count
    return parts[:first] if others == k - 1 else parts[first:]


@compiled
def _leave(wood: Wood, parts: Numbers) -> None:
    """Let parts that hang on a record hang on the nearest of them instead, and that on nobody."""
    for part in parts:
        wood.above[part] = parts[0]
    wood.above[parts[0]] = -1


@compiled
def _sorted_by_tree(wood: Wood, members: Numbers) -> int:
    """Bring the members of the first member's tree to the front; how many they are."""
    top = members.copy()
    for place in range(len(members)):
        while wood.above[top[place]] >= 0:
            top[place] = wood.above[top[place]]
    first = top == top[0]
    members[:] = np.concatenate((members[first], members[~first]))
    return int(first.sum())
