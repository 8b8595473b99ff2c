from __future__ import annotations

import numpy as np
from hypothesis import given

from sfumato.algorithms.microaggregation.sorting import row_sums
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


@given(small_points())
def test_records_come_in_the_order_of_their_deviations_from_the_mean(points):
    deviations = (points - points.mean(axis=0)).sum(axis=1)
    order = np.argsort(row_sums(points), kind="stable")
    assert (np.diff(deviations[order]) > -1e-9).all()
    assert row_sums(points).tolist() == plain.sums(points)
