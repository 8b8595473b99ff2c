"""Blocks share out all rows, stay within the limit and cut where it helps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.compact_blocks import compact_blocks
from sfumato.algorithms.clustering.covering import covers_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from tests.algorithms.clustering.rows_of import small_rows


@given(small_rows(max_rows=12), st.integers(1, 12))
def test_every_row_is_in_one_block_within_the_limit(rows, most):
    blocks = list(compact_blocks(rows.covers, rows.counts, most))
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(rows)))
    for block in blocks:
        assert len(block) == 1 or rows.counts[block].sum() <= most
        assert (np.diff(block) > 0).all()


def test_it_cuts_between_two_crowds():
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), {"x": ["1", "2", "90", "91"], "y": ["a", "b", "a", "b"]})
    blocks = compact_blocks(covers_of(table, sets=True), np.ones(4, dtype=np.int64), 2)
    by_x = {tuple(table.codes["x"][block].tolist()) for block in blocks}
    by_y = {
        tuple(sorted(set(table.codes["y"][block].tolist())))
        for block in compact_blocks(covers_of(table, sets=True), np.ones(4, dtype=np.int64), 2)
    }
    assert by_x == {(0, 1), (2, 3)} or by_y == {(0,), (1,)}


def test_equal_values_are_only_parted_where_they_must_be():
    """Of six rows four are alike in the one column: the middle would part them."""
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": ["1", "1", "1", "1", "5", "9"]})
    each = np.repeat(np.arange(len(table)), table.counts)
    covers = covers_of(table.rows_at(each, np.ones(6, dtype=np.int64)), sets=True)
    blocks = [block.tolist() for block in compact_blocks(covers, np.ones(6, dtype=np.int64), 4)]
    assert sorted(blocks) == [[0, 1, 2, 3], [4, 5]]
