from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.mhm import nearest_next, path_through_groups
from tests.oracles import plain_paths
from tests.oracles.small_points import small_points


@given(small_points())
def test_the_walk_is_the_plain_one(points):
    centre = points.mean(axis=0)
    assert nearest_next(points, centre).tolist() == plain_paths.farthest_first(points, centre)


@pytest.mark.parametrize("widest", [3, 10_000])
def test_the_walk_is_the_plain_one_on_many_points(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(400, 3)).astype(np.float64)
    centre = points.mean(axis=0)
    assert nearest_next(points, centre).tolist() == plain_paths.farthest_first(points, centre)


@given(small_points(most=12), st.lists(st.integers(1, 4), min_size=12, max_size=12))
def test_a_thread_through_groups_is_the_plain_one(points, sizes):
    stops = np.minimum(np.cumsum(sizes), len(points))
    stops = np.unique(stops).astype(np.int64)
    members = np.random.default_rng(len(points)).permutation(len(points)).astype(np.int32)
    groups = [sorted(group.tolist()) for group in np.split(members, stops[:-1])]
    centre, order = points.mean(axis=0), []
    for group in groups:
        distances = [((points[one] - (points[order[-1]] if order else centre)) ** 2).sum() for one in group]
        start = group[int(np.argmin(distances) if order else np.argmax(distances))]
        order += plain_paths.walk(points, start, group)
    ascending = np.concatenate(groups).astype(np.int32)
    assert path_through_groups(points, ascending, stops, centre).tolist() == order
