from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.row_blocks import row_blocks
from tests.oracles.small_points import small_points


@given(small_points(most=80), st.integers(2, 20))
def test_every_point_is_in_one_block_of_fair_size(points, size):
    before = points.copy()
    blocks = row_blocks(points, size)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(points)))
    assert all((np.diff(block) > 0).all() for block in blocks)
    assert max(map(len, blocks)) <= size
    assert len(blocks) == 1 or min(map(len, blocks)) >= size // 2
    np.testing.assert_array_equal(points, before)


@pytest.mark.parametrize("points", [np.ones((30_000, 2)), np.arange(30_000.0).reshape(-1, 1)], ids=["same", "line"])
def test_points_without_a_valley_are_cut_in_the_middle(points):
    blocks = row_blocks(points, 1000)
    assert 30 <= len(blocks) <= 60
    assert {len(block) for block in blocks} <= set(range(500, 1001))
