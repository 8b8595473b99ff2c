from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mst
from sfumato.algorithms.microaggregation.mst import mst_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles import plain_pairs, plain_trees
from tests.oracles.small_points import numbered, same, small_points


@pytest.mark.parametrize("split", ["diameter", "cbfs", "mdav"])
def test_the_groups_of_standardized_columns_are_published(split):
    table = numbers_table()
    assert grouped(Mst(split=split), table, 4) == groups_of(mst_groups(points_of(table), 4, split))


def test_other_ways_to_split_are_refused():
    with pytest.raises(ParameterError, match="'split' of Mst must be one of 'diameter', 'cbfs', 'mdav'"):
        Mst(split="d")


MEASURED = {"tarragona": (16.621, 19.661, 24.505, 38.426), "census": (6.121, 8.247, 10.268, 17.160)}
"""By another program than this one, for M-d with the lower record of each pair first."""

PRINTED = {"tarragona": (16.6300, 19.66, 24.5000, 38.5800), "census": (6.1100, 8.24, 10.3000, 17.1700)}
"""Laszlo and Mukherjee (2005), as quoted by Kabir (2010), tables 6.1 and 6.2."""


@pytest.mark.parametrize("name", MEASURED)
def test_losses_on_the_reference_sets(name):
    points = reference_set(name)
    losses = [loss(points, mst_groups(points, k, "diameter", "lowest")) for k in SIZES]
    assert losses == pytest.approx(MEASURED[name], abs=6e-4)
    assert losses == pytest.approx(PRINTED[name], rel=0.005)


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("splitting", ["cbfs", "mdav"])
def test_other_ways_to_split_make_little_difference(name, splitting):
    points = reference_set(name)
    losses = [loss(points, mst_groups(points, k, splitting)) for k in SIZES]
    assert losses == pytest.approx(MEASURED[name], rel=0.005)
    assert losses != pytest.approx(MEASURED[name], abs=6e-4)


@given(small_points(most=20), st.integers(1, 4))
def test_groups_are_those_of_the_plain_way(points, k):
    parts = plain_trees.cut(plain_trees.prim(points), k)
    labels = mst_groups(points, k, "diameter")
    assert same(labels, plain.split(points, parts, k, plain_pairs.diameter))
    assert numbered(labels, k, 2 * k - 1)


@pytest.mark.parametrize("splitting", ["diameter", "cbfs", "mdav"])
def test_the_order_of_records_does_not_matter(splitting):
    points = np.random.default_rng(1).standard_normal((90, 3))
    order = np.random.default_rng(2).permutation(90)
    shuffled = mst_groups(points[order], 4, splitting)
    groups = [order[shuffled == group].tolist() for group in range(int(shuffled.max()) + 1)]
    assert same(mst_groups(points, 4, splitting), groups)
