from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import VMdav
from sfumato.algorithms.microaggregation.v_mdav import v_mdav_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_gamma_decides_how_groups_grow(gamma):
    table = numbers_table()
    assert grouped(VMdav(gamma=gamma), table, 4) == groups_of(v_mdav_groups(points_of(table), 4, gamma))


def test_a_greater_gamma_makes_other_groups():
    assert grouped(VMdav(), numbers_table(), 4) != grouped(VMdav(gamma=1.1), numbers_table(), 4)


def test_a_negative_gamma_is_refused():
    with pytest.raises(ParameterError, match="'gamma' of VMdav must be number >= 0"):
        VMdav(gamma=-0.1)


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
