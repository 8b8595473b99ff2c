from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.v_mdav_groups import v_mdav_groups
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points

MEASURED = {
    "tarragona": ("16.963", "19.694", "22.878", "33.253"),
    "census": ("5.662", "7.514", "9.007", "14.073"),
}
"""By another program than this one, for gamma = 0.2."""


@pytest.mark.parametrize("name", MEASURED)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    for k, figure in zip(SIZES, MEASURED[name], strict=True):
        assert loss(points, v_mdav_groups(points, k, 0.2)) == printed(figure)


@given(small_points(), st.integers(1, 6), st.sampled_from([0.0, 0.2, 1.1]))
def test_groups_are_those_of_the_plain_way(points, k, gamma):
    labels = v_mdav_groups(points, k, gamma)
    assert same(labels, plain.v_mdav(points, k, gamma))
    assert numbered(labels, k, 3 * k - 2)


def test_a_greater_gamma_lets_groups_grow():
    points = np.array([[0.0], [1.0], [2.0], [3.0], [20.0], [21.0], [22.0], [23.0]])
    assert np.bincount(v_mdav_groups(points, 2, 1.0)).tolist() == [2, 2, 2, 2]
    assert np.bincount(v_mdav_groups(points, 2, 1.1)).tolist() == [3, 3, 2]
