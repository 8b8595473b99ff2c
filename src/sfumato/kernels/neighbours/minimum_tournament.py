"""Who has the least, asked again after every change: winners of pairs meet each other up to the last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Values = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def held(values: Values, ranks: Numbers) -> Numbers:
    """The winners of a tournament: the last at 1, those whom it met at 2 and 3, and so on; -1 where nobody played.

    The lower value wins, of equal ones the lower rank.
    """
    size = 1
    while size < len(values):
        size *= 2
    winners = np.full(2 * size, -1, dtype=np.int32)
    for player in range(len(values)):
        winners[size + player] = player
    for at in range(size - 1, 0, -1):
        winners[at] = _better(winners[2 * at], winners[2 * at + 1], values, ranks)
    return winners


@compiled
def replay(winners: Numbers, values: Values, ranks: Numbers, player: int) -> None:
    """Hold the games of a player again, whose value or rank has changed."""
    at = (len(winners) // 2 + player) // 2
    while at > 0:
        winners[at] = _better(winners[2 * at], winners[2 * at + 1], values, ranks)
        at //= 2


@compiled
def _better(one: int, other: int, values: Values, ranks: Numbers) -> int:
    if other < 0 or one < 0:
        return max(one, other)
    if values[one] == values[other]:
        return one if ranks[one] <= ranks[other] else other
    return one if values[one] < values[other] else other
