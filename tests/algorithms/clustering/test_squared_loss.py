"""Increases of the sum of squared errors against the sum itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.squared_loss import SquaredLoss

POINTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=8)


@given(POINTS)
def test_increases_add_up_to_the_squared_errors(points):
    places = np.array(points, dtype=np.float64)
    loss, total = SquaredLoss(places, 1), 0.0
    for row in range(len(places)):
        total += loss.increases(row)[0]
        loss.join(row, 0, 1)
    assert total == pytest.approx(((places - places.mean(axis=0)) ** 2).sum(), abs=1e-9)


def test_several_records_move_the_mean_at_once():
    loss = SquaredLoss(np.array([[0.0], [4.0]]), 1)
    loss.join(0, 0, 1)
    loss.join(1, 0, 3)
    assert loss.mean.tolist() == [[3.0]]
