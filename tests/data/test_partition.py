"""Partitions: whole rows in one group, or records shared out among several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.partition import Partition
from sfumato.errors import ParameterError


def test_whole_rows() -> None:
    partition = Partition.of_labels(np.array([0, 1, 0], dtype=np.int32))
    assert len(partition) == 2
    assert partition.row.tolist() == [0, 1, 2]
    assert partition.counts is None


def test_nobody_makes_no_group() -> None:
    assert len(Partition.of_labels(np.zeros(0, dtype=np.int32))) == 0


@pytest.mark.parametrize("labels", [[0, 2], [1, 1], [-1, 0], [0, 1, 3]])
def test_groups_are_numbered_without_gaps(labels: list[int]) -> None:
    with pytest.raises(ParameterError, match="from 0 without gaps"):
        Partition.of_labels(np.array(labels, dtype=np.int32))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=20))
def test_records_are_counted_by_row_and_group(records: list[tuple[int, int]]) -> None:
    row, group = (np.array(column) for column in zip(*records, strict=True))
    partition = Partition.of_records(row.astype(np.int64), group.astype(np.int32))
    assert partition.counts is not None
    runs = list(zip(partition.row.tolist(), partition.group.tolist(), partition.counts.tolist(), strict=True))
    assert {run[:2]: run[2] for run in runs} == {record: records.count(record) for record in records}
    assert [run[0] for run in runs] == sorted(run[0] for run in runs)


def test_other_rows_get_groups_of_their_own() -> None:
    inner = Partition.of_labels(np.array([1, 0, 1], dtype=np.int32))
    others = np.array([False, True, False, True, False])
    whole = inner.beside(others, np.array([0, 1], dtype=np.int32), np.array([1, 2, 3, 4, 5]))
    assert whole.row.tolist() == [0, 1, 2, 3, 4]
    assert whole.group.tolist() == [1, 2, 0, 3, 1]
    assert whole.counts is not None
    assert whole.counts.tolist() == [1, 2, 3, 4, 5]


def test_shared_out_records_stay_so_beside_others() -> None:
    inner = Partition.of_records(np.array([0, 0, 1]), np.array([0, 1, 1], dtype=np.int32))
    whole = inner.beside(np.array([True, False, False]), np.zeros(1, dtype=np.int32), np.array([7, 2, 1]))
    assert list(zip(whole.row.tolist(), whole.group.tolist(), whole.counts.tolist(), strict=True)) == [  # type: ignore[union-attr]
        (0, 2, 7),
        (1, 0, 1),
        (1, 1, 1),
        (2, 1, 1),
    ]
