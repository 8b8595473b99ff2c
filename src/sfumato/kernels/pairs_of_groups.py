"""The loop of MDAV: again and again a group around the record furthest from the mean, and one far from that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.exact_sums import exact_sums, subtract
from sfumato.kernels.outermost import Outermost, furthest_from_centre, outermost
from sfumato.kernels.shrinking_tree import ShrinkingTree, shrinking_tree, take_first
from sfumato.kernels.tree_search import furthest, nearest
from sfumato.kernels.twins import twins

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def pairs_of_groups(points: Points, k: int, enough: int) -> Numbers:
    """Labels of groups of k, made in pairs while at least `enough` records (2k or more) are free; -1 for the rest."""
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    _pair_off(tree, outermost(tree), exact_sums(points), k, enough, labels)
    return labels


@compiled
def _pair_off(tree: ShrinkingTree, far: Outermost, sums: Points, k: int, enough: int, labels: Numbers) -> None:
    free, group = len(labels), 0
    seed = np.empty(tree.rows.shape[1])
    distances, records = np.empty(k - 1), np.empty(k - 1, dtype=np.int32)
    places = np.empty(k - 1, dtype=np.int32)
    while free >= enough:
        place = furthest_from_centre(far, tree, sums[0] / free)
        for second in range(2):
            if second:
                place = furthest(tree, seed)
            seed[:] = tree.rows[place]
            labels[take_first(tree, place)] = group
            subtract(sums, seed)
            _gather(tree, seed, sums, distances, records, places, labels, group)
            group += 1
            free -= k


@compiled
def _gather(
    tree: ShrinkingTree,
    seed: Points,
    sums: Points,
    distances: Points,
    records: Numbers,
    places: Numbers,
    labels: Numbers,
    group: int,
) -> None:
    """Give the nearest free records the label; of equally near ones those with the lowest numbers."""
    found, wanted = nearest(tree, seed, distances, records, places), len(places)
    start = 0
    while wanted:
        stop = start + 1
        while stop < found and distances[stop] == distances[start]:
            stop += 1
        while wanted:
            at = _lowest(tree, places, start, stop)
            if at < 0:
                break
            subtract(sums, tree.rows[places[at]])
            labels[take_first(tree, places[at])] = group
            wanted -= 1
        start = stop


@compiled
def _lowest(tree: ShrinkingTree, places: Numbers, start: int, stop: int) -> int:
    """Which of some places has the lowest free record; -1 if none has any."""
    best = -1
    for at in range(start, stop):
        record = tree.first[places[at]]
        if record >= 0 and (best < 0 or record < tree.first[places[best]]):
            best = at
    return best
