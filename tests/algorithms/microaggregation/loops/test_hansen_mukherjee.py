from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.hansen_mukherjee import cut_line
from tests.oracles.optimal_microaggregation import sse
from tests.oracles.plain_paths import least_cut
from tests.oracles.small_points import numbered, small_points


@given(small_points(most=12), st.integers(1, 5))
def test_no_cut_is_better(points, k):
    labels = cut_line(points, k)
    assert (np.diff(labels) >= 0).all()
    assert numbered(labels, k, 2 * k - 1)
    expected = least_cut(points, k) if len(points) >= k else sse(points, labels)
    assert sse(points, labels) == pytest.approx(expected, abs=1e-9)


def test_small_distances_far_from_zero_are_not_lost():
    points = 1e9 + np.array([[0.0], [1.0], [2.0], [5.0], [6.0]])
    assert cut_line(points, 2).tolist() == [0, 0, 0, 1, 1]
