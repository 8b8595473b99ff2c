"""Increases of absolute deviations from the median against the sum itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.absolute_loss import AbsoluteLoss

POINTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9)


@given(POINTS)
def test_increases_add_up_to_the_deviations_from_the_medians(points):
    places = np.array(points, dtype=np.float64)
    loss, total = AbsoluteLoss(places, 1), 0.0
    for row in range(len(places)):
        total += loss.increases(row)[0]
        loss.join(row, 0, 1)
    assert total == pytest.approx(np.abs(places - np.median(places, axis=0)).sum(), abs=1e-9)


def test_what_lies_between_the_two_middle_values_is_free():
    loss = AbsoluteLoss(np.array([[0.0], [10.0], [4.0], [12.0]]), 1)
    loss.join(0, 0, 1)
    loss.join(1, 0, 1)
    assert loss.increases_by(0).tolist() == [0.0, 0.0, 0.0, 2.0]
