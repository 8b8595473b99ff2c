import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.anatomy import draw_values


def draw_values_plainly(counts, l):
    """Sort the values before each bucket is drawn."""
    left, found = counts.copy(), []
    while l <= len(left) and (left > 0).sum() >= l:
        chosen = np.argsort(-left, kind="stable")[:l]
        found.extend(chosen.tolist())
        left[chosen] -= 1
    return np.array(found, dtype=np.int32)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.integers(1, 5))
def test_buckets_take_the_most_frequent_values_as_sorting_before_each_would(counts, l):
    """Which of equally frequent values is taken may differ, so counts are compared and not names."""
    start = np.array(counts, dtype=np.int64)
    found, plain = draw_values(start, l).reshape(-1, l), draw_values_plainly(start, l).reshape(-1, l)
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
    draw_values(counts, 2)
    np.testing.assert_array_equal(counts, [3, 2, 2])
