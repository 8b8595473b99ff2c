from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks import RankLinkage
from sfumato.engines.frames.paired_sources import side_by_side
from sfumato.masks import RankSwapping


@given(st.lists(st.integers(-99, 99), min_size=2, max_size=40, unique=True), st.floats(0.01, 1), st.integers(0, 9))
def test_values_swap_in_pairs_within_reach(values, width, seed):
    made = RankSwapping(width=width).mask(pa.table({"v": values}), ["v"], seed=seed)["v"].to_pylist()
    rank = {value: place for place, value in enumerate(sorted(values))}
    became = dict(zip(values, made, strict=True))
    assert all(became[became[value]] == value for value in values)
    reach = max(int(width * len(values) + 1e-9), 1)
    assert all(abs(rank[value] - rank[became[value]]) <= reach for value in values)
    assert sum(value == became[value] for value in values) <= len(values) / 2 + 1


def test_columns_keep_their_values_and_lose_what_they_had_in_common(wide):
    frame, matrix = wide
    made = RankSwapping(width=1).mask(frame, ["x", "y"], seed=1)
    assert sorted(made["x"].to_pylist()) == sorted(matrix[:, 0])
    assert abs(np.corrcoef(made["x"], made["y"])[0, 1]) < abs(np.corrcoef(matrix.T)[0, 1]) / 2
    narrow = RankSwapping(width=0.01).mask(frame, ["x", "y"], seed=1)
    assert np.corrcoef(narrow["x"], narrow["y"])[0, 1] == pytest.approx(np.corrcoef(matrix.T)[0, 1], abs=0.01)


def test_whoever_knows_the_width_finds_everybody_in_reach(wide):
    frame, _ = wide
    small = frame.slice(0, 300)
    made = RankSwapping(width=0.05).mask(small, ["x", "y", "z"], seed=1)
    pair = side_by_side(small, made)
    blind, knowing = (RankLinkage(width=width).run(pair).rate for width in (0.01, 0.055))
    assert knowing > 0.3
    assert blind < knowing / 3


def test_missing_values_take_no_part():
    made = RankSwapping(width=1).mask(pa.table({"v": [1, None, 2, None]}), ["v"], seed=1)["v"].to_pylist()
    assert made == [2, None, 1, None]
