import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.three_phases import three_phases
from tests.algorithms.bucketization.some_records import copied, nine_patients, plain, same, small_records
from tests.oracles.bucketing_oracle import (
    draw_plainly,
    incompatible_tuples,
    members,
    three_phases_plainly,
    valid_values,
)


def numbered(groups):
    """Patients are counted from 1."""
    return [[record + 1 for record in group] for group in groups]


def test_two_values_for_nine_patients():
    records = nine_patients()
    groups, rest = draw_plainly(records, 2)
    assert ([sorted(group) for group in numbered(groups)], rest) == ([[1, 5], [3, 4], [6, 8], [7, 9]], [1])
    assert numbered(members(three_phases(records, 2))) == [[1, 2, 5], [3, 4], [6, 8], [7, 9]]


def test_three_values_for_nine_patients():
    records = nine_patients()
    groups, rest = draw_plainly(records, 3)
    assert ([sorted(group) for group in numbered(groups)], len(rest)) == ([[3, 4, 5]], 6)
    assert numbered(members(three_phases(records, 3))) == [[1, 2, 3, 4, 5, 6, 7, 8, 9]]


def test_every_patient_keeps_as_many_values():
    records = nine_patients()
    for group in members(three_phases(records, 2)):
        assert min(len(values) for values in valid_values(records, group)) >= 2


def test_incompatible_tuples_of_nine_patients():
    records = nine_patients()
    others = [[other for other in range(9) if other != record] for record in range(9)]
    counts = [incompatible_tuples(records, [record], others[record]) for record in range(9)]
    assert counts == [7, 7, 2, 4, 2, 4, 4, 4, 4]


@given(small_records(most=6, values=4), st.integers(2, 3))
def test_groups_are_those_of_the_plain_algorithm(records, l):
    buckets = three_phases(records, l)
    assert sorted(members(buckets)) == three_phases_plainly(records, l)


@given(small_records(most=6, values=4, own_value=False), st.integers(1, 3))
def test_everybody_placed_has_l_valid_values(records, l):
    before = copied(records)
    buckets = three_phases(records, l)
    assert buckets.dtype == np.int32
    assert same(records, before)
    impossible = records.ruled_out[records.exclusion, records.value]
    assert (buckets[impossible] == -1).all()
    for group in members(buckets):
        assert group
        assert min(len(values) for values in valid_values(records, group)) >= l


def test_without_any_group_all_become_one_as_far_as_that_will_do():
    everyone_alike = plain([0, 0, 0], [0, 0, 0], [[False, False]])
    assert three_phases(everyone_alike, 2).tolist() == [-1, -1, -1]
    assert three_phases(everyone_alike, 1).tolist() == [0, 1, 2]


def test_whoever_can_have_too_few_values_does_not_make_others_merge():
    narrow = [[False] * 3, [False, True, True]]
    records = plain([0, 0, 1, 2, 1], [1, 0, 0, 0, 0], narrow)
    buckets = three_phases(records, 2)
    assert buckets[0] == -1
    assert sorted(map(len, members(buckets))) == [2, 2]


@pytest.mark.parametrize("l", [3, 6])
def test_many_records(l):
    random = np.random.default_rng(l)
    ruled_out = np.zeros((4, 10), dtype=bool)
    ruled_out[[1, 2, 3], [0, 1, 2]] = True
    value, exclusion = random.integers(3, 10, 2_000), random.integers(0, 4, 2_000)
    buckets = three_phases(plain(value, exclusion, ruled_out), l)
    assert buckets.min() == 0
    assert np.bincount(buckets).min() >= l
