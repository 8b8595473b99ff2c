from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.leftovers import with_leftovers
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


def test_whoever_is_left_joins_the_nearest_centroid():
    points = np.array([[0.0], [2.0], [10.0], [12.0], [5.0], [7.0]])
    labels = np.array([0, 0, 1, 1, -1, -1], dtype=np.int32)
    assert with_leftovers(points, labels).tolist() == [0, 0, 1, 1, 0, 1]


def test_centroids_stay_while_records_join():
    """Were the first group's centroid to move to 3, the last record would be nearer to it."""
    points = np.array([[0.0], [0.0], [10.0], [4.9], [5.1]])
    assert with_leftovers(points, np.array([0, 0, 1, -1, -1], dtype=np.int32)).tolist() == [0, 0, 1, 0, 1]


def test_where_nobody_has_a_group_all_get_one():
    assert with_leftovers(np.zeros((2, 1)), np.array([-1, -1], dtype=np.int32)).tolist() == [0, 0]


def test_where_nobody_is_left_nothing_changes():
    labels = np.array([0, 1, 0], dtype=np.int32)
    found = with_leftovers(np.zeros((3, 1)), labels)
    assert found.tolist() == [0, 1, 0]
    assert found is not labels


@given(small_points(at_least=4), st.integers(1, 3))
def test_records_join_as_in_the_plain_way(points, groups):
    labels = np.where(np.arange(len(points)) % 4 == 3, -1, np.arange(len(points)) % groups).astype(np.int32)
    members = [np.flatnonzero(labels == group).tolist() for group in range(groups)]
    joined = plain.with_leftovers(points, members, np.flatnonzero(labels < 0).tolist())
    assert with_leftovers(points, labels).tolist() == plain.labels_of(joined, len(points)).tolist()
