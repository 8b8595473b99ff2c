"""The compiled loop of DBA: the densest neighbourhood of k free records becomes a group, repeatedly.

Equal records share a place. A neighbourhood is searched once per place, because the neighbourhoods of equal records are
equally dense. It is searched again only when one of its members was taken, so the cost depends on how many
neighbourhoods overlap. A tournament tree of the losses gives the densest place in O(log n) after every change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.k_nearest import (
    Neighbourhoods,
    empty_neighbourhoods_of,
    find_neighbourhood,
    neighbourhoods,
)
from sfumato.kernels.neighbours.minimum_tournament import play_tournament, replay
from sfumato.kernels.neighbours.take_nearest import Near, scratch, take_nearest
from sfumato.kernels.neighbours.tree import ShrinkingTree, shrinking_tree
from sfumato.runtime.progress import labelling

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


def dense_groups(points: Points, k: int) -> Numbers:
    """Labels of groups of k, the densest first, made while at least k records are free; -1 for the rest."""
    tree = shrinking_tree(points, *twins(points))
    labels = np.full(len(points), -1, dtype=np.int32)
    if len(points) >= k:
        with labelling(labels):
            _group(points, tree, scratch(k), neighbourhoods(len(tree.rows), len(points), k), labels)
    return labels


@compiled
def _group(points: Points, tree: ShrinkingTree, near: Near, hoods: Neighbourhoods, labels: Numbers) -> None:
    """Make groups until fewer than k records are free.

    State: `losses` has the squared error of the neighbourhood of every place, infinite where no neighbourhood of k free
    records is left; `winners` is their tournament, in which equal losses are decided by the lowest free record; `stale`
    lists the places whose neighbourhood has lost a member.
    """
    k, losses = len(near.places), np.empty(len(tree.rows))
    taken, stale = np.empty(k, dtype=np.int32), np.empty(len(tree.rows), dtype=np.int32)
    seed = np.empty(points.shape[1])
    for place in range(len(losses)):
        losses[place] = find_neighbourhood(points, tree, near, hoods, place)
    winners, free = play_tournament(losses, tree.first), len(labels)
    # between groups, every place with a free record has a neighbourhood of free records, unless fewer than k are left
    for group in range(len(labels) // k):
        seed[:] = tree.rows[winners[1]]
        take_nearest(tree, near, seed, k, taken)
        # every neighbourhood with one of the k records is outdated
        count, free = 0, free - k
        for at in range(k):
            labels[taken[at]] = group
            count = empty_neighbourhoods_of(hoods, taken[at], stale, count)
        for place in stale[:count]:
            # the place has no free record left, or there are too few records for any further group
            gone = tree.first[place] < 0 or free < k
            losses[place] = np.inf if gone else find_neighbourhood(points, tree, near, hoods, place)
            replay(winners, losses, tree.first, place)
