from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets.hospital import ROWS
from sfumato.engines.base import Counted
from sfumato.plan.distinguishability import Separation


def counted(columns: dict[str, list[str]]) -> Counted:
    raw, codes = {}, {}
    for name, values in columns.items():
        raw[name] = sorted(set(values))
        codes[name] = np.array([raw[name].index(value) for value in values], dtype=np.int32)
    return Counted(raw, codes, np.ones(len(next(iter(columns.values()))), dtype=np.int64))


def test_job_and_age_of_the_running_example() -> None:
    """Golden D5: {Job, Age} of table B2 has distinct ratio 5/7 and separation ratio 19/21."""
    found = Separation.of_columns(counted(ROWS), ["Job", "Age"])
    assert found.distinct == pytest.approx(5 / 7)
    assert found.separated == pytest.approx(19 / 21)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=12))
def test_it_equals_counting_pairs(rows: list[tuple[int, int]]) -> None:
    table = counted({"a": [str(a) for a, _ in rows], "b": [str(b) for _, b in rows]})
    pairs = list(combinations(rows, 2))
    found = Separation.of_columns(table, ["a", "b"])
    assert found.distinct == pytest.approx(len(set(rows)) / len(rows))
    assert found.separated == pytest.approx(sum(one != two for one, two in pairs) / len(pairs))


def test_no_columns_and_one_record_tell_nobody_apart() -> None:
    assert Separation.of_columns(counted(ROWS), []) == Separation(1 / 7, 0.0)
    assert Separation.of_sizes(np.array([1])) == Separation(1.0, 0.0)
