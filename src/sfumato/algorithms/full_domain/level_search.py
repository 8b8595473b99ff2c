"""The search for the node of a lattice that loses least: nodes in the order of their bounds, and chains above them.

`OptimalLattice` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.lattice import Levels
from sfumato.algorithms.full_domain.nodes import LatticeNodes, Node
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough, is_limited

_OPEN, _LEFT_OUT, _HOLDS, _FAILS = range(4)
"""What is known of a node; one that fails by itself says nothing of the nodes below."""
LISTED = 4_000_000
"""Lattices of up to so many nodes are searched in the order of their bounds."""
_TRIED = 3000
"""Nodes that are looked at in larger lattices, if there is no time limit."""
_ROUNDING = 1e-12
"""Bounds and losses are sums of the same numbers in another order, so they may differ in the last digits."""


class LevelSearch:
    """Finds the best node of a lattice; `proven` says whether none is better, and `bound` what no node falls below.

    A node that is looked at starts a chain of nodes above it, which is searched by halves: if more must be suppressed
    at a node than the limit allows, this is true of all nodes below, in the chain and elsewhere.
    """

    def __init__(self, nodes: LatticeNodes) -> None:
        self.nodes = nodes
        self.best: Node | None = None
        self.bound, self.checked, self.proven = -inf, 0, False
        lattice = nodes.lattice
        self._bounded = nodes.costs is not None and nodes.costs.bounded
        listed = lattice.size <= LISTED
        self._bounds: NDArray[np.float64] | None = (
            np.asarray(nodes.costs.bounds()) if listed and nodes.costs is not None and self._bounded else None
        )
        self._state = np.zeros(lattice.shape, dtype=np.int8) if listed else None

    def run(self) -> None:
        """Search until no better node can be left, or until the time is over."""
        if self._state is None:
            self._descend_often()
        elif self._bounds is None:
            self._look_at_all()
        else:
            self._best_first(self._bounds, self._state)

    def _best_first(self, bounds: NDArray[np.float64], state: NDArray[np.int8]) -> None:
        for column, levels in enumerate(self.nodes.repeated_levels):
            # the same groups as on the level below, which loses no more
            state[(slice(None),) * column + (levels,)] = _LEFT_OUT
        order = np.argsort(bounds, axis=None, kind="stable")
        order = order[state.ravel()[order] == _OPEN]
        for number, place in enumerate(order.tolist()):
            self.bound = float(bounds.flat[place])
            if self._exceeds(self.bound):
                break
            if state.flat[place] != _OPEN:
                continue
            if self.best is not None and enough():
                return
            advance("searching", number, len(order))
            self._climb(tuple(int(level) for level in np.unravel_index(place, bounds.shape)), bounds, state)
        self._prove()

    def _prove(self) -> None:
        """Nothing is left that could be better."""
        self.proven = True
        if self.best is not None:
            self.bound = self.best.loss

    def _climb(self, start: Levels, bounds: NDArray[np.float64], state: NDArray[np.int8]) -> None:
        """Judge nodes of the chain above a node, by halves, until nothing is open in it that could be better."""
        chain = self._chain(start, bounds, state)
        low, high = 0, len(chain) - 1
        while low <= high:
            middle = (low + high) // 2
            if state[chain[middle]] == _OPEN:
                self._judge(chain[middle], state)
            if state[chain[middle]] == _HOLDS:
                high = middle - 1
            else:
                low = middle + 1
        if state[start] == _OPEN:
            self._judge(start, state)

    def _chain(self, start: Levels, bounds: NDArray[np.float64], state: NDArray[np.int8]) -> list[Levels]:
        """Nodes from one upwards, as long as they may be better.

        Each is the one above the node before that has most open nodes below it, which are all left out if it is.
        """
        chain, is_open = [start], state == _OPEN
        while True:
            above = [one for one in self._above(chain[-1]) if not self._exceeds(float(bounds[one]))]
            if not above:
                return chain
            chain.append(max(above, key=lambda levels: np.count_nonzero(is_open[_below(levels)])))

    def _judge(self, levels: Levels, state: NDArray[np.int8]) -> None:
        """Judge a node; one that says that the model holds at no node below takes all of them along."""
        self.checked += 1
        node, nowhere_below = self.nodes.check(levels)
        if nowhere_below:
            state[_below(levels)] = _LEFT_OUT
        else:
            state[levels] = _HOLDS if self._offer(node) else _FAILS

    def _offer(self, node: Node | None) -> bool:
        if node is not None and (self.best is None or node.order < self.best.order):
            self.best = node
        return node is not None

    def _exceeds(self, bound: float) -> bool:
        """Whether a node with this bound is worse than the best one; equal ones are looked at, as order decides."""
        return self.best is not None and bound > self.best.loss + _ROUNDING * max(1.0, abs(self.best.loss))

    def _above(self, levels: Levels) -> Iterator[Levels]:
        """The nodes one step more general, without levels that repeat the one below."""
        for place, height in enumerate(self.nodes.lattice.heights):
            level = levels[place] + 1
            while level in self.nodes.repeated_levels[place]:
                level += 1
            if level <= height:
                yield (*levels[:place], level, *levels[place + 1 :])

    def _look_at_all(self) -> None:
        """Judge every node; without bounds, a better one can be anywhere."""
        for _, node in self.nodes.every():
            self.checked += 1
            advance("searching", self.checked, self.nodes.lattice.size)
            self._offer(node)
            if self.best is not None and enough():
                return
        self._prove()

    def _descend_often(self) -> None:
        """In a lattice too large to be listed: descend from the top, and then from random nodes as long as time allows.

        The bound is that of the table as it is, which every node loses.
        """
        lattice, costs, random = self.nodes.lattice, self.nodes.costs, np.random.default_rng(0)
        if costs is not None and self._bounded:
            self.bound = costs.bound(lattice.bottom)
        self._descend(lattice.top)
        while self._goes_on():
            advance("searching", self.checked, _TRIED)
            start = tuple(int(random.integers(0, height + 1)) for height in lattice.heights)
            while start != lattice.top and not self._check(start):
                above = list(lattice.above(start))
                start = above[int(random.integers(len(above)))]
            self._descend(start)

    def _goes_on(self) -> bool:
        """Whether to descend once more: until some node is found, for so many nodes, and longer if there is a limit."""
        if self.checked < _TRIED:
            return self.best is None or not enough()
        return is_limited() and not enough()

    def _descend(self, levels: Levels) -> None:
        """Go down from a node, always to the neighbour that promises most of those where the model holds."""
        costs = self.nodes.costs if self._bounded else None
        at: Levels | None = levels if levels != self.nodes.lattice.top or self._check(levels) else None
        while at is not None:
            below = sorted(self.nodes.lattice.below(at), key=sum if costs is None else costs.bound)
            if self.best is not None and enough():
                return
            at = next((node for node in below if self._check(node)), None)

    def _check(self, levels: Levels) -> bool:
        """Whether the model holds at a node, which may be the best one."""
        self.checked += 1
        return self._offer(self.nodes.check(levels)[0])


def _below(levels: Levels) -> tuple[slice, ...]:
    """The place of a node and of all nodes below it, in an array with one axis per column."""
    return tuple(slice(level + 1) for level in levels)
