"""A steady-state genetic search over legal strings of splits, one offspring at a time; the search of `genetic`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.splits import Splits
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

Bits = NDArray[np.bool_]

_REDRAWN_SHARE, _MOVED_SHARE = 0.4, 0.2
"""The shares of offspring in which a column is drawn again, and in which a split is moved to a neighbour."""


class MutationRates(NamedTuple):
    """The settings of a search."""

    population: int
    """The number of members."""
    evaluations: int
    """The largest number of strings that are evaluated."""
    stall: int
    """The search ends early after this number of offspring in a row that did not improve the population."""
    mutation: float
    """The average number of splits of an offspring that are flipped."""
    pressure: float
    """How much more likely the best member becomes a parent than the middle one."""


class Evolution:
    """A population sorted by cost, in which an offspring with a lower cost replaces the member with the highest cost.

    No string is evaluated twice, and no two members have the same cost: an offspring replaces the member of the same
    cost, because otherwise equivalent strings would fill the population. The search ends after a number of offspring,
    when many in a row did not get in, when all legal strings have been evaluated, or when the time limit is reached. It
    always has a result, because the first member is the string without splits. `best` has the cost of the best member
    after each evaluation.
    """

    def __init__(
        self, splits: Splits, cost: Callable[[Bits], float], rates: MutationRates, random: np.random.Generator
    ) -> None:
        self._splits, self._cost, self._rates, self._random = splits, cost, rates, random
        # The splits of a column are neighbours in the string, so two bounds describe them.
        self._bounds = np.searchsorted(splits.column, np.arange(len(splits.columns) + 1))
        self._members: list[Bits] = []
        self._costs: list[float] = []
        self._seen: set[bytes] = set()
        self.best: list[float] = []

    def run(self) -> Bits:
        """Search, and return the cheapest string that was found."""
        self._first_members()
        space, stalled = self._splits.count(), 0
        while not self._over(space) and stalled < self._rates.stall:
            stalled = 0 if self._evaluate(self._offspring()) else stalled + 1
        advance("searching", self._rates.evaluations, self._rates.evaluations)
        return self._members[0]

    def _over(self, space: int) -> bool:
        """Whether all legal strings or all permitted ones have been evaluated, or the time limit is reached."""
        return len(self._seen) >= min(space, self._rates.evaluations) or enough()

    def _first_members(self) -> None:
        """The first members: no split, all splits, and random legal strings with few to many splits."""
        # The fully generalized string comes first: even if the
        # time limit has passed already, there is a legal result.
        self._evaluate(self._splits.none)
        self._evaluate(self._splits.all)
        space = self._splits.count()
        # A different share of set splits for each string gives members from coarse to fine. The number of attempts is
        # limited, because strings repeat in small spaces and many strings have the same cost.
        for share in self._random.random(4 * self._rates.population):
            if self._over(space) or len(self._members) >= self._rates.population:
                return
            self._evaluate(self._splits.make_legal(self._random.random(len(self._splits)) < share))

    def _evaluate(self, bits: Bits) -> bool:
        """Evaluate a string that was not seen before; returns whether it became a member with a new cost."""
        if bits.tobytes() in self._seen:
            return False
        self._seen.add(bits.tobytes())
        better = self._insert(bits, self._cost(bits))
        self.best.append(self._costs[0])
        advance("searching", len(self.best), self._rates.evaluations)
        return better

    def _insert(self, bits: Bits, cost: float) -> bool:
        """Insert a string by its cost, unless it is the worst of a full population; returns whether its cost is new."""
        place = bisect_left(self._costs, cost)
        if place < len(self._costs) and self._costs[place] == cost:
            # The newer string replaces the older one, so that the population drifts among equivalent strings. It
            # counts as no improvement, otherwise the drift would never let the search end.
            self._members[place] = bits
            return False
        self._costs.insert(place, cost)
        self._members.insert(place, bits)
        del self._costs[self._rates.population :], self._members[self._rates.population :]
        return place < len(self._costs)

    def _offspring(self) -> Bits:
        """Cross two parents, mutate the result, and make it legal."""
        child, other = self._draw_parent().copy(), self._draw_parent()
        taken = self._from_second_parent()
        child[taken] = other[taken]
        self._mutate(child)
        return self._splits.make_legal(child)

    def _from_second_parent(self) -> Bits:
        """The splits that come from the second parent: about half of the columns, one column from some position on."""
        columns = len(self._splits.columns)
        # Whole columns are exchanged, because the splits of one column depend on each other. Exchanging a suffix of
        # one column is a one-point crossover within it.
        taken = (self._random.random(columns) < 0.5)[self._splits.column]
        first, stop = self._splits_of(int(self._random.integers(columns)))
        first = int(self._random.integers(first, stop + 1))
        taken[first:stop] ^= True
        return taken

    def _mutate(self, child: Bits) -> None:
        """Draw a column again, move one of its splits to a neighbour, or flip single bits of the whole string.

        Flipping bits alone gets stuck: where one column must become coarser before another can be split, each single
        step in between has a higher cost.
        """
        kind = self._random.random()
        first, stop = self._splits_of(int(self._random.integers(len(self._splits.columns))))
        if kind < _REDRAWN_SHARE:
            # The square makes coarse columns more frequent than fine ones, which seldom satisfy a model.
            child[first:stop] = self._random.random(stop - first) < self._random.random() ** 2
        elif kind < _REDRAWN_SHARE + _MOVED_SHARE:
            self._move_bit(child[first:stop])
        elif len(child):
            child[self._random.integers(len(child), size=self._random.poisson(self._rates.mutation))] ^= True

    def _move_bit(self, bits: Bits) -> None:
        """Move one of the set bits one position up or down, if possible."""
        places = np.flatnonzero(bits)
        if len(places):
            here = int(places[self._random.integers(len(places))])
            there = here + (1 if self._random.random() < 0.5 else -1)
            if 0 <= there < len(bits):
                bits[here], bits[there] = bits[there], bits[here]

    def _splits_of(self, column: int) -> tuple[int, int]:
        """The first split of a column, and the end of its splits."""
        return int(self._bounds[column]), int(self._bounds[column + 1])

    def _draw_parent(self) -> Bits:
        """A member drawn by its rank: the probability falls linearly from the best to the last."""
        slope = self._rates.pressure - 1
        drawn = float(self._random.random())
        if slope > 0:
            # The inverse of the cumulative distribution with density `pressure - 2 * slope * x` on [0, 1] (Whitley
            # 1989); the density is `pressure` at the best member and 1 at the middle one.
            drawn = (slope + 1 - sqrt((slope + 1) ** 2 - 4 * slope * drawn)) / (2 * slope)
        return self._members[min(int(drawn * len(self._members)), len(self._members) - 1)]
