from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.line_groups import line_groups, one_column_groups
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.plain_paths import least_cut
from tests.oracles.small_points import numbered, small_points


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 4))
def test_no_other_groups_of_numbers_are_better(numbers, k):
    points = np.array(numbers, dtype=np.float64)[:, None]
    labels = one_column_groups(points, k)
    expected = least_sse(points, k) if len(points) >= k else sse(points, labels)
    assert sse(points, labels) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(1, 4))
def test_no_other_cut_of_a_sorted_list_is_better(numbers, k):
    points = np.array(numbers)[:, None]
    labels = one_column_groups(points, k)
    if len(points) >= k:
        assert sse(points, labels) == pytest.approx(least_cut(np.sort(points, axis=0), k), rel=1e-9, abs=1e-9)
    assert numbered(labels, k, 2 * k - 1)


@given(small_points(most=12), st.integers(1, 4), st.randoms(use_true_random=False))
def test_groups_are_runs_of_the_order_that_is_given(points, k, random):
    order = np.array(random.sample(range(len(points)), len(points)), dtype=np.int32)
    labels = line_groups(points, order, k)
    assert (np.diff(labels[order]) >= 0).all()
    expected = least_cut(points[order], k) if len(points) >= k else sse(points, labels)
    assert sse(points, labels) == pytest.approx(expected, abs=1e-9)
