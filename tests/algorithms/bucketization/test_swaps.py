import numpy as np
import pytest

from sfumato.algorithms.bucketization import swaps
from sfumato.algorithms.bucketization.guarded import guarded
from sfumato.algorithms.bucketization.margins import views_of
from sfumato.algorithms.bucketization.swaps import slots_of, swapped
from sfumato.runtime.progress import listening
from sfumato.runtime.time_limit import stopping
from tests.algorithms.bucketization.some_records import copied, many_records, plain, same


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
    before, buckets = copied(records), guarded(records, l)
    better = swapped(records, buckets, 1.0, np.random.default_rng(0))
    assert same(records, before)
    assert np.array_equal(buckets, guarded(records, l))
    assert squared_errors(records, better) < 0.5 * squared_errors(records, buckets)
    held, now = ([sorted(records.value[b == bucket]) for bucket in range(buckets.max() + 1)] for b in (buckets, better))
    assert held == now
    for bucket, values in enumerate(now):
        assert not records.ruled_out[records.barred[better == bucket]][:, values].any()


def test_shares_are_looked_at_one_after_the_other(monkeypatch):
    monkeypatch.setattr(swaps, "SHARE", 500)
    records, heard = many_records(2_000), []
    buckets = guarded(records, 3)
    with listening(lambda what, done, total: heard.append((done, total))):
        better = swapped(records, buckets, 1.0, np.random.default_rng(0))
    assert heard == [(share, 4) for share in range(4)]
    assert squared_errors(records, better) < 0.5 * squared_errors(records, buckets)
    assert np.array_equal(np.bincount(better), np.bincount(buckets))


def test_no_effort_and_no_patience_change_nothing():
    records = many_records(500)
    buckets = guarded(records, 3)
    assert np.array_equal(swapped(records, buckets, 0.0, np.random.default_rng(0)), buckets)
    with stopping(lambda: True):
        assert np.array_equal(swapped(records, buckets, 1.0, np.random.default_rng(0)), buckets)


def test_records_without_a_bucket_stay_so():
    records = many_records(500)
    buckets = guarded(records, 3)
    outside = buckets < 3
    fewer = np.where(outside, -1, buckets - 3).astype(np.int32)
    better = swapped(records, fewer, 1.0, np.random.default_rng(0))
    assert np.array_equal(better < 0, outside)
    assert not np.array_equal(better, fewer)


def test_nothing_to_exchange():
    nobody = np.full(3, -1, dtype=np.int32)
    records = plain([0, 1, 2], [0] * 3, [[False] * 3])
    assert swapped(records, nobody, 1.0, np.random.default_rng(0)).tolist() == [-1, -1, -1]


def test_slots_in_order_of_buckets():
    slots = slots_of(np.array([2, 2, 5, 5, 5], dtype=np.int32), np.array([1, 0, 0, 2, 1], dtype=np.int32), 3)
    assert slots.starts.tolist() == [0, 2, 5]
    assert slots.bucket.tolist() == [0, 0, 1, 1, 1]
    assert [slots.pool[slots.first[v] : slots.first[v + 1]].tolist() for v in range(3)] == [[1, 2], [0, 4], [3]]
