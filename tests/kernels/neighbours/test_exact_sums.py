from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.exact_sums import exact_means, exact_sums, subtract


def plain_sums(points):
    return [math.fsum(column) for column in points.T]


def test_sums_stay_exact_while_points_are_taken_away():
    random = np.random.default_rng(1)
    points = random.normal(size=(20_000, 3)) * 10.0 ** random.integers(-6, 7, size=(20_000, 1))
    sums = exact_sums(points)
    assert sums[0].tolist() == plain_sums(points)
    for row in range(19_990):
        subtract(sums, points[row])
        if row % 1000 == 0 or row > 19_980:
            assert sums[0].tolist() == plain_sums(points[row + 1 :])


@given(st.lists(st.tuples(st.integers(-1, 4), st.floats(-1e9, 1e9)), min_size=1))
def test_means_of_groups(records):
    labels = np.array([label for label, _ in records] + list(range(5)), dtype=np.int32)
    points = np.array([[value] for _, value in records] + [[0.5]] * 5)
    expected = [math.fsum(points[labels == group, 0]) / (labels == group).sum() for group in range(5)]
    assert exact_means(points, labels, 5)[:, 0].tolist() == pytest.approx(expected, rel=1e-15, abs=1e-300)
