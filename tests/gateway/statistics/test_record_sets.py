from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.gateway.statistics.record_sets import RecordSet

close = st.sets(st.integers(0, 300), max_size=200)
wide = st.sets(st.integers(0, 2**32 - 1), max_size=40)
sets = st.one_of(close, wide, st.builds(set.union, close, wide))


@example({0, 1, 2}, {0, 1, 64})
@given(sets, sets)
def test_like_sets(one, other):
    first, second = RecordSet.of(sorted(one)), RecordSet.of(list(other))
    assert (len(first), len(second)) == (len(one), len(other))
    assert first.overlap(second) == second.overlap(first) == len(one & other)
    assert first.difference_size(second) == len(one ^ other)
    assert (first == second) == (one == other)
    assert set(first.all_numbers().tolist()) == one
    assert list(first.all_numbers()) == sorted(one)
    assert all(number < first.bound for number in one)
    asked = np.array(sorted(one | other | {0, 64, 2**32 - 1}))
    assert first.has(asked).tolist() == [number in one for number in asked.tolist()]


@given(close, st.integers(0, 200))
def test_equal_sets_are_equal_whatever_they_were_made_of(numbers, more):
    mask = np.zeros(301 + more, dtype=bool)
    mask[sorted(numbers)] = True
    made = RecordSet.of_mask(mask)
    twice = RecordSet.of(np.array(sorted(numbers) * 2, dtype=np.int32))
    assert made == twice
    assert hash(made) == hash(twice)
    assert made.size == twice.size == len(numbers)


@given(sets)
def test_bytes_give_the_set_back(numbers):
    records = RecordSet.of(sorted(numbers))
    back = RecordSet.of_bytes(records.to_bytes(), bits=records.words is not None)
    assert back == records
    assert back.size == records.size
    assert back.all_numbers().tolist() == sorted(numbers)


def test_many_records_are_bits_and_few_are_a_list():
    many, few = RecordSet.of(np.arange(100_000)), RecordSet.of(np.arange(0, 100_000, 100))
    assert len(many.to_bytes()) == 8 * 1563
    assert len(few.to_bytes()) == 4 * 1000


def test_a_list_and_bits_with_the_same_bytes_are_two_sets():
    bits = RecordSet.of_bytes(b"\1\0\0\0\2\0\0\0", bits=True)
    listed = RecordSet.of_bytes(b"\1\0\0\0\2\0\0\0", bits=False)
    assert bits != listed


@pytest.mark.parametrize("numbers", [[-1, 2], [2**32], [1.5], ["a"], [True, False], [[1, 2]], [2**70]])
def test_what_is_no_record_number(numbers):
    with pytest.raises(ParameterError):
        RecordSet.of(numbers)


def test_only_the_size_is_shown():
    assert repr(RecordSet.of([77, 88])) == "RecordSet(size=2)"
    assert RecordSet.of([1]) != 1
