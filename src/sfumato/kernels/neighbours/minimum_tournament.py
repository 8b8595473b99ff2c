"""A tournament tree: the player with the smallest value, updated after every change in O(log n).

Node i of the tree has the better of the players at nodes 2i and 2i + 1; the players themselves are the leaves. So node
1 has the winner, and a change of one player affects only the nodes between its leaf and node 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Values = NDArray[np.float64]
Numbers = NDArray[np.int32]


@compiled
def play_tournament(values: Values, ranks: Numbers) -> Numbers:
    """The winner at every node, node 1 the winner of all; -1 where there is no player.

    The lower value wins, and of equal values the lower rank. Cost: O(n).
    """
    size = 1
    while size < len(values):
        size *= 2
    # the leaves are the nodes from `size`, a power of two, on; leaves without a player stay -1
    winners = np.full(2 * size, -1, dtype=np.int32)
    for player in range(len(values)):
        winners[size + player] = player
    for at in range(size - 1, 0, -1):
        winners[at] = _better(winners[2 * at], winners[2 * at + 1], values, ranks)
    return winners


@compiled
def replay(winners: Numbers, values: Values, ranks: Numbers, player: int) -> None:
    """Update the winners after the value or the rank of a player has changed."""
    # the leaf itself never changes, so the walk starts at its parent
    at = (len(winners) // 2 + player) // 2
    while at > 0:
        winners[at] = _better(winners[2 * at], winners[2 * at + 1], values, ranks)
        at //= 2


@compiled
def _better(one: int, other: int, values: Values, ranks: Numbers) -> int:
    """The better of two players: the lower value, then the lower rank; -1 is no player."""
    if other < 0 or one < 0:
        return max(one, other)
    if values[one] == values[other]:
        return one if ranks[one] <= ranks[other] else other
    return one if values[one] < values[other] else other
