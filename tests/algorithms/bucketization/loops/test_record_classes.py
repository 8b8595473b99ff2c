import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.record_classes import number_pairs, sort_by_code

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12)


@given(PAIRS)
def test_pairs_are_numbered_as_they_come_up(pairs):
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.int32) for side in (0, 1))
    found = number_pairs(first, second, 3, np.full(12, -1, dtype=np.int32))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    assert found.tolist() == [numbers[pair] for pair in pairs]


@given(st.lists(st.integers(0, 4), max_size=12))
def test_rows_in_order_of_their_code(codes):
    codes = np.array(codes, dtype=np.uint32)
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes.astype(np.int64), minlength=5)))).astype(np.int64)
    assert sort_by_code(codes, starts).tolist() == np.argsort(codes, kind="stable").tolist()
