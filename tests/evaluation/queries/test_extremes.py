"""The least and the most, beside every choice of numbers."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.queries.extremes import Extremes

BUCKETS = st.lists(
    st.lists(st.integers(-6, 6), max_size=4).flatmap(
        lambda numbers: st.tuples(
            st.just(sorted(numbers)), st.lists(st.integers(0, len(numbers)), min_size=2, max_size=2).map(sorted)
        )
    ),
    min_size=1,
    max_size=3,
)


@given(BUCKETS)
def test_like_every_choice(buckets):
    inside = [
        [chosen for count in range(fewest, most + 1) for chosen in combinations(numbers, count)]
        for numbers, (fewest, most) in buckets
    ]
    choices = [[number for part in parts for number in part] for parts in product(*inside)]
    found = Extremes(
        np.array([float(number) for numbers, _ in buckets for number in numbers]),
        np.array([place for place, (numbers, _) in enumerate(buckets) for _ in numbers], dtype=np.int64),
        np.array([bounds[0] for _, bounds in buckets]),
        np.array([bounds[1] for _, bounds in buckets]),
    )
    assert (found.lowest_sum, found.highest_sum) == (min(map(sum, choices)), max(map(sum, choices)))
    averages = [sum(chosen) / len(chosen) for chosen in choices if chosen]
    if averages:
        assert found.lowest_average == pytest.approx(min(averages), abs=1e-12)
        assert found.highest_average == pytest.approx(max(averages), abs=1e-12)
    else:
        assert np.isnan(found.lowest_average)
        assert np.isnan(found.highest_average)
