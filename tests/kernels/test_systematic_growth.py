from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.systematic_growth import grow_by_medians, grow_by_squares
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points

WAYS = [(grow_by_squares, plain.squared_cost), (grow_by_medians, plain.absolute_cost)]


def expected(points, k, arrivals, cost):
    """Groups that grow at once, the obvious way."""
    count = len(points) // k
    groups = [[int(record)] for record in arrivals[:count]]
    for turn, record in enumerate(arrivals[count:], count):
        open_ = [number for number in range(count) if len(groups[number]) < k or turn >= count * k]
        plain.cheapest(points, groups, open_, int(record), cost)
    return plain.labels_of(groups, len(points)).tolist()


@pytest.mark.parametrize(("grown", "cost"), WAYS, ids=["squares", "medians"])
@given(points=small_points(at_least=6), k=st.integers(1, 6), seed=st.integers(0, 99))
def test_every_record_joins_where_it_costs_least(grown, cost, points, k, seed):
    arrivals = np.random.default_rng(seed).permutation(len(points)).astype(np.int32)
    assert grown(points, k, arrivals).tolist() == expected(points, k, arrivals, cost)
