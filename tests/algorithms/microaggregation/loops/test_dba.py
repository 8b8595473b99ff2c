from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.dba import dense_groups
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


def in_groups(points, k):
    """The first k of every plain group: leftovers are put at the end."""
    groups = plain.dba_1(points, k) if len(points) >= k else []
    return plain.labels_of([group[:k] for group in groups], len(points)).tolist()


@given(small_points(), st.integers(1, 6))
def test_groups_are_those_of_the_plain_loop(points, k):
    assert dense_groups(points, k).tolist() == in_groups(points, k)


@pytest.mark.parametrize("widest", [5, 1000])
def test_groups_are_those_of_the_plain_loop_on_many_points(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(170, 2)).astype(np.float64)
    assert dense_groups(points, 4).tolist() == in_groups(points, 4)
