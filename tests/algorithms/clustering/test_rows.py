"""Blocks of rows, and rows that are too large for one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.algorithms.clustering.rows_of import small_rows


@given(small_rows(), st.integers(2, 9))
def test_blocks_by_record_share_out_every_record(rows, most):
    back = np.zeros(len(rows), dtype=np.int64)
    for places, block in rows.blocks(most, by_record=True):
        assert block.records <= most
        np.testing.assert_array_equal(block.covers.places, rows.covers.places[:, places])
        np.testing.assert_array_equal(block.points, rows.points[places])
        np.add.at(back, places, block.counts)
    np.testing.assert_array_equal(back, rows.counts)


@given(small_rows(), st.integers(2, 9))
def test_blocks_by_row_keep_rows_whole(rows, most):
    found = [(len(block), places, block.counts) for places, block in rows.blocks(most, by_record=False)]
    assert all(size <= most for size, _, _ in found)
    for _, places, counts in found:
        np.testing.assert_array_equal(counts, rows.counts[places])
    assert sum(size for size, _, _ in found) == len(rows)


@given(small_rows())
def test_each_lists_every_record(rows):
    assert np.bincount(rows.each, minlength=len(rows)).tolist() == rows.counts.tolist()
