"""Groups grown together, against the plain greedy core."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.loops.systematic_clustering import grow_together
from sfumato.kernels.covers import empty_group_covers
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles import plain_greedy
from tests.oracles.cover_loss import CoverLoss


@given(small_rows(max_rows=10), st.integers(1, 4), st.data())
def test_records_go_where_the_plain_core_puts_them(rows, k, data):
    groups = rows.records // k
    order = np.array(data.draw(st.permutations(range(k))))
    plain = plain_greedy.grown_together(CoverLoss(rows.covers, groups), rows.each, k, order) if groups else None
    if plain is None:
        return
    found = grow_together(rows.covers, empty_group_covers(rows.covers, groups), rows.each, k, order)
    np.testing.assert_array_equal(found, plain)
    sizes = np.bincount(found, minlength=groups)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
