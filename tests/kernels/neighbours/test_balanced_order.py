from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.balanced_order import halve
from tests.oracles.small_points import small_points


@given(small_points(most=40, at_least=2))
def test_one_round_cuts_the_widest_column_at_its_median(points):
    rows, numbers = points.copy(), np.arange(len(points), dtype=np.int32)
    halve(rows, numbers, 1)
    np.testing.assert_array_equal(rows, points[numbers])
    half = len(points) // 2
    spread = ((points - points.mean(axis=0)) ** 2).sum(axis=0)
    cuts = []
    for column in np.flatnonzero(np.isclose(spread, spread.max())):
        order = sorted(range(len(points)), key=lambda number, column=column: (points[number, column], number))
        cuts.append(sorted(order[:half]))
    assert sorted(numbers[:half].tolist()) in cuts


@given(small_points(most=60), st.integers(0, 4))
def test_parts_are_halves_of_halves(points, rounds):
    rows, numbers = points.copy(), np.arange(len(points), dtype=np.int32)
    halve(rows, numbers, rounds)
    before, early = points.copy(), np.arange(len(points), dtype=np.int32)
    halve(before, early, max(0, rounds - 1))
    assert sorted(numbers.tolist()) == list(range(len(points)))
    for part in range(1 << max(0, rounds - 1)):
        start, stop = (edge * len(points) >> max(0, rounds - 1) for edge in (part, part + 1))
        assert set(numbers[start:stop].tolist()) == set(early[start:stop].tolist())


@pytest.mark.parametrize("order", ["sorted", "reversed", "rotated", "organ pipe", "same"])
def test_sorted_points_are_halved_too(order):
    line = np.arange(4096.0)
    ways = {"sorted": line, "reversed": line[::-1], "rotated": np.roll(line, 1), "same": np.zeros(4096)}
    values = ways.get(order, np.concatenate([line[::2], line[::-2]]))
    rows, numbers = values.reshape(-1, 1).copy(), np.arange(4096, dtype=np.int32)
    halve(rows, numbers, 6)
    parts = rows.reshape(64, 64)
    assert (parts[:-1].max(axis=1) <= parts[1:].min(axis=1)).all()
