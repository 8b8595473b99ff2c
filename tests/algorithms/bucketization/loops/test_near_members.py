import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.member_exchange import SensitiveValues
from sfumato.algorithms.bucketization.loops.near_members import Supply, draw_blocks, leaves_enough, sort_block
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import all_go_together, members


def supply_of(records):
    whole = np.bincount(records.value, minlength=records.ruled_out.shape[1]).astype(np.int64)
    return Supply(whole, np.array([len(records)], dtype=np.int64), np.array([whole.max()], dtype=np.int64))


def affordable_plainly(records, l, bucket):
    """Whether the rest would still be eligible: no value has more than one l-th of it."""
    rest = np.delete(records.value, bucket)
    return bool((np.bincount(rest, minlength=1) * l <= len(rest)).all())


@given(small_records(most=9), st.integers(1, 3))
def test_a_bucket_is_affordable_if_no_value_becomes_too_frequent(records, l):
    sensitive, supply = SensitiveValues(records.value, records.exclusion, records.ruled_out), supply_of(records)
    bucket = np.unique(records.value, return_index=True)[1][:l].astype(np.int32)
    if len(bucket) == l and (supply.whole * l <= len(records)).all():
        assert leaves_enough(sensitive, supply, l, bucket) == affordable_plainly(records, l, bucket)


@given(small_records(most=9))
def test_a_block_is_sorted_by_value(records):
    sensitive = SensitiveValues(records.value, records.exclusion, records.ruled_out)
    seeds = np.arange(len(records), dtype=np.int32)[::-1].copy()
    place, where = np.zeros(records.ruled_out.shape[1], dtype=np.int64), np.empty(len(records), dtype=np.int32)
    block = sort_block(sensitive, seeds, place, where)
    assert block.values.tolist() == list(dict.fromkeys(records.value[seeds].tolist()))
    for at, value in enumerate(block.values):
        mine = block.rows[block.first[at] : block.last[at]]
        assert mine.tolist() == [record for record in seeds if records.value[record] == value]
        assert block.place[value] == at
    assert block.rows[block.where].tolist() == list(range(len(records)))


@given(small_records(most=12), st.integers(1, 3), st.integers(2, 12))
def test_buckets_are_of_one_block_each_and_go_together(records, l, width):
    sensitive, supply = SensitiveValues(records.value, records.exclusion, records.ruled_out), supply_of(records)
    before = int((supply.whole * l > len(records)).sum())
    bounds = np.array([*range(0, len(records), width), len(records)], dtype=np.int64)
    buckets = np.full(len(records), -1, dtype=np.int32)
    total = draw_blocks(sensitive, np.arange(len(records), dtype=np.int32), bounds, supply, l, buckets, 0)
    groups = members(buckets)
    assert len(groups) == total
    for group in groups:
        assert len(group) == l
        assert all_go_together(records, group)
        assert len({member // width for member in group}) == 1
    rest = records.value[buckets < 0]
    assert supply.left[0] == len(rest)
    assert supply.whole.tolist() == np.bincount(rest, minlength=len(supply.whole)).tolist()
    assert before or (supply.whole * l <= len(rest)).all()
