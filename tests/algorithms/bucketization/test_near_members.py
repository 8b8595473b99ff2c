import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.guarded_members import guarded_buckets
from sfumato.algorithms.bucketization.margin_swaps import COARSE, coarsen
from sfumato.algorithms.bucketization.near_members import draw_in_blocks, near_buckets, neighbours
from sfumato.algorithms.bucketization.records import Records
from sfumato.datasets.adult import adult_file
from sfumato.runtime.time_limit import within
from tests.algorithms.bucketization.some_records import adult_records, copied, many_records, same, small_records
from tests.algorithms.bucketization.test_guarded_members import crowded
from tests.oracles.bucketing_oracle import all_go_together, members


def shares_seen(records, buckets):
    """What a recipient takes to be the chance of every value for every record."""
    held = np.zeros((buckets.max() + 1, records.ruled_out.shape[1]))
    np.add.at(held, (buckets, records.value), 1)
    return (held / held.sum(axis=1, keepdims=True))[buckets]


def query_error(records, buckets, queries=200, seed=0):
    """Mean relative error of counts with conditions on two quasi columns and the secret, true counts 5 to 10 %."""
    random, seen, found = np.random.default_rng(seed), shares_seen(records, buckets), []
    values, columns = records.ruled_out.shape[1], len(records.sizes)
    while len(found) < queries:
        inside = np.ones(len(records), dtype=bool)
        for column in random.choice(columns, 2, replace=False):
            inside &= (random.random(records.sizes[column]) < random.random())[records.quasi[:, column]]
        wanted = random.random(values) < random.random()
        true = np.count_nonzero(inside & wanted[records.value])
        if 0.05 * len(records) <= true <= 0.1 * len(records):
            found.append(abs(seen[inside][:, wanted].sum() - true) / true)
    return np.mean(found)


@given(small_records(most=9, own_value=False), st.integers(1, 4), st.integers(0, 3))
def test_buckets_are_of_records_that_go_together(records, l, seed):
    before = copied(records)
    buckets = near_buckets(records, l, random=np.random.default_rng(seed))
    assert buckets.dtype == np.int32
    assert same(records, before)
    impossible = records.ruled_out[records.exclusion, records.value]
    assert (buckets[impossible] == -1).all()
    for group in members(buckets):
        assert len(group) >= l
        assert all_go_together(records, group)


@given(small_records(most=9), st.integers(2, 3))
def test_as_many_are_placed_as_by_the_guarded_way(records, l):
    placed = np.count_nonzero(near_buckets(records, l, random=np.random.default_rng(0)) >= 0)
    assert placed >= np.count_nonzero(guarded_buckets(records, l) >= 0)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_sizes_and_same_draws_same_buckets(l):
    records = many_records(3_001)
    buckets = near_buckets(records, l, random=np.random.default_rng(7))
    assert buckets.min() == 0
    assert not crowded(records, buckets, l)
    assert np.count_nonzero(np.bincount(buckets) == l + 1) == 3_001 % l
    assert np.array_equal(buckets, near_buckets(records, l, random=np.random.default_rng(7)))
    assert not np.array_equal(buckets, near_buckets(records, l, random=np.random.default_rng(8)))


def test_counts_come_out_better_than_with_any_members():
    records = many_records(4_000)
    useful = query_error(records, near_buckets(records, 3, random=np.random.default_rng(0)))
    assert useful < 0.6 * query_error(records, guarded_buckets(records, 3))


def test_without_patience_there_are_buckets_all_the_same():
    records = many_records(1_000)
    with within(0):
        buckets = near_buckets(records, 3, random=np.random.default_rng(0))
    assert buckets.min() == 0
    assert not crowded(records, buckets, 3)


@given(small_records(most=9, own_value=False))
def test_neighbours_are_all_records_that_can_have_their_value(records):
    order = neighbours(records, np.random.default_rng(0))
    possible = ~records.ruled_out[records.exclusion, records.value]
    assert sorted(order.tolist()) == np.flatnonzero(possible).tolist()


def test_neighbours_with_the_same_codes_stand_together():
    records = many_records(2_000)
    order = neighbours(records, np.random.default_rng(0))
    pairs = records.quasi[order, 0] * COARSE + coarsen(records, 1, COARSE)[0][order]
    assert np.count_nonzero(np.diff(pairs)) == len(np.unique(pairs)) - 1


def test_blocks_give_buckets_of_l_only():
    records = many_records(2_000)
    buckets = draw_in_blocks(records, 3, np.random.default_rng(0))
    assert set(np.bincount(buckets[buckets >= 0]).tolist()) == {3}
    assert not crowded(records, buckets, 3)
    assert np.count_nonzero(buckets >= 0) > 1_500


@pytest.mark.parametrize(("l", "most"), [(3, 0.28), (6, 0.70)])
def test_adult_answers_counts_far_better_than_with_any_members(data_folder, l, most):
    records = adult_records(adult_file(data_folder), 0.9)
    buckets = near_buckets(records, l, random=np.random.default_rng(0))
    assert not crowded(records, buckets, l)
    assert buckets.min() == 0
    assert np.count_nonzero(np.bincount(buckets) == l + 1) == len(records) % l
    assert query_error(records, buckets) <= most * query_error(records, guarded_buckets(records, l))


def test_where_a_member_lies_does_not_tell_how_frequent_its_value_is():
    random, first_is_more_frequent = np.random.default_rng(4), []
    nothing, no_rules = np.zeros(400, dtype=np.int32), np.zeros((1, 4), dtype=bool)
    for _ in range(20):
        value = random.choice(4, 400, p=[0.4, 0.3, 0.2, 0.1]).astype(np.int32)
        quasi = random.permutation(400).astype(np.int32)[:, None]
        records = Records(value, nothing, no_rules, quasi, (400,), (True,))
        buckets = near_buckets(records, 2, effort=0, random=random)
        order = np.lexsort((quasi[:, 0], buckets))
        pairs = value[order[np.bincount(buckets)[buckets[order]] == 2]].reshape(-1, 2)
        first_is_more_frequent.extend(pairs[:, 0] < pairs[:, 1])
    assert abs(np.mean(first_is_more_frequent) - 0.5) < 0.03
