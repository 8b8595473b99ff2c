"""Numbers of equal records, and the runs they belong to, against plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.equal_records import number_equal, runs_of


@given(st.lists(st.integers(0, 4)), st.data())
def test_equal_records_are_numbered_on_from_batch_to_batch(records, data):
    numbers, cut = np.array(records, dtype=np.int32), data.draw(st.integers(0, len(records)))
    seen = np.zeros(5, dtype=np.int64)
    found = np.concatenate([number_equal(part, seen) for part in (numbers[:cut], numbers[cut:])])
    assert found.tolist() == [records[:at].count(number) for at, number in enumerate(records)]
    assert seen.tolist() == [records.count(number) for number in range(5)]


@given(st.data())
def test_records_fill_their_runs_exactly_in_order(data):
    runs = data.draw(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=5), min_size=1, max_size=5))
    starts = np.cumsum([0, *map(len, runs)]).astype(np.int64)
    ends = np.array([end for run in runs for end in np.cumsum(run)], dtype=np.int64)
    numbers = np.repeat(np.arange(len(runs)), [sum(run) for run in runs]).astype(np.int32)
    numbers = np.array(data.draw(st.permutations(numbers.tolist())), dtype=np.int32)
    ordinals = number_equal(numbers, np.zeros(len(runs), dtype=np.int64))
    found = runs_of(numbers, ordinals, starts, ends)
    np.testing.assert_array_equal(np.bincount(found, minlength=len(ends)), [quota for run in runs for quota in run])
    for number in range(len(runs)):
        assert (np.diff(found[numbers == number]) >= 0).all()


def test_records_beyond_the_last_run_belong_to_it():
    starts, ends = np.array([0, 2], dtype=np.int64), np.array([1, 3], dtype=np.int64)
    ordinals = np.arange(5, dtype=np.int64)
    assert runs_of(np.zeros(5, dtype=np.int32), ordinals, starts, ends).tolist() == [0, 1, 1, 1, 1]
