"""The compiled loop of maximum distance: groups around the two records farthest from each other, repeatedly.

The distance of a place to the farthest other one can only shrink while records are removed, so a distance found once
stays an upper bound. By the triangle inequality, its distance from the mean plus that of the outermost place is another
one. The partner of a place is searched again only when its bound is the largest of all and the partner was removed. So
the pairs are exactly those of a comparison of all pairs, with few searches. A pair costs these searches, two for the
near records, and a pass over the places that remain, without their coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.farthest_point import squared_distance
from sfumato.kernels.neighbours.search import farthest
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

ROUNDING = 1.0 + 1e-9
"""A factor that is far larger than the rounding error of a squared distance."""


class Reach(NamedTuple):
    """Upper bounds of the distance of every place to the farthest other place."""

    order: Numbers
    """The places by their distance from the mean, farthest first; removed places are also removed here."""
    away: Points
    """The distance of every place from the mean of all records."""
    bound: Points
    """Place: the squared distance of the farthest place when it was last searched; infinite at first."""
    partner: Numbers
    """Place: the place at that distance; -1 if it was not yet searched."""


def farthest_pairs(
    points: Points, k: int, *, outermost: bool, most: int | None = None, single: bool = False
) -> Numbers:
    """Labels of groups of k, made in pairs while 2k records are free, at most `most` pairs; -1 for the rest.

    With `outermost` the one of the two that is further from the mean of all takes its k - 1 nearest first, else the one
    with the lower number. With `single` it leads one more group at the end if k records are left.
    """
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    reach = _reach(tree.rows, points.mean(axis=0))
    with labelling(labels):
        _pair_off(tree, reach, scratch(k), k, len(points) if most is None else most, outermost, single, labels)
    return labels


def _reach(rows: Points, middle: Points) -> Reach:
    """The bounds before any search."""
    away = np.sqrt(sum((rows[:, column] - middle[column]) ** 2 for column in range(rows.shape[1])))
    order = np.argsort(-away, kind="stable").astype(np.int32)
    return Reach(order, away, np.full(len(rows), np.inf), np.full(len(rows), -1, dtype=np.int32))


@compiled
def _pair_off(
    tree: ShrinkingTree, reach: Reach, near: Near, k: int, most: int, outermost: bool, single: bool, labels: Numbers
) -> None:
    """Make pairs of groups; `places` is the number of places that remain in `reach.order`."""
    free, places, pairs = len(labels), len(reach.order), 0
    while free >= 2 * k and pairs < most:
        places = _drop_removed_places(tree, reach.order, places)
        one = _end_of_farthest_pair(tree, reach, places)
        first = take_first(tree, one)
        # the second leader is taken before the first group is made, so that the first group cannot take it
        other = farthest(tree, tree.rows[one])
        second = take_first(tree, other)
        if outermost and reach.away[other] > reach.away[one]:
            one, other, first, second = other, one, second, first
        labels[first], labels[second] = 2 * pairs, 2 * pairs + 1
        _label_nearest(tree, near, one, k - 1, labels, 2 * pairs)
        _label_nearest(tree, near, other, k - 1, labels, 2 * pairs + 1)
        pairs += 1
        free -= 2 * k
    if single and free >= k:
        one = _end_of_farthest_pair(tree, reach, _drop_removed_places(tree, reach.order, places))
        other = farthest(tree, tree.rows[one])
        if outermost and reach.away[other] > reach.away[one]:
            one = other
        labels[take_first(tree, one)] = 2 * pairs
        _label_nearest(tree, near, one, k - 1, labels, 2 * pairs)


@compiled
def _drop_removed_places(tree: ShrinkingTree, order: Numbers, places: int) -> int:
    """Remove places without free records from the order; returns the number of places that remain."""
    kept = 0
    for at in range(places):
        if tree.first[order[at]] >= 0:
            order[kept] = order[at]
            kept += 1
    return kept


@compiled
def _label_nearest(tree: ShrinkingTree, near: Near, place: int, wanted: int, labels: Numbers, group: int) -> None:
    """Give the label of a group to the free records nearest to a place."""
    taken = np.empty(wanted, dtype=np.int32)
    count = take_nearest(tree, near, tree.rows[place], wanted, taken)
    for at in range(count):
        labels[taken[at]] = group


@compiled
def _end_of_farthest_pair(tree: ShrinkingTree, reach: Reach, places: int) -> int:
    """The place with the largest distance to another one; of several the one with the lowest record."""
    while True:
        place = _largest_bound(tree, reach, places)
        partner = reach.partner[place]
        # the partner is still there, so the bound is an exact distance, and no other place has a larger bound
        if partner >= 0 and tree.first[partner] >= 0:
            return place
        partner = farthest(tree, tree.rows[place])
        reach.partner[place] = partner
        reach.bound[place] = squared_distance(tree.rows[place], tree.rows[partner])


@compiled
def _largest_bound(tree: ShrinkingTree, reach: Reach, places: int) -> int:
    """The place with the largest bound; of several the one with the lowest record."""
    best, found = -1.0, -1
    outside = reach.away[reach.order[0]]
    for at in range(places):
        place = reach.order[at]
        triangle_bound = (reach.away[place] + outside) ** 2 * ROUNDING
        # places come in the order of their distance from the mean, so no later place can have a larger bound
        if triangle_bound < best:
            break
        bound, partner = reach.bound[place], reach.partner[place]
        # an outdated bound: the triangle inequality may give a lower one
        if partner < 0 or tree.first[partner] < 0:
            bound = min(bound, triangle_bound)
        # `found` is valid in the second test, because no bound equals -1
        if bound > best or (bound == best and tree.first[place] < tree.first[found]):
            best, found = bound, place
    return found
