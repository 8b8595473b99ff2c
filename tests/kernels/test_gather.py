import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.gather import any_negative, fold, gather


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32])
@given(data=st.data())
def test_gather_is_fancy_indexing(kind, data):
    table = np.array(data.draw(st.lists(st.integers(-5, 500), min_size=1, max_size=20)), dtype=np.int32)
    index = np.array(data.draw(st.lists(st.integers(0, len(table) - 1))), dtype=kind)
    np.testing.assert_array_equal(gather(table, index), table[index])


@given(st.lists(st.tuples(st.integers(-1, 2**40), st.integers(0, 99))))
def test_fold_appends_a_code_to_every_key(pairs):
    keys = np.array([key for key, _ in pairs], dtype=np.int64)
    column = np.array([code for _, code in pairs], dtype=np.int32)
    expected = keys * 100 + column
    fold(keys, 100, column)
    np.testing.assert_array_equal(keys, expected)


@given(st.lists(st.integers(-2, 3)))
def test_any_negative(codes):
    assert any_negative(np.array(codes, dtype=np.int32)) == any(code < 0 for code in codes)
