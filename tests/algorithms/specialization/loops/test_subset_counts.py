"""Cubes of label combinations against plain counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.specialization.loops.subset_counts import affected_rows, cube, fold_pair, look_up, relabel


@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 5])
@given(seed=st.integers(0, 2**32 - 1))
def test_counting_by_several_blocks(blocks: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    keys = random.integers(0, 3, (6, 50)).astype(np.uint32)
    chosen = random.permutation(6)[:blocks].astype(np.int64)
    strides = 3 ** np.arange(blocks)[::-1].astype(np.int64)
    counts = random.integers(1, 4, 50)
    found = cube(keys, chosen, strides, counts, 3**blocks)
    expected = Counter()
    for row in range(50):
        expected[sum(int(keys[at, row]) * int(stride) for at, stride in zip(chosen, strides, strict=True))] += counts[
            row
        ]
    assert {at: count for at, count in enumerate(found.tolist()) if count} == dict(expected)


@given(st.integers(0, 2**32 - 1))
def test_rows_pairs_and_labels(seed: int) -> None:
    random = np.random.default_rng(seed)
    codes, other = (random.integers(0, 5, 40).astype(np.uint32) for _ in range(2))
    part_of = random.integers(0, 3, 5).astype(np.uint32)
    rows = affected_rows(codes, part_of, 2)
    assert rows.tolist() == np.flatnonzero(part_of[codes] < 2).tolist()
    assert look_up(rows, codes, part_of).tolist() == part_of[codes[rows]].tolist()
    assert fold_pair(rows, codes, other, 5).tolist() == (codes[rows] * 5 + other[rows]).tolist()
    labels = np.zeros(40, dtype=np.uint32)
    relabel(rows, labels, codes, part_of, 7)
    assert labels.tolist() == np.where(part_of[codes] == 1, 7, 0).tolist()
