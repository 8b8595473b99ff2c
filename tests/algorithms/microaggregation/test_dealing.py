from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.dealing import all_alike, dealt_out
from tests.oracles.small_points import numbered


@given(st.integers(1, 60), st.integers(1, 9))
def test_as_many_groups_as_can_be(records, k):
    labels = dealt_out(records, k)
    assert len(labels) == records
    assert labels.max() + 1 == max(1, records // k)
    assert numbered(labels, k, 2 * k - 1)


def test_one_place_is_told_from_two():
    assert all_alike(np.ones((3, 2)))
    assert not all_alike(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0]]))
