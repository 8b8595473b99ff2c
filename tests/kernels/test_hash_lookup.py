import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.hash_lookup import lookup
from tests.oracles import plain_kernels as plain

KEYS = st.integers(-(2**62), 2**62) | st.integers(0, 20)


@given(st.lists(KEYS, unique=True), st.lists(KEYS))
def test_lookup_is_bisection(known, more):
    known = np.sort(np.array(known, dtype=np.int64))
    keys = np.concatenate([np.array(more, dtype=np.int64), known])
    found = lookup(known, keys)
    np.testing.assert_array_equal(found, plain.lookup(known, keys))
    np.testing.assert_array_equal(found[len(more) :], np.arange(len(known)))
