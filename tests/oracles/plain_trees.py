"""Spanning trees, forests and Ward's method with plain lists and sets, everything counted anew at every step."""

from __future__ import annotations

import numpy as np

from tests.oracles.plain_microaggregation import Groups, Points, middle, squares
from tests.oracles.plain_pairs import pairs

Tree = dict[int, set[int]]


def apart(points: Points, one: int, other: int) -> float:
    return float(squares(points[[one]], points[other])[0])


def prim(points: Points) -> list[tuple[float, int, int]]:
    """The edges (length, record, record it hangs on) in the order of joining; ties go to the lowest, then the first."""
    inside, outside, edges = [0], list(range(1, len(points))), []
    while outside:
        hopes = []
        for record in outside:
            distances = [apart(points, record, one) for one in inside]
            hopes.append((min(distances), record, inside[int(np.argmin(distances))]))
        edges.append(min(hopes))
        inside.append(edges[-1][1])
        outside.remove(edges[-1][1])
    return edges


def component(tree: Tree, start: int) -> set[int]:
    """Everybody who can be reached."""
    found, waiting = {start}, [start]
    while waiting:
        fresh = tree[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def components(tree: Tree) -> Groups:
    left, found = set(tree), []
    while left:
        found.append(sorted(component(tree, min(left))))
        left -= set(found[-1])
    return found


def tree_of(edges: list[tuple[int, int]], n: int) -> Tree:
    tree: Tree = {record: set() for record in range(n)}
    for one, other in edges:
        tree[one].add(other)
        tree[other].add(one)
    return tree


def cut(edges: list[tuple[float, int, int]], k: int) -> Groups:
    """Edges longest first, those of the lowest record before others; both parts must keep k."""
    tree = tree_of([(one, other) for _, one, other in edges], len(edges) + 1)
    for _, one, other in sorted(edges, key=lambda edge: (-edge[0], edge[1])):
        tree[one].discard(other)
        tree[other].discard(one)
        if min(len(component(tree, one)), len(component(tree, other))) < k:
            tree[one].add(other)
            tree[other].add(one)
    return components(tree)


def forest(points: Points, k: int, order: list[int]) -> list[tuple[int, int]]:
    """Links from the tops of small trees to the nearest record outside, first in the queue first."""
    queue, links, n = list(order), {}, len(points)
    while queue:
        record = queue.pop(0)
        own = component(tree_of(list(links.items()), n), record)
        if record in links or len(own) >= k or len(own) == n:
            continue
        outside = [other for other in range(n) if other not in own]
        links[record] = outside[int(np.argmin(squares(points[outside], points[record])))]
        whole = component(tree_of(list(links.items()), n), record)
        if len(whole) < k:
            queue += [one for one in whole if one not in links]
    return list(links.items())


def taken_apart(points: Points, tree: Tree, k: int) -> Groups:
    """Trees of more than max(2k - 1, 3k - 5) in parts of at least k."""
    waiting, done = [{one: tree[one] & set(group) for one in group} for group in components(tree)], []
    while waiting:
        part = waiting.pop()
        if len(part) <= max(2 * k - 1, 3 * k - 5):
            done.append(sorted(part))
        else:
            waiting += in_two(points, part, k)
    return done


def in_two(points: Points, tree: Tree, k: int) -> list[Tree]:
    members, total = sorted(tree), len(tree)
    at = members[int(np.argmax(squares(points[members], middle(points, members))))]
    while True:
        branches = {one: branch(tree, one, at) for one in by_distance(points, tree[at], at)}
        largest = max(branches, key=lambda one: len(branches[one]))
        size = len(branches[largest])
        if total - size >= k - 1:
            break
        at = largest
    if size >= k and total - size >= k:
        return [within(tree, branches[largest]), within(tree, set(tree) - branches[largest])]
    if total - size == k - 1:
        leaving, lost = tree[largest] - {at}, largest
    elif size == k - 1:
        leaving, lost = tree[at] - {largest}, at
    else:
        leaving, lost = shared(branches, k, total), at
    gone = set().union(*(branch(tree, one, lost) for one in leaving))
    return [joined(points, tree, gone, leaving, lost), within(tree, set(tree) - gone)]


def by_distance(points: Points, some: set[int], lost: int) -> list[int]:
    return sorted(some, key=lambda one: (apart(points, one, lost), one))


def branch(tree: Tree, start: int, without: int) -> set[int]:
    """What hangs on `start`, seen from its neighbour."""
    return component({one: near - {without} for one, near in tree.items()}, start)


def within(tree: Tree, some: set[int]) -> Tree:
    return {one: tree[one] & some for one in some}


def joined(points: Points, tree: Tree, some: set[int], leaving: set[int], lost: int) -> Tree:
    """What hung on a record that is lost hangs on the nearest of them."""
    made, (head, *others) = within(tree, some), by_distance(points, leaving, lost)
    for one in others:
        made[one] = made[one] | {head}
        made[head] = made[head] | {one}
    return made


def shared(branches: dict[int, set[int]], k: int, total: int) -> set[int]:
    """Which branches leave: the nearest stay until there are k - 1, unless only k - 1 others are left."""
    staying, count = set(), 0
    for one, members in branches.items():
        if count < k - 1:
            staying.add(one)
            count += len(members)
    return staying if total - 1 - count == k - 1 else set(branches) - staying


def ward_once(points: Points, k: int) -> Groups:
    """Two groups of k at both ends, everybody else alone; the cheapest join of all that involve a small one, again."""
    groups, free = pairs(points, k, "outermost", most=1)
    groups += [[record] for record in free]
    while any(len(group) < k for group in groups) and len(groups) > 1:
        joins = [
            (price(points, one, other), one, other)
            for one in groups
            for other in groups
            if one is not other and len(one) < k
        ]
        _, one, other = min(joins, key=lambda join: join[0])
        groups = [group for group in groups if group is not one and group is not other] + [one + other]
    return groups


def price(points: Points, one: list[int], other: list[int]) -> float:
    """By how much the squared error grows."""
    share = len(one) * len(other) / (len(one) + len(other))
    return share * float(((points[one].mean(axis=0) - points[other].mean(axis=0)) ** 2).sum())


def ward(points: Points, k: int) -> Groups:
    """Again inside every group of 2k or more."""
    waiting, done = [list(range(len(points)))], []
    while waiting:
        group = sorted(waiting.pop())
        if len(group) < 2 * k:
            done.append(group)
        else:
            waiting += [[group[place] for place in part] for part in ward_once(points[group], k)]
    return done
