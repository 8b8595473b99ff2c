from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.cbfs_groups import cbfs_groups
from sfumato.algorithms.microaggregation.splitting import split
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


def test_groups_below_2k_are_left_alone():
    labels = np.array([1, 0, 1, 0, 1], dtype=np.int32)
    assert split(np.zeros((5, 1)), labels, 2, lambda points, k: 1 / 0).tolist() == labels.tolist()


def test_a_large_group_is_grouped_anew_by_itself():
    points = np.array([[0.0], [9.0], [5.0], [0.0], [9.0], [5.0]])
    labels = np.array([1, 1, 0, 1, 1, 0], dtype=np.int32)
    assert split(points, labels, 2, cbfs_groups).tolist() == [1, 2, 0, 1, 2, 0]


@given(small_points(), st.integers(1, 4), st.integers(1, 3))
def test_groups_are_cut_as_in_the_plain_way(points, k, groups):
    labels = (np.arange(len(points)) % min(groups, len(points))).astype(np.int32)
    members = [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]
    found = split(points, labels, k, cbfs_groups)
    assert same(found, plain.split(points, members, k, plain.cbfs))
    assert numbered(found, min(k, np.bincount(labels).min()), 2 * k - 1) or len(points) < 2 * k
