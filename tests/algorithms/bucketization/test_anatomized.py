"""Anatomized buckets: different values in each, everybody placed where that is possible."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.anatomized import anatomized
from sfumato.algorithms.bucketization.eligibility import most_buckets

VALUES = st.lists(st.integers(0, 6), min_size=1, max_size=40).map(lambda given: np.array(given, dtype=np.int32))


@given(VALUES, st.integers(1, 5), st.integers(0, 9))
def test_no_bucket_has_a_value_twice_and_all_have_l_or_a_few_more(values, l, seed) -> None:
    bucket = anatomized(values, l, np.random.default_rng(seed))
    placed = bucket >= 0
    assert set(bucket[placed].tolist()) == set(range(bucket.max() + 1))
    for number in range(bucket.max() + 1):
        held = values[bucket == number]
        assert len(set(held.tolist())) == len(held)
        assert l <= len(held) < 2 * l


@given(VALUES, st.integers(1, 5), st.integers(0, 9))
def test_everybody_finds_a_bucket_if_no_value_has_more_than_one_in_l(values, l, seed) -> None:
    """The condition that the book leaves out; if it fails, only records of values too frequent are left."""
    bucket = anatomized(values, l, np.random.default_rng(seed))
    counts = np.bincount(values)
    groups = most_buckets(counts, l)
    if counts.max() * l <= len(values):
        assert (bucket >= 0).all()
        assert bucket.max() + 1 == len(values) // l
    else:
        assert bucket.max() + 1 == groups
        left = np.bincount(values[bucket < 0], minlength=len(counts))
        assert (left == np.maximum(counts - groups, 0)).all() or groups == 0


def test_the_same_seed_gives_the_same_buckets_and_another_one_others() -> None:
    values = np.arange(200, dtype=np.int32) % 7
    one, again, other = (anatomized(values, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()
