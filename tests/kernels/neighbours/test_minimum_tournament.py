from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.minimum_tournament import play_tournament, replay


def least(values, ranks):
    return min(range(len(values)), key=lambda player: (values[player], ranks[player]))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_the_winner_has_the_least_after_every_change(numbers, data):
    values = np.array(numbers, dtype=np.float64)
    ranks = np.array(data.draw(st.permutations(range(len(numbers)))), dtype=np.int32)
    winners = play_tournament(values, ranks)
    assert winners[1] == least(values, ranks)
    for player in data.draw(st.lists(st.integers(0, len(numbers) - 1), max_size=10)):
        values[player] = data.draw(st.sampled_from([0.0, 2.0, np.inf]))
        replay(winners, values, ranks, player)
        assert winners[1] == least(values, ranks)
