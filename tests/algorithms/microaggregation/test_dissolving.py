from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.dissolving import dissolved, heaviest_first, latest_first
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import same, small_points

PAIRS = np.array([[0.0], [1.0], [1.0], [10.0], [10.0], [11.0]])
LABELS = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)


def test_a_group_that_spans_two_others_is_given_up():
    assert dissolved(PAIRS, LABELS, heaviest_first(PAIRS, LABELS)).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_group_that_helps_stays():
    points = np.array([[0.0], [1.0], [5.0], [5.0], [10.0], [11.0]])
    assert dissolved(points, LABELS, latest_first(LABELS)).tolist() == LABELS.tolist()


def test_no_group_grows_above_the_most():
    """The middle group could only be given up by one more than two."""
    assert dissolved(PAIRS, LABELS, heaviest_first(PAIRS, LABELS), most=2).tolist() == LABELS.tolist()
    assert dissolved(PAIRS, LABELS, heaviest_first(PAIRS, LABELS), most=3).tolist() == [0, 0, 0, 1, 1, 1]


def test_orders():
    assert heaviest_first(PAIRS, LABELS).tolist() == [1, 0, 2]
    assert latest_first(LABELS).tolist() == [2, 1, 0]


@given(small_points(), st.integers(1, 4))
def test_it_never_loses_more_and_numbers_without_gaps(points, k):
    groups = plain.cbfs(points, k)
    labels = plain.labels_of(groups, len(points))
    found = dissolved(points, labels, heaviest_first(points, labels))
    assert same(found, plain.dissolved(points, groups, plain.heaviest_first(points, groups)))
    after = [np.flatnonzero(found == group).tolist() for group in range(found.max() + 1)]
    assert all(len(group) >= min(k, len(points)) for group in after)
    assert plain.loss(points, after) <= plain.loss(points, groups) + 1e-9
