"""Compiled loops of mu-Approx: grow trees of at least k points, and split the trees that are too large.

A tree is an array of parents. `grow_forest` links every small tree to the nearest point outside it. `split_trees` cuts
an edge, or moves a point between two parts to one of them. Where a point moves away from its children, the nearest of
them takes its place as the parent of the others, so that they stay one tree. Both loops change the parents in place, so
that no tree is copied. Growing costs O(n * columns) per link, so O(n^2 * columns) in total. Splitting a tree in two
costs O(members * columns) for the start and a pass over the members for each step of the search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.farthest_point import squared_distance
from sfumato.kernels.neighbours.nearest_centroid import distance_below
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]


class Forest(NamedTuple):
    """All trees: the parent of every record (-1: none), and the size of the subtree below it, itself included."""

    points: Points
    above: Numbers
    size: Counts
    waiting: Counts
    """Scratch space: the number of children of a record that are not yet counted."""

    def __repr__(self) -> str:
        return sizes_only(self)


@compiled
def grow_forest(points: Points, k: int, order: Numbers) -> Numbers:
    """The parent of every record, -1 for a root; every tree has at least k records, if there are that many.

    At first every record is a tree. The roots of trees that are too small are in a queue, at first in the given order.
    The first root is linked to the nearest record of another tree, and the root of that tree goes to the end of the
    queue if the tree is still too small.
    """
    # `size` is valid for roots, `top` is a union-find structure of the trees, and queue[first:last] are roots still to
    # be checked
    n = len(points)
    above, size = np.full(n, -1, dtype=np.int32), np.ones(n, dtype=np.int64)
    top = np.arange(n).astype(np.int32)
    queue, first, last = np.empty(2 * n, dtype=np.int32), 0, n
    queue[:n] = order
    while first < last:
        record = queue[first]
        first += 1
        # already linked, large enough, or the only tree that is left
        if above[record] >= 0 or size[record] >= k or size[record] == n:
            continue
        near = _nearest_outside(points, top, record)
        above[record] = near
        other = top_of(top, near)
        # only roots are linked, so `top` of a root and `above` of a root change together;
        # `size` of the old root is no longer valid
        top[record] = other
        size[other] += size[record]
        if size[other] < k:
            queue[last] = other
            last += 1
    return above


@compiled
def top_of(top: Numbers, record: int) -> int:
    """The root of the tree of a record; every search shortens the path to it (path halving)."""
    while top[record] != record:
        top[record] = top[top[record]]
        record = top[record]
    return record


@compiled
def _nearest_outside(points: Points, top: Numbers, record: int) -> int:
    """The nearest record of another tree; of several the one with the lowest number."""
    best, found = np.inf, -1
    for other in range(len(points)):
        distance = distance_below(points[record], points[other], best)
        # the root is looked up only for a nearer record, because most records are farther than the best so far
        if distance < best and top_of(top, other) != record:
            best, found = distance, other
    return found


@compiled
def split_trees(points: Points, above: Numbers, k: int) -> Numbers:
    """Labels of the trees after those of more than max(2k - 1, 3k - 5) records are split; every part has at least k.

    Every tree must have at least k records. `members` has the records tree by tree; a stack has the ranges of it that
    are still to be checked.
    """
    ones = np.ones(len(above), dtype=np.int64)
    forest = Forest(points, above.copy(), ones, ones.copy())
    labels, groups, most = np.empty(len(above), dtype=np.int32), 0, max(2 * k - 1, 3 * k - 5)
    members, stops = _trees(above)
    stack, top = np.empty((len(above) + 1, 2), dtype=np.int64), 0
    start = 0
    # the stack is empty between trees, and a part goes back to it until it is small enough
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
            # the members of the range are now sorted by part
            middle = begin + _split_tree(forest, members[begin:end], k)
            stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = begin, middle, middle, end
            top += 2
    return labels


@compiled
def _trees(above: Numbers) -> tuple[Numbers, Counts]:
    """The records tree by tree, ascending inside a tree, and the end of every tree."""
    n = len(above)
    top = np.arange(n).astype(np.int32)
    for record in range(n):
        while above[top[record]] >= 0:
            top[record] = above[top[record]]
    members = np.argsort(top, kind="mergesort").astype(np.int32)
    ends = [place + 1 for place in range(n) if place + 1 == n or top[members[place]] != top[members[place + 1]]]
    return members, np.array(ends, dtype=np.int64)


@compiled
def _split_tree(forest: Forest, members: Numbers, k: int) -> int:
    """Split a tree in two and sort its members by tree; returns the number of members of the first tree.

    The search starts at the record farthest from the mean and always continues into the largest subtree, until at least
    k - 1 records are outside of that subtree.
    """
    at, total = _farthest_member(forest, members), len(members)
    _root_at(forest, at)
    _count_below(forest, members)
    part = _largest_subtree(forest, members, at)
    while total - forest.size[part] < k - 1:
        # make the subtree's record the root: the old root becomes its child, with all records outside the subtree
        forest.size[at], forest.size[part] = total - forest.size[part], total
        forest.above[at], forest.above[part] = part, -1
        at = part
        part = _largest_subtree(forest, members, at)
    # `at` is the root, `part` its largest subtree, and at least k - 1 records are outside of it, `at` included
    inside = forest.size[part]
    # both sides are large enough: cut the edge
    if inside >= k and total - inside >= k:
        forest.above[part] = -1
    elif total - inside == k - 1:
        # outside is one record short: it keeps the root of the subtree, whose children become a tree of their own
        _detach(forest, _children(forest, members, part))
    elif inside == k - 1:
        # the subtree is one record short: it keeps `at`, whose other children become a tree of their own
        parts = _children(forest, members, at)
        _detach(forest, parts[parts != part])
    else:
        # no subtree has k - 1 records: some children of `at` leave together
        _detach(forest, _children_to_detach(forest, _children(forest, members, at), at, k))
    return _sort_by_tree(forest, members)


@compiled
def _farthest_member(forest: Forest, members: Numbers) -> int:
    """The member farthest from the mean of all members."""
    mean = np.zeros(forest.points.shape[1])
    for record in members:
        mean += forest.points[record]
    mean /= len(members)
    best, found = -1.0, -1
    for record in members:
        distance = squared_distance(forest.points[record], mean)
        if distance > best:
            best, found = distance, record
    return found


@compiled
def _root_at(forest: Forest, record: int) -> None:
    """Make another record the root of its tree."""
    below, at = -1, record
    while at >= 0:
        # reverse the links on the path from the record to the old root
        over = forest.above[at]
        forest.above[at] = below
        below, at = at, over


@compiled
def _count_below(forest: Forest, members: Numbers) -> None:
    """Count the records in the subtree of every member, from the leaves to the root, in one pass."""
    for record in members:
        forest.size[record], forest.waiting[record] = 1, 0
    for record in members:
        if forest.above[record] >= 0:
            forest.waiting[forest.above[record]] += 1
    for record in members:
        at = record
        # all children of this record are counted: add it to its parent, and go on if that was the parent's last child
        while forest.waiting[at] == 0 and forest.above[at] >= 0:
            forest.waiting[at] = -1
            over = forest.above[at]
            forest.size[over] += forest.size[at]
            forest.waiting[over] -= 1
            at = over


@compiled
def _children(forest: Forest, members: Numbers, record: int) -> Numbers:
    """The children of a record, nearest first."""
    found = members[forest.above[members] == record]
    distances = np.array([squared_distance(forest.points[one], forest.points[record]) for one in found])
    order = np.argsort(distances, kind="mergesort")
    return np.asarray(found[order])


@compiled
def _largest_subtree(forest: Forest, members: Numbers, record: int) -> int:
    """The child of a record with the largest subtree; of several the nearest."""
    parts = _children(forest, members, record)
    return int(parts[np.argmax(forest.size[parts])])


@compiled
def _children_to_detach(forest: Forest, parts: Numbers, record: int, k: int) -> Numbers:
    """The children that leave a record, so that both sides have k records.

    The first children, with k - 1 records or more together, keep the record, and the others leave. If the others have
    only k - 1 records, they keep the record and the first children leave.
    """
    # the nearest children first; `count` is the number of records below them
    first, count = 0, 0
    while count < k - 1:
        count += forest.size[parts[first]]
        first += 1
    others = forest.size[record] - 1 - count
    return parts[:first] if others == k - 1 else parts[first:]


@compiled
def _detach(forest: Forest, parts: Numbers) -> None:
    """Make the nearest of some children the root of a tree of its own and the parent of the others."""
    for part in parts:
        forest.above[part] = parts[0]
    forest.above[parts[0]] = -1


@compiled
def _sort_by_tree(forest: Forest, members: Numbers) -> int:
    """Move the members of the first member's tree to the front; returns their number."""
    top = members.copy()
    for place in range(len(members)):
        while forest.above[top[place]] >= 0:
            top[place] = forest.above[top[place]]
    first = top == top[0]
    members[:] = np.concatenate((members[first], members[~first]))
    return int(first.sum())
