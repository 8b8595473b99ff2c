"""A steady-state genetic search over legal strings of splits, one offspring at a time."""

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

_TOLD = 250
_DRAWN, _MOVED = 0.4, 0.2
"""The shares of offspring in which a column is drawn anew, and in which a split is moved to a neighbour."""


class MutationRates(NamedTuple):
    """How a search goes: members, offspring at most, and how many of them in vain before it ends early.

    `mutation` is how many splits of an offspring are turned over on average, `pressure` how much likelier the best
    member becomes a parent than the middle one.
    """

    population: int
    evaluations: int
    stall: int
    mutation: float
    pressure: float


class Evolution:
    """A population kept in order of what its members cost; the dearest makes room for an offspring that costs less.

    No string is looked at twice, and no two members cost the same: a newcomer takes the place of its equal, lest the
    population fill up with strings that differ in nothing that counts. The search ends after so many offspring, when
    none of many in a row got in, when every legal string has been seen, or when somebody has had enough; it always has
    an answer, the first being the string that tells nothing apart. `best` is what the cheapest member cost after every
    string that was looked at.
    """

    def __init__(
        self, splits: Splits, cost: Callable[[Bits], float], rates: MutationRates, random: np.random.Generator
    ) -> None:
        self._splits, self._cost, self._rates, self._random = splits, cost, rates, random
        self._bounds = np.searchsorted(splits.column, np.arange(len(splits.columns) + 1))
        self._members: list[Bits] = []
        self._costs: list[float] = []
        self._seen: set[bytes] = set()
        self.best: list[float] = []

    def run(self) -> Bits:
        """Search, and return the cheapest string that was found."""
        self._settle()
        space, stalled = self._splits.count(), 0
        while not self._over(space) and stalled < self._rates.stall:
            stalled = 0 if self._admit(self._offspring()) else stalled + 1
        advance("searching", self._rates.evaluations, self._rates.evaluations)
        return self._members[0]

    def _over(self, space: int) -> bool:
        return len(self._seen) >= min(space, self._rates.evaluations) or enough()

    def _settle(self) -> None:
        """The first members: both ends, and legal strings drawn with few to many splits set."""
        self._admit(self._splits.none)
        self._admit(self._splits.all)
        space = self._splits.count()
        for share in self._random.random(4 * self._rates.population):
            if self._over(space) or len(self._members) >= self._rates.population:
                return
            self._admit(self._splits.closed(self._random.random(len(self._splits)) < share))

    def _admit(self, bits: Bits) -> bool:
        """Look at a string that nobody saw before; whether it became a member at a cost no other has."""
        if bits.tobytes() in self._seen:
            return False
        self._seen.add(bits.tobytes())
        better = self._keep(bits, self._cost(bits))
        self.best.append(self._costs[0])
        if len(self.best) % _TOLD == 0:
            advance("searching", len(self.best), self._rates.evaluations)
        return better

    def _keep(self, bits: Bits, cost: float) -> bool:
        """Put a string where its cost belongs, if that is not behind all others; whether its cost is a new one."""
        place = bisect_left(self._costs, cost)
        if place < len(self._costs) and self._costs[place] == cost:
            self._members[place] = bits
            return False
        self._costs.insert(place, cost)
        self._members.insert(place, bits)
        del self._costs[self._rates.population :], self._members[self._rates.population :]
        return place < len(self._costs)

    def _offspring(self) -> Bits:
        """Two parents crossed, something changed, made legal."""
        child, other = self._parent().copy(), self._parent()
        taken = self._taken()
        child[taken] = other[taken]
        self._change(child)
        return self._splits.closed(child)

    def _taken(self) -> Bits:
        """What comes from the second parent: about half of the columns, one of them from some place on only."""
        columns = len(self._splits.columns)
        taken = (self._random.random(columns) < 0.5)[self._splits.column]
        first, stop = self._stretch(int(self._random.integers(columns)))
        first = int(self._random.integers(first, stop + 1))
        taken[first:stop] ^= True
        return taken

    def _change(self, child: Bits) -> None:
        """Draw a column anew, move one of its splits to a neighbour, or turn over single bits of the whole string.

        Turned bits alone get stuck: where one column has to grow vaguer before another can be split, every single step
        in between costs more than it brings.
        """
        kind = self._random.random()
        first, stop = self._stretch(int(self._random.integers(len(self._splits.columns))))
        if kind < _DRAWN:
            child[first:stop] = self._random.random(stop - first) < self._random.random() ** 2
        elif kind < _DRAWN + _MOVED:
            self._move(child[first:stop])
        elif len(child):
            child[self._random.integers(len(child), size=self._random.poisson(self._rates.mutation))] ^= True

    def _move(self, bits: Bits) -> None:
        """Move one of the bits that are set a place up or down, if there is one to move and a place to move it to."""
        places = np.flatnonzero(bits)
        if len(places):
            here = int(places[self._random.integers(len(places))])
            there = here + (1 if self._random.random() < 0.5 else -1)
            if 0 <= there < len(bits):
                bits[here], bits[there] = bits[there], bits[here]

    def _stretch(self, column: int) -> tuple[int, int]:
        """Where the splits of a column begin and end."""
        return int(self._bounds[column]), int(self._bounds[column + 1])

    def _parent(self) -> Bits:
        """A member drawn by its rank: chances fall in a straight line from the best to the last."""
        steep = self._rates.pressure - 1
        drawn = float(self._random.random())
        if steep > 0:
            drawn = (steep + 1 - sqrt((steep + 1) ** 2 - 4 * steep * drawn)) / (2 * steep)
        return self._members[min(int(drawn * len(self._members)), len(self._members) - 1)]
