from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.torn_groups import regrouped
from tests.golden.reference_sets import loss
from tests.oracles.small_points import numbered, small_points


def mdav_3(points):
    return mdav_groups(points, 3, ending="mdav")


@given(small_points(most=60, at_least=12), st.integers(3, 60))
def test_groups_stay_groups_and_never_cost_more(points, size):
    labels = np.arange(len(points), dtype=np.int32) % (len(points) // 3)
    made = regrouped(points, labels, size, mdav_3)
    assert np.bincount(made).min() >= 3
    if np.ptp(points) > 0:
        assert loss(points, made) <= loss(points, labels) + 1e-9
    assert len(np.unique(made)) == made.max() + 1


def test_what_blocks_tore_apart_comes_together():
    """Three clusters in three blocks: one record of each is left over in every block, and these were grouped."""
    cluster = np.arange(36) % 3
    points = (100.0 * cluster + np.arange(36) / 36).reshape(-1, 1)
    block = np.arange(36) // 12
    labels = (4 * block + np.where(np.arange(36) % 12 < 9, cluster, 3)).astype(np.int32)
    made = regrouped(points, labels, 9, mdav_3)
    assert loss(points, labels) > 10
    assert loss(points, made) < 0.01
    assert numbered(made, 3, 5)


def test_groups_larger_than_the_size_stay_as_they_are():
    points, labels = np.array([[0.0], [9.0], [1.0], [2.0]]), np.array([0, 0, 0, 0], dtype=np.int32)
    assert regrouped(points, labels, 3, mdav_3) is labels
