"""How hot a search is, from its first moves to its last, whether moves are counted or time."""

from __future__ import annotations

import time
from math import inf

import numpy as np
from numpy.typing import NDArray

HOT, TOP, COLD = 3.0, 0.2, 0.03
"""Temperatures: at the beginning the larger of so many times what a record costs on average and a share of what the
dearest group costs, lest it stay as it is; at the end a share of what a record costs in a typical group."""

MELTING, MELTING_TOP = 90.0, 1_000.0
"""With fewer moves for each record there is no time to find back from either heat; it begins colder."""

STILL = 0.97
"""From this share of a round on, nothing is done that costs something."""

ROUND, ROUNDS = 20_000.0, 4
"""A round that tries so many moves for each record gains little from more; then others follow, at most so many."""

AGAIN = 0.1
"""How hot every other round begins, in shares of the others: it mends what was found, they look elsewhere."""

VISIT, VISITS = 50, 50
"""How many moves are tried in a visit for each record at most, and how many visits there should be at least."""

PACE = 4e6
"""About how many moves are tried in a second: only for a guess of what a time limit will allow."""


class Cooling:
    """The state of a search that begins hot and ends cold, in one round or several.

    It is over when `effort` moves were tried for each record or `seconds` have gone by, and the share of it that is
    behind us is whichever of the two is further on.
    """

    def __init__(self, records: int, effort: float, seconds: float | None, started: float) -> None:
        self._moves, self._tried = effort * records, 0
        self._seconds, self._started = inf if seconds is None else seconds, started
        expected = min(effort, self._seconds * PACE / records)
        self._rounds = int(min(max(expected // ROUND, 1), ROUNDS))
        self.visit = int(min(max(expected / VISITS, 1), VISIT))
        self._heats = HOT * min(1.0, expected / MELTING), TOP * min(1.0, expected / MELTING_TOP)
        self._hot, self._cold = 0.0, 0.0

    def calibrate(self, losses: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        """Read the temperatures from the SSE of the groups at the beginning."""
        average, most = float(losses.sum() / sizes.sum()), float(losses.max())
        self._hot = max(self._heats[0] * average, self._heats[1] * most)
        # Where most groups lose nothing, their median would be no temperature.
        typical = float(np.median(losses / sizes))
        self._cold = min(COLD * max(typical, 1e-3 * self._hot), self._hot)

    @property
    def share(self) -> float:
        """How much of the search is behind us; 1 or more when it is over."""
        by_moves = self._tried / self._moves if self._moves else 1.0
        by_time = (time.monotonic() - self._started) / self._seconds if self._seconds else 1.0
        return max(by_moves, by_time)

    @property
    def turn(self) -> int:
        """The number of the round, from 0."""
        return int(self.share * self._rounds)

    @property
    def over(self) -> bool:
        """Whether moves or time are used up."""
        return self.share >= 1.0

    @property
    def temperature(self) -> float:
        """Falls by the same factor with every step of a round, and is 0 in the last ones."""
        share = 1.0 if self.over else self.share * self._rounds % 1.0
        hot = self._hot if self.turn % 2 == 0 else max(AGAIN * self._hot, self._cold)
        return 0.0 if share >= STILL else hot * (self._cold / hot) ** (share / STILL)

    def count(self, moves: int) -> None:
        """Say that so many moves were tried."""
        self._tried += moves
