import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.drawing import drawn, drawn_plain


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.integers(1, 5))
def test_buckets_take_the_most_frequent_values_as_sorting_before_each_would(counts, l):
    """Which of equally frequent values is taken may differ, so counts are compared and not names."""
    start = np.array(counts, dtype=np.int64)
    found, plain = drawn(start, l).reshape(-1, l), drawn_plain(start, l).reshape(-1, l)
    assert found.shape == plain.shape
    left, left_plain = start.copy(), start.copy()
    for bucket, bucket_plain in zip(found, plain, strict=True):
        assert len(set(bucket.tolist())) == l
        assert sorted(left[bucket]) == sorted(left_plain[bucket_plain])
        assert min(left[bucket]) > 0
        left[bucket] -= 1
        left_plain[bucket_plain] -= 1
    assert (left > 0).sum() < l


def test_the_counts_that_are_given_stay_as_they_are():
    counts = np.array([3, 2, 2], dtype=np.int64)
    drawn(counts, 2)
    np.testing.assert_array_equal(counts, [3, 2, 2])
