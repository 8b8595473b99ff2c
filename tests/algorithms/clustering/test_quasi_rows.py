"""Quasi rows: blocks within the limit, and groups of records that have the sizes of the groups of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.quasi_rows import partition_of, spread_records
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from tests.algorithms.clustering.rows_of import small_rows
from tests.strategies import small_tables


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


@given(small_tables(max_repeats=4), st.data())
def test_groups_get_the_records_they_were_promised(table, data):
    quasi, owner = table.distinct(table.schema.quasi)
    runs = []
    for row, count in enumerate(quasi.counts.tolist()):
        first = data.draw(st.integers(0, count))
        runs += [(row, group, part) for group, part in enumerate((first, count - first)) if part]
    row, group, counts = (np.array(part) for part in zip(*runs, strict=True))
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    found = spread_records(table, owner, row, group, counts)
    assert (np.diff(found.row) >= 0).all()
    np.testing.assert_array_equal(np.bincount(found.row, weights=found.counts), table.counts)
    for one in range(int(group.max()) + 1):
        got = np.bincount(owner[found.row], weights=found.counts * (found.group == one), minlength=len(quasi))
        asked = np.bincount(row, weights=counts * (group == one), minlength=len(quasi))
        np.testing.assert_array_equal(got, asked)


def test_secrets_are_spread_evenly_over_the_groups():
    rows = {"q": ["a"] * 8, "s": ["flu"] * 4 + ["cold"] * 4}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["s"]), rows)
    _, owner = table.distinct(table.schema.quasi)
    found = spread_records(table, owner, np.array([0, 0]), np.array([0, 1], dtype=np.int32), np.array([4, 4]))
    assert sorted(zip(found.row.tolist(), found.group.tolist(), found.counts.tolist(), strict=True)) == [
        (0, 0, 2),
        (0, 1, 2),
        (1, 0, 2),
        (1, 1, 2),
    ]


def test_whole_rows_need_no_counts_and_equal_runs_become_one():
    table = Table.of_rows(
        Schema.of(quasi=["q"], sensitive=["s"]), {"q": ["a", "a", "b", "b"], "s": ["x", "y", "x", "x"]}
    )
    _, owner = table.distinct(table.schema.quasi)
    whole = Partition(np.array([0, 1, 2]), np.array([0, 0, 1], dtype=np.int32), np.array([1, 1, 2]))
    assert partition_of(table, owner, whole).counts is None
    torn = Partition(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 1], dtype=np.int32), np.array([1, 1, 1, 1]))
    found = partition_of(table, owner, torn)
    assert found.row.tolist() == [0, 1, 2]
    assert found.counts is not None
    assert found.counts.tolist() == [1, 1, 2]
