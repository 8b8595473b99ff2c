import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.group_merging import hopeless_classes, place_by_merging
from sfumato.algorithms.bucketization.guarded_members import guarded_buckets
from sfumato.algorithms.bucketization.record_classes import Classes
from tests.algorithms.bucketization.some_records import copied, nine_patients, plain, same, small_records
from tests.oracles.bucketing_oracle import members, possible, valid_values


def test_the_second_woman_with_ovarian_cancer_joins_the_first():
    records = nine_patients()
    buckets = place_by_merging(records, 2, guarded_buckets(records, 2))
    assert buckets[0] == buckets[1] == buckets[4]
    assert sorted(np.bincount(buckets).tolist()) == [2, 2, 2, 3]
    for group in members(buckets):
        assert min(len(values) for values in valid_values(records, group)) >= 2


@given(small_records(most=6, own_value=False), st.integers(1, 3))
def test_everybody_placed_has_l_valid_values(records, l):
    before, buckets = copied(records), guarded_buckets(records, l)
    given_buckets = buckets.copy()
    found = place_by_merging(records, l, buckets)
    assert same(records, before)
    assert np.array_equal(buckets, given_buckets)
    for group in members(found):
        assert group
        assert min(len(values) for values in valid_values(records, group)) >= l


@given(small_records(most=8, own_value=False), st.integers(1, 4))
def test_hopeless_are_those_with_too_few_values_to_choose_from(records, l):
    classes = Classes.of_records(records)
    hopeless = hopeless_classes(records, classes, l)[classes.of]
    assert np.flatnonzero(~hopeless).tolist() == possible(records, l)


def test_buckets_are_merged_for_who_needs_their_values():
    """The last record can have values 0, 2 and 4 only, no two of which are in one bucket with each other."""
    ruled_out = [[False] * 5, [False, True, False, True, False]]
    records = plain([0, 1, 2, 3, 4], [0, 0, 0, 0, 1], ruled_out)
    buckets = place_by_merging(records, 3, np.array([0, 0, 1, 1, -1], dtype=np.int32))
    assert buckets.tolist() == [0, 0, 0, 0, 0]
    assert place_by_merging(records, 2, np.array([0, 0, 1, 1, -1], dtype=np.int32)).tolist() == [0, 0, 1, 1, 0]


def test_nobody_left_over_changes_nothing():
    records = plain([0, 1], [0, 0], [[False, False]])
    assert place_by_merging(records, 2, np.array([0, 0], dtype=np.int32)).tolist() == [0, 0]
