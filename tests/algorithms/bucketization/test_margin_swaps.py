import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms.bucketization import margin_swaps
from sfumato.algorithms.bucketization.guarded_members import guarded_buckets
from sfumato.algorithms.bucketization.margin_swaps import (
    COARSE,
    association,
    coarsen,
    slots_of,
    swap_members,
    views_of,
)
from sfumato.algorithms.bucketization.records import Records
from sfumato.runtime.progress import listening
from sfumato.runtime.time_limit import stopping
from tests.algorithms.bucketization.some_records import copied, many_records, plain, same, small_records


def squared_errors(records, buckets):
    """Of all margins, by summing up the shares that a recipient gives to every record."""
    views, cells, kinds = views_of(records)
    held = np.zeros((buckets.max() + 1, kinds))
    np.add.at(held, (buckets, records.value), 1)
    shares = (held / held.sum(axis=1, keepdims=True))[buckets]
    shares[np.arange(len(buckets)), records.value] -= 1
    errors = np.zeros((cells, kinds))
    for view in views.codes.T:
        np.add.at(errors, view, shares)
    return float(np.square(errors).sum())


@pytest.mark.parametrize("l", [2, 4])
def test_margins_come_nearer_and_buckets_stay_of_their_kind(l):
    records = many_records(3_000)
    before, buckets = copied(records), guarded_buckets(records, l)
    better = swap_members(records, buckets, 1.0, np.random.default_rng(0))
    assert same(records, before)
    assert np.array_equal(buckets, guarded_buckets(records, l))
    assert squared_errors(records, better) < 0.5 * squared_errors(records, buckets)
    held, now = ([sorted(records.value[b == bucket]) for bucket in range(buckets.max() + 1)] for b in (buckets, better))
    assert held == now
    for bucket, values in enumerate(now):
        assert not records.ruled_out[records.exclusion[better == bucket]][:, values].any()


def test_shares_are_looked_at_one_after_the_other(monkeypatch):
    monkeypatch.setattr(margin_swaps, "SHARE", 500)
    records, heard = many_records(2_000), []
    buckets = guarded_buckets(records, 3)
    with listening(lambda what, done, total: heard.append((done, total))):
        better = swap_members(records, buckets, 1.0, np.random.default_rng(0))
    assert heard == [(share, 4) for share in range(4)]
    assert squared_errors(records, better) < 0.5 * squared_errors(records, buckets)
    assert np.array_equal(np.bincount(better), np.bincount(buckets))


def test_no_effort_and_no_patience_change_nothing():
    records = many_records(500)
    buckets = guarded_buckets(records, 3)
    assert np.array_equal(swap_members(records, buckets, 0.0, np.random.default_rng(0)), buckets)
    with stopping(lambda: True):
        assert np.array_equal(swap_members(records, buckets, 1.0, np.random.default_rng(0)), buckets)


def test_records_without_a_bucket_stay_so():
    records = many_records(500)
    buckets = guarded_buckets(records, 3)
    outside = buckets < 3
    fewer = np.where(outside, -1, buckets - 3).astype(np.int32)
    better = swap_members(records, fewer, 1.0, np.random.default_rng(0))
    assert np.array_equal(better < 0, outside)
    assert not np.array_equal(better, fewer)


def test_nothing_to_exchange():
    nobody = np.full(3, -1, dtype=np.int32)
    records = plain([0, 1, 2], [0] * 3, [[False] * 3])
    assert swap_members(records, nobody, 1.0, np.random.default_rng(0)).tolist() == [-1, -1, -1]


def test_slots_in_order_of_buckets():
    slots = slots_of(np.array([2, 2, 5, 5, 5], dtype=np.int32), np.array([1, 0, 0, 2, 1], dtype=np.int32), 3)
    assert slots.starts.tolist() == [0, 2, 5]
    assert slots.bucket.tolist() == [0, 0, 1, 1, 1]
    assert [slots.pool[slots.first[v] : slots.first[v + 1]].tolist() for v in range(3)] == [[1, 2], [0, 4], [3]]


@given(small_records())
def test_views_are_columns_and_pairs_and_never_share_a_code(records):
    views, cells, kinds = views_of(records)
    assert views.codes.shape == (len(records), 4)  # two columns, the second once more in a vaguer view, their pair
    assert kinds == records.ruled_out.shape[1]
    assert views.kind.tolist() == list(range(kinds))
    used = [set(views.codes[:, view].tolist()) for view in range(4)]
    assert len(set().union(*used)) == sum(map(len, used))
    assert all(0 <= code < cells for codes in used for code in codes)


@given(small_records())
def test_a_pair_tells_both_columns(records):
    views, _, _ = views_of(records)
    vague, _ = coarsen(records, 1, COARSE)
    seen = {}
    for row, code in enumerate(views.codes[:, 3].tolist()):
        mine = (int(records.quasi[row, 0]), int(vague[row]))
        assert seen.setdefault(code, mine) == mine


@given(small_records())
def test_an_ordered_column_is_coarsened_to_neighbours(records):
    codes, size = coarsen(records, 1, COARSE)
    assert size == COARSE
    order = np.argsort(records.quasi[:, 1], kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    assert codes.min(initial=0) >= 0
    assert codes.max(initial=0) < COARSE


def test_rare_codes_of_an_unordered_column_come_together():
    column = np.repeat(np.arange(20, dtype=np.int32), [30, 20, *[1] * 18])[:, None]
    nothing = np.zeros(len(column), dtype=np.int32)
    records = Records(nothing, nothing, np.zeros((1, 1), dtype=bool), column, (20,), (False,))
    codes, size = coarsen(records, 0, 3)
    assert size == 3
    assert np.bincount(codes).tolist() == [30, 20, 18]


def test_association_is_zero_by_chance_and_large_where_one_tells_the_other():
    records = many_records(5_000)
    chance = np.random.default_rng(1).integers(0, 4, 5_000)
    secret = records.value.astype(np.int64)
    assert abs(association(chance, 4, records)) < 0.005
    shares = np.bincount(secret) / len(secret)
    entropy = -(shares * np.log(shares)).sum()
    assert abs(association(secret, 8, records) - entropy) < 0.01
