import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.guarded_members import draw_members, guarded_buckets, hardest_first
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.datasets.adult import adult_file
from tests.algorithms.bucketization.some_records import (
    adult_records,
    copied,
    many_records,
    nine_patients,
    plain,
    same,
    small_records,
)
from tests.oracles.bucketing_oracle import (
    all_go_together,
    can_be_shared_out,
    incompatible_tuples,
    members,
    valid_values,
)


def crowded(records, buckets, l):
    """Whether any bucket has fewer than l records, or two that do not go together; looked up by value."""
    placed = buckets >= 0
    held = np.zeros((buckets.max() + 1, records.ruled_out.shape[1]), dtype=np.int64)
    np.add.at(held, (buckets[placed], records.value[placed]), 1)
    ruled_out = records.ruled_out[records.exclusion[placed]]
    return bool((held.sum(axis=1) < l).any() or (held > 1).any() or (ruled_out & (held[buckets[placed]] > 0)).any())


@given(small_records(most=9, own_value=False), st.integers(1, 4))
def test_buckets_are_of_records_that_go_together(records, l):
    before = copied(records)
    buckets = guarded_buckets(records, l)
    assert buckets.dtype == np.int32
    assert same(records, before)
    impossible = records.ruled_out[records.exclusion, records.value]
    assert (buckets[impossible] == -1).all()
    for group in members(buckets):
        assert len(group) >= l
        assert all_go_together(records, group)


@given(small_records(most=6), st.integers(2, 3))
def test_everybody_in_a_bucket_has_all_its_values(records, l):
    for group in members(guarded_buckets(records, l)):
        assert all(len(values) == len(group) for values in valid_values(records, group))


@given(small_records(most=7), st.integers(2, 3))
def test_nobody_is_left_over_for_nothing(records, l):
    """Whoever is left over goes with no bucket, and no l of them go together."""
    buckets = guarded_buckets(records, l)
    left = np.flatnonzero(buckets < 0).tolist()
    for record in left:
        assert not any(all_go_together(records, [record, *group]) for group in members(buckets))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=7), st.integers(2, 3))
def test_without_rules_all_are_placed_wherever_they_can_be(value, l):
    records = plain(value, [0] * len(value), [[False] * 4])
    assert bool((guarded_buckets(records, l) >= 0).all()) == can_be_shared_out(records, l)


@given(small_records(most=6), st.just(2))
def test_with_rules_pairs_are_found_wherever_there_are_some(records, l):
    """Nobody can be placed who could not be; the other way round a quick search may miss a way, rarely."""
    if len(records) and (guarded_buckets(records, l) >= 0).all():
        assert can_be_shared_out(records, l)


def test_nine_patients():
    """Only one of the women with ovarian cancer finds a partner: everybody else but the third woman is a man."""
    buckets = guarded_buckets(nine_patients(), 2)
    assert sorted(buckets[:2].tolist()) == [-1, buckets[4]]
    assert sorted(np.bincount(buckets[buckets >= 0]).tolist()) == [2, 2, 2, 2]


def test_a_hard_record_takes_the_place_of_an_easy_one():
    """The last record goes with values 0 and 1 only, which the greedy way has given to others by then."""
    ruled_out = [[False] * 4, [False, False, True, True]]
    records = plain([0, 1, 2, 3, 0, 1, 2, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 1], ruled_out)
    buckets = guarded_buckets(records, 2)
    assert buckets.min() == 0
    assert sorted(np.bincount(buckets).tolist()) == [2, 2, 2, 3]


@pytest.mark.parametrize("l", [2, 3, 4])
def test_sizes_of_many_records(l):
    records = many_records(1_999)
    buckets = guarded_buckets(records, l)
    assert buckets.min() == 0
    assert not crowded(records, buckets, l)
    assert sorted(set(np.bincount(buckets).tolist())) in ([l], [l, l + 1])
    assert np.count_nonzero(np.bincount(buckets) == l + 1) == 1_999 % l
    assert np.array_equal(buckets, guarded_buckets(records, l))


def test_drawing_goes_on_beside_what_there_is():
    records = plain([0, 1, 0, 1, 0, 1], [0] * 6, [[False, False]])
    there = np.array([0, 0, -1, -1, -1, -1], dtype=np.int32)
    buckets = draw_members(records, 2, there)
    assert buckets[:2].tolist() == [0, 0]
    assert sorted(buckets[2:].tolist()) == [1, 1, 2, 2]
    assert there.tolist() == [0, 0, -1, -1, -1, -1]


@given(small_records(most=7))
def test_hardest_first_is_by_the_number_of_records_in_conflict(records):
    """Counted twice where records rule each other out, so only what one has to do with is compared."""
    classes = Classes.of_records(records)
    order = hardest_first(classes, records.ruled_out)
    everyone = range(len(records))
    heads = classes.rows[classes.starts[:-1]]
    counts = np.array([incompatible_tuples(records, [head], everyone) for head in heads], dtype=np.int64)
    assert sorted(order.tolist()) == list(range(len(counts)))
    if not records.ruled_out.any():
        assert (np.diff(counts[order]) <= 0).all()


@pytest.mark.parametrize("min_expectation", [0.75, 0.9, 0.95])
@pytest.mark.parametrize("l", [3, 4, 5, 6, 7])
def test_adult(data_folder, min_expectation, l):
    records = adult_records(adult_file(data_folder), min_expectation)
    buckets = guarded_buckets(records, l)
    possible = (~records.ruled_out).sum(axis=1)[records.exclusion] >= l
    assert (buckets[possible] >= 0).all()
    assert not crowded(records, buckets, l)
    sizes = np.bincount(buckets[buckets >= 0])
    assert set(sizes.tolist()) <= {l, l + 1}
    assert np.count_nonzero(sizes == l + 1) <= l - 1
