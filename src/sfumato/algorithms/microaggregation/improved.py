"""A better partition from any given one: simulated annealing that lowers the squared errors (SSE) inside groups."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.cooling import Cooling
from sfumato.algorithms.microaggregation.crossing import crossed, losses, numbered
from sfumato.errors import ParameterError
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from sfumato.algorithms.microaggregation.loops.membership import Membership

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

WINDOW = 16_384
"""How many records, next to each other in space, are worked on at a time: few enough for the processor's cache."""

NEAR, MOST_NEAR = 20, 2**26
"""How many near records are looked at by each at least, and by all of them together, beyond that, at most."""


class _Ordered(NamedTuple):
    """The points in an order in which those near to each other stand together, and the near records of each."""

    order: NDArray[np.int64]
    points: Points
    near: Labels


def improved(
    points: Points, labels: Labels, k: int, *, effort: float, seed: int, seconds: float | None = None
) -> Labels:
    """A partition into groups of at least k with lower SSE than the given one, or the same if none was found.

    `effort` is how many moves are tried for each record; the same effort and seed give the same partition. `seconds`
    ends the search earlier: it cools down the faster, so that it is cold when the time is over, and what it finds then
    depends on the machine. Groups that leave room for two are cut first, which never makes the SSE larger.

    >>> points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    >>> improved(points, np.array([0, 1, 2, 0, 1, 2], dtype=np.int32), 2, effort=100, seed=1)
    array([0, 0, 1, 1, 2, 2], dtype=int32)
    """
    _refuse(labels, k, effort, seconds)
    labels = cut_down(points, labels, k)
    if len(points) < 2 * k or k == 1:
        return labels
    ready()
    started = time.monotonic()
    ordered = _ordered(points, k)
    cooling = Cooling(len(points), effort, seconds, started)
    best = np.empty_like(labels)
    best[ordered.order] = _annealed(ordered, labels[ordered.order], k, cooling, seed)
    return numbered(best)


def cut_down(points: Points, labels: Labels, k: int) -> Labels:
    """Groups of 2k records and more cut into runs of k along their widest column, the last run with what is left.

    The parts of a group have together no larger SSE than the whole, since each has its own centroid.
    """
    sizes = np.bincount(labels)
    large = (sizes >= 2 * k)[labels]
    if not large.any():
        return labels
    _, group = np.unique(labels[large], return_inverse=True)
    inside, count = points[large], np.bincount(group)
    starts = np.cumsum(count) - count
    runs = np.argsort(group, kind="stable")
    width = np.maximum.reduceat(inside[runs], starts) - np.minimum.reduceat(inside[runs], starts)
    order = np.lexsort((inside[np.arange(len(group)), width.argmax(axis=1)[group]], group))
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - starts[group[order]]
    part = np.minimum(rank // k, count[group] // k - 1)
    finer = labels.astype(np.int64)
    finer[large] = len(sizes) + starts[group] + part
    return numbered(finer)


def ready() -> None:
    """Load the compiled loops, or compile them, so that this is no part of anybody's time limit."""
    from sfumato.algorithms.microaggregation.loops.annealing import anneal
    from sfumato.algorithms.microaggregation.loops.membership import membership_of, settle
    from sfumato.kernels.random import chance_from

    near = np.array([[1, 2], [0, 2], [1, 3], [2, 1]], dtype=np.int32)
    at = membership_of(np.zeros((4, 1)), near, np.array([0, 0, 1, 1], dtype=np.int32), 2)
    settle(at)
    anneal(at, 2, (0, 4), 1, 0.0, chance_from(0))


def _annealed(ordered: _Ordered, labels: Labels, k: int, cooling: Cooling, seed: int) -> Labels:
    """The best partition found, of points in their order: after every round, place by place, what was best there.

    Every round begins with the best so far.
    """
    from sfumato.algorithms.microaggregation.loops.membership import membership_of, settle
    from sfumato.kernels.random import chance_from

    lost, chance = losses(ordered.points, labels), chance_from(seed)
    cooling.calibrate(lost, np.bincount(labels))
    best = labels
    while not cooling.over and lost.any() and not enough():
        at, turn = membership_of(ordered.points, ordered.near, best, k), cooling.turn
        while cooling.turn == turn and not cooling.over and not enough():
            settle(at)
            _sweep(at, k, cooling, chance)
        best = crossed(ordered.points, best, at.labels)
    return best


def _sweep(at: Membership, k: int, cooling: Cooling, chance: NDArray[np.uint64]) -> None:
    """Try some moves at every record, window after window, until the time is over."""
    from sfumato.algorithms.microaggregation.loops.annealing import anneal

    for begin in range(0, len(at.labels), WINDOW):
        if begin and (cooling.over or enough()):
            break
        end = min(begin + WINDOW, len(at.labels))
        tries = (end - begin) * cooling.visit
        anneal(at, k, (begin, end), tries, cooling.temperature, chance)
        cooling.count(tries)
        advance("improving groups", int(1000 * min(cooling.share, 1.0)), 1000)


def _ordered(points: Points, k: int) -> _Ordered:
    """The points as a tree has them in its leaves, and near records looked up share by share to spare memory."""
    from scipy.spatial import cKDTree

    records = len(points)
    tree: cKDTree = cKDTree(points, balanced_tree=False)
    order = np.asarray(tree.indices, dtype=np.int64)
    rank = np.empty(records, dtype=np.int32)
    rank[order] = np.arange(records, dtype=np.int32)
    arranged = np.ascontiguousarray(points[order])
    count = min(records - 1, max(NEAR, min(3 * k, MOST_NEAR // records)))
    near = np.empty((records, count), dtype=np.int32)
    for begin in range(0, records, WINDOW):
        _, found = tree.query(arranged[begin : begin + WINDOW], count + 1, workers=-1)
        # The first is the record itself or its twin, and of no use either way.
        near[begin : begin + WINDOW] = rank[found[:, 1:]]
        advance("finding near records", min(begin + WINDOW, records), records)
    return _Ordered(order, arranged, near)


def _refuse(labels: Labels, k: int, effort: float, seconds: float | None) -> None:
    if not effort >= 0 or (seconds is None and effort == inf):
        raise ParameterError(f"'effort' must be a number >= 0, and a finite one without 'seconds'; got {effort!r}.")
    if seconds is not None and not 0 <= seconds < inf:
        raise ParameterError(f"'seconds' must be a number >= 0; got {seconds!r}.")
    if len(labels) >= k and np.bincount(labels).min() < k:
        raise ParameterError(f"every group must have at least k = {k} records before it can be improved.")
