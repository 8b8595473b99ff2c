"""Simulated annealing that lowers the squared error (SSE) of a given partition into groups of at least k points.

`improve_groups` is the function to call. `Cooling` computes the temperature from the first move to the last;
`cross_partitions` combines the better groups of two partitions. The moves themselves are compiled loops.
"""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dissolving import squared_errors
from sfumato.errors import ParameterError
from sfumato.runtime.progress import advance
from sfumato.runtime.representations import sizes_only
from sfumato.runtime.time_limit import enough

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from sfumato.algorithms.improvement.loops.simulated_annealing import GroupMembership

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

WINDOW = 16_384
"""The number of records, near each other, that are worked on at a time: few enough for the processor's cache."""

NEAR, MOST_NEAR = 20, 2**26
"""The least number of near records stored per record, and the most stored for all records together beyond that."""

HOT, TOP, COLD = 3.0, 0.2, 0.03
"""Temperatures. The first is the larger of HOT times the mean SSE per record and TOP times the largest SSE of a group,
so that this group changes too. The last is COLD times the SSE per record of a typical group."""

MELTING, MELTING_TOP = 90.0, 1_000.0
"""With fewer moves per record than this there is no time to recover from the heat (of HOT, of TOP); it starts lower."""

STILL = 0.97
"""From this share of a round on the temperature is 0, and no move may increase the SSE."""

ROUND, ROUNDS = 20_000.0, 4
"""A round of this number of moves per record gains little from more; then further rounds follow, at most ROUNDS."""

AGAIN = 0.1
"""The share of the heat with which every other round starts: it repairs what was found, the others explore."""

VISIT, VISITS = 50, 50
"""The most moves per record that are tried in a visit to a window, and the least number of visits."""

PACE = 4e6
"""The approximate number of moves per second; used only to estimate how many moves a time limit allows."""


class _OrderedPoints(NamedTuple):
    """The points in an order in which near points are close to each other, and the near records of each."""

    order: NDArray[np.int64]
    points: Points
    near: Labels

    def __repr__(self) -> str:
        return sizes_only(self)


