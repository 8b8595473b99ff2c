from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.pairwise_systematic import end_groups
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points

READINGS = [("seed", "held"), ("seed", "retaken"), ("centroid", "held"), ("centroid", "retaken")]


def made(points, k, nearest, last):
    ups = np.argsort(points.sum(axis=1), kind="stable").astype(np.int32)
    downs = np.argsort(-points.sum(axis=1), kind="stable").astype(np.int32)
    return end_groups(points, k, ups, downs, nearest == "centroid", last == "held").tolist()


def expected(points, k, nearest, last):
    return plain.labels_of(plain.pairwise_systematic(points, k, nearest, last), len(points)).tolist()


@pytest.mark.parametrize(("nearest", "last"), READINGS)
@given(points=small_points(), k=st.integers(1, 6))
def test_groups_are_those_of_the_plain_loop(nearest, last, points, k):
    assert made(points, k, nearest, last) == expected(points, k, nearest, last)


@pytest.mark.parametrize(("nearest", "last"), READINGS)
def test_groups_are_those_of_the_plain_loop_on_many_points(nearest, last):
    points = np.random.default_rng(3).integers(0, 40, size=(400, 2)).astype(np.float64)
    assert made(points, 3, nearest, last) == expected(points, 3, nearest, last)
