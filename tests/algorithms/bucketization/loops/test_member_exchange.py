from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.guarded_members import draw_members
from sfumato.algorithms.bucketization.loops.member_exchange import (
    SensitiveValues,
    add_buckets,
    bucket_with_room,
    build,
    compatible,
    exchange,
    fits,
    join,
    trade,
)
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import all_go_together, in_conflict, members


def secrets_of(records):
    return SensitiveValues(records.value, records.exclusion, records.ruled_out)


def laid_out(records, l):
    """Buckets of l in rows, with room for more of both, and the remaining records, with room behind."""
    groups = members(draw_members(records, l, np.full(len(records), -1, dtype=np.int32)))
    rows, sizes = (
        np.full((len(records) + 1, len(records) + l), -1, dtype=np.int32),
        np.zeros(len(records) + 1, np.int32),
    )
    for place, group in enumerate(groups):
        rows[place, :l], sizes[place] = group, l
    free = np.array(sorted(set(range(len(records))) - set(chain.from_iterable(groups))) + [0] * l, dtype=np.int32)
    return rows, sizes, len(groups), free, len(free) - l


@given(small_records(most=6))
def test_going_together_is_having_no_conflict(records):
    everyone = range(len(records))
    for one in everyone:
        for other in everyone:
            assert compatible(secrets_of(records), one, other) == (not in_conflict(records, one, other))


@given(small_records(most=6), st.integers(-1, 2))
def test_fitting_is_going_with_all_but_one(records, without):
    bucket = np.arange(1, len(records), dtype=np.int32)
    others = [member for place, member in enumerate(bucket) if place != without]
    if len(records):
        expected = not any(in_conflict(records, 0, member) for member in others)
        assert fits(secrets_of(records), bucket, len(bucket), without, 0) == expected


@given(small_records(most=9), st.integers(2, 3))
def test_rooms_and_trades_are_the_first_there_are(records, l):
    rows, sizes, buckets, free, count = laid_out(records, l)
    for record in free[:count].tolist():
        groups = [rows[place, :l].tolist() for place in range(buckets)]
        fine = [place for place, group in enumerate(groups) if all_go_together(records, [*group, record])]
        assert bucket_with_room(secrets_of(records), rows, sizes, buckets, record, l, 0) == (fine[0] if fine else -1)
        trades = [
            (place, at)
            for place, group in enumerate(groups)
            for at, member in enumerate(group)
            if (records.value[member], records.exclusion[member]) != (records.value[record], records.exclusion[record])
            and all_go_together(records, [*group[:at], *group[at + 1 :], record])
        ]
        found = trade(secrets_of(records), rows, sizes, buckets, record, 0)
        assert found == (trades[0] if trades else (-1, -1))


@given(small_records(most=9), st.integers(2, 3))
def test_an_exchange_suits_both_sides(records, l):
    rows, sizes, buckets, free, count = laid_out(records, l)
    if count < 2:
        return
    rows[buckets, 0], sizes[buckets] = free[0], 1
    looks = np.array([100], dtype=np.int64)
    bucket, place, other = exchange(secrets_of(records), rows, sizes, buckets, free[1:], count - 1, 0, looks)
    if bucket >= 0:
        group = rows[bucket, :l].tolist()
        assert not in_conflict(records, group[place], free[0])
        assert all_go_together(records, [*group[:place], *group[place + 1 :], free[1:][other]])
    else:
        assert looks[0] == 100 - buckets


@given(small_records(most=12))
def test_a_bucket_takes_the_first_record_that_fits_and_exchanges_nothing(records):
    rows, sizes, buckets, *_ = laid_out(records, 2)
    everyone = np.array([*range(1, len(records)), 0], dtype=np.int32)
    wanted = [other for other in everyone[:-1].tolist() if not in_conflict(records, 0, other)]
    if not len(records) or not wanted:
        return
    rows[buckets, 0], sizes[buckets], before = 0, 1, rows[:buckets].copy()
    looks = np.array([100], dtype=np.int64)
    left = build(secrets_of(records), rows, sizes, buckets, everyone, len(records) - 1, 2, looks)
    assert rows[buckets, :2].tolist() == [0, wanted[0]]
    assert (left, looks[0]) == (len(records) - 2, 100)
    assert np.array_equal(rows[:buckets], before)


@given(small_records(most=12), st.integers(2, 3))
def test_whatever_is_added_or_joined_everybody_goes_together(records, l):
    rows, sizes, buckets, free, count = laid_out(records, l)
    looks = np.array([1_000], dtype=np.int64)
    total, left = add_buckets(secrets_of(records), rows, sizes, buckets, free, count, l, looks)
    assert total >= buckets
    assert total * l + left == len(records)
    nowhere = [join(secrets_of(records), rows, sizes, total, record, l, 5) for record in free[:left].tolist()]
    groups = [rows[place, : sizes[place]].tolist() for place in range(total)]
    assert all(all_go_together(records, group) for group in groups)
    found = [*chain.from_iterable(groups)] + [record for record in nowhere if record >= 0]
    assert sorted(found) == list(range(len(records)))