class Cooling:
    """The temperature of a search that starts hot and ends cold, in one round or several.

    The search is over when `effort` moves were tried per record or `seconds` have passed. Its progress is the larger of
    the two shares.
    """

    def __init__(self, records: int, effort: float, seconds: float | None, started: float) -> None:
        self._moves, self._tried = effort * records, 0
        self._seconds, self._started = inf if seconds is None else seconds, started
        # The number of moves per record decides about rounds and heat before the search starts. With a time limit it
        # can only be estimated; the temperature itself follows the clock.
        expected = min(effort, self._seconds * PACE / records)
        self._rounds = int(min(max(expected // ROUND, 1), ROUNDS))
        self.visit = int(min(max(expected / VISITS, 1), VISIT))
        self._heats = HOT * min(1.0, expected / MELTING), TOP * min(1.0, expected / MELTING_TOP)
        self._hot, self._cold = 0.0, 0.0

    def calibrate(self, losses: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        """Derive the temperatures from the SSE and the sizes of the groups at the start."""
        average, most = float(losses.sum() / sizes.sum()), float(losses.max())
        self._hot = max(self._heats[0] * average, self._heats[1] * most)
        # If most groups have an SSE of 0, so is the median, which cannot be a temperature.
        typical = float(np.median(losses / sizes))
        self._cold = min(COLD * max(typical, 1e-3 * self._hot), self._hot)

    @property
    def share(self) -> float:
        """The share of the search that is done; 1 or more when it is over."""
        by_moves = self._tried / self._moves if self._moves else 1.0
        by_time = (time.monotonic() - self._started) / self._seconds if self._seconds else 1.0
        return max(by_moves, by_time)

    @property
    def turn(self) -> int:
        """The number of the round, from 0."""
        return int(self.share * self._rounds)

    @property
    def over(self) -> bool:
        """Whether the moves or the time are used up."""
        return self.share >= 1.0

    @property
    def temperature(self) -> float:
        """The temperature now: it falls exponentially within a round and is 0 at the end of it."""
        share = 1.0 if self.over else self.share * self._rounds % 1.0
        hot = self._hot if self.turn % 2 == 0 else max(AGAIN * self._hot, self._cold)
        return 0.0 if share >= STILL else hot * (self._cold / hot) ** (share / STILL)

    def count(self, moves: int) -> None:
        """Add to the number of moves that were tried."""
        self._tried += moves


def improve_groups(
    points: Points, labels: Labels, k: int, *, effort: float, seed: int, seconds: float | None = None
) -> Labels:
    """A partition into groups of at least k with a lower SSE than the given one, or the same if none was found.

    `effort` is the number of moves tried per record; the same effort and seed give the same partition. `seconds` ends
    the search earlier: it then cools faster, so that it is cold when the time is over, and the result depends on the
    speed of the machine. Groups of 2k records or more are first cut, which never increases the SSE.

    >>> points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    >>> improve_groups(points, np.array([0, 1, 2, 0, 1, 2], dtype=np.int32), 2, effort=100, seed=1)
    array([0, 0, 1, 1, 2, 2], dtype=int32)
    """
    _refuse(labels, k, effort, seconds)
    labels = cut_down(points, labels, k)
    if len(points) < 2 * k or k == 1:
        return labels
    load_loops()
    started = time.monotonic()
    ordered = _order_points(points, k)
    cooling = Cooling(len(points), effort, seconds, started)
    best = np.empty_like(labels)
    best[ordered.order] = _anneal_rounds(ordered, labels[ordered.order], k, cooling, seed)
    return renumber(best)


def cut_down(points: Points, labels: Labels, k: int) -> Labels:
    """Cut groups of 2k records or more into runs of k along their widest column; the last run takes the remainder.

    The SSE of the parts is together no larger than that of the whole, because each part has its own centroid.
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
    # Each group in the order of its own widest column; runs of k along it have neighbouring values.
    order = np.lexsort((inside[np.arange(len(group)), width.argmax(axis=1)[group]], group))
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - starts[group[order]]
    # The last run takes the remainder, so every run has k to 2k - 1 records.
    part = np.minimum(rank // k, count[group] // k - 1)
    finer = labels.astype(np.int64)
    # A group of m records has fewer than m runs, so these numbers are distinct; `renumber` removes the gaps.
    finer[large] = len(sizes) + starts[group] + part
    return renumber(finer)


def load_loops() -> None:
    """Load or compile the compiled loops, so that this does not count against a time limit."""
    from sfumato.algorithms.improvement.loops.simulated_annealing import anneal, fill_state, membership_of
    from sfumato.kernels.random import chance_from

    near = np.array([[1, 2], [0, 2], [1, 3], [2, 1]], dtype=np.int32)
    state = membership_of(np.zeros((4, 1)), near, np.array([0, 0, 1, 1], dtype=np.int32), 2)
    fill_state(state)
    anneal(state, 2, (0, 4), 1, 0.0, chance_from(0))


def cross_partitions(points: Points, one: Labels, other: Labels) -> Labels:
    """A partition made of groups of both given ones, whose SSE is no larger than that of either.

    Groups that share records are connected. In each connected component the groups of one partition have, together,
    the same records as those of the other, so either set can be taken without changing anything else. The set with the
    smaller SSE is taken.

    >>> points = np.array([[0.0], [0.0], [1.0], [1.0], [7.0], [7.0], [8.0], [8.0]])
    >>> one, other = np.array([0, 0, 1, 1, 2, 3, 2, 3]), np.array([0, 1, 0, 1, 2, 2, 3, 3])
    >>> cross_partitions(points, one, other)
    array([0, 0, 1, 1, 2, 2, 3, 3], dtype=int32)
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    groups, more = int(one.max()) + 1, int(other.max()) + 1
    # A bipartite graph: the groups of both partitions are nodes, and each record is an edge between its two groups.
    shared = coo_array((np.ones(len(one)), (one, groups + other)), shape=(groups + more, groups + more))
    count, component = connected_components(shared, directed=False)
    first = np.bincount(component[:groups], weights=squared_errors(points, one), minlength=count)
    second = np.bincount(component[groups:], weights=squared_errors(points, other), minlength=count)
    return renumber(np.where((first <= second)[component[one]], one, groups + other))


def renumber(labels: NDArray[np.signedinteger]) -> Labels:
    """The same groups, numbered without gaps in the order of their first records."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[place]


def _anneal_rounds(ordered: _OrderedPoints, labels: Labels, k: int, cooling: Cooling, seed: int) -> Labels:
    """The best partition found, of points in their order.

    Every round starts from the best partition so far. After the round, the best partition is crossed with the result.
    """
    from sfumato.algorithms.improvement.loops.simulated_annealing import fill_state, membership_of
    from sfumato.kernels.random import chance_from

    lost, chance = squared_errors(ordered.points, labels), chance_from(seed)
    cooling.calibrate(lost, np.bincount(labels))
    best = labels
    while not cooling.over and lost.any() and not enough():
        state, turn = membership_of(ordered.points, ordered.near, best, k), cooling.turn
        while cooling.turn == turn and not cooling.over and not enough():
            # Centroids are updated move by move; computing them anew for each sweep removes the rounding errors.
            fill_state(state)
            _sweep(state, k, cooling, chance)
        best = cross_partitions(ordered.points, best, state.labels)
    return best


def _sweep(state: GroupMembership, k: int, cooling: Cooling, chance: NDArray[np.uint64]) -> None:
    """Try some moves per record, one window after the other, until the moves or the time are used up."""
    from sfumato.algorithms.improvement.loops.simulated_annealing import anneal

    for begin in range(0, len(state.labels), WINDOW):
        if begin and (cooling.over or enough()):
            break
        end = min(begin + WINDOW, len(state.labels))
        tries = (end - begin) * cooling.visit
        anneal(state, k, (begin, end), tries, cooling.temperature, chance)
        cooling.count(tries)
        advance("improving groups", int(1000 * min(cooling.share, 1.0)), 1000)


def _order_points(points: Points, k: int) -> _OrderedPoints:
    """Order the points as the leaves of a k-d tree do, and find near records one window at a time to save memory."""
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
        # The first record found is the record itself or an equal one, and neither is of use.
        near[begin : begin + WINDOW] = rank[found[:, 1:]]
        advance("finding near records", min(begin + WINDOW, records), records)
    return _OrderedPoints(order, arranged, near)


def _refuse(labels: Labels, k: int, effort: float, seconds: float | None) -> None:
    """Raise an error if the limits are no numbers, or a group is too small."""
    if not effort >= 0 or (seconds is None and effort == inf):
        raise ParameterError(f"'effort' must be a number >= 0, and a finite one without 'seconds'; got {effort!r}.")
    if seconds is not None and not 0 <= seconds < inf:
        raise ParameterError(f"'seconds' must be a number >= 0; got {seconds!r}.")
    if len(labels) >= k and np.bincount(labels).min() < k:
        raise ParameterError(f"every group must have at least k = {k} records before it can be improved.")
