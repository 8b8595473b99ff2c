import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.member_exchange import place_by_exchange
from tests.algorithms.bucketization.some_records import copied, plain, same, small_records
from tests.oracles.bucketing_oracle import all_go_together, can_have, members


def first_pairs(records):
    """Buckets of two, made of the first records that are compatible."""
    buckets, total = np.full(len(records), -1, dtype=np.int32), 0
    for one in range(len(records)):
        for other in range(one + 1, len(records)):
            fine = can_have(records, one, records.value[one]) and can_have(records, other, records.value[other])
            if fine and buckets[one] < 0 and buckets[other] < 0 and all_go_together(records, [one, other]):
                buckets[[one, other]] = total
                total += 1
    return buckets


@given(small_records(most=9, own_value=False))
def test_buckets_stay_of_their_kind_and_nobody_loses_a_place(records):
    before, buckets = copied(records), first_pairs(records)
    given_buckets = buckets.copy()
    found = place_by_exchange(records, 2, buckets)
    assert same(records, before)
    assert np.array_equal(buckets, given_buckets)
    assert np.count_nonzero(found >= 0) >= np.count_nonzero(buckets >= 0)
    for group in members(found):
        assert len(group) >= 2
        assert all_go_together(records, group)


def test_records_left_over_are_exchanged_for_others():
    """Two of value 0 are left over; one stands in for a 1 or 2, who then goes with the other."""
    records = plain([1, 2, 1, 2, 0, 0], [0] * 6, [[False] * 3])
    found = place_by_exchange(records, 2, np.array([0, 0, 1, 1, -1, -1], dtype=np.int32))
    assert sorted(np.bincount(found).tolist()) == [2, 2, 2]


def test_one_left_over_joins():
    records = plain([0, 1, 2], [0] * 3, [[False] * 3])
    assert place_by_exchange(records, 2, np.array([0, 0, -1], dtype=np.int32)).tolist() == [0, 0, 0]


def test_who_fits_no_bucket_changes_places_with_somebody_who_does():
    """The last record does not go with value 1, but can stand in for a record that goes with everybody."""
    ruled_out = [[False] * 4, [False, True, False, False]]
    records = plain([0, 1, 2, 3, 0], [0, 0, 0, 0, 1], ruled_out)
    found = place_by_exchange(records, 2, np.array([0, 0, 1, 1, -1], dtype=np.int32))
    assert found.min() == 0
    assert all(all_go_together(records, group) for group in members(found))


def test_nobody_left_over_changes_nothing():
    records = plain([0, 1], [0, 0], [[False, False]])
    assert place_by_exchange(records, 2, np.array([0, 0], dtype=np.int32)).tolist() == [0, 0]


@given(st.integers(2, 4))
def test_where_nothing_helps_they_stay_left_over(l):
    records = plain([0] * 5, [0] * 5, [[False, False]])
    assert place_by_exchange(records, l, np.full(5, -1, dtype=np.int32)).tolist() == [-1] * 5
