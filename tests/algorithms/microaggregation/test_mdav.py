from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mdav
from sfumato.algorithms.microaggregation.loops.mdav import pairs_of_groups
from sfumato.algorithms.microaggregation.mdav import FEW, mdav_groups, pairs_of_few
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles.plain_mdav import plain_mdav
from tests.oracles.small_points import numbered, small_points


@pytest.mark.parametrize(("leftovers", "ending"), [("group", "generic"), ("nearest", "mdav")])
@pytest.mark.parametrize("k", [3, 7])
def test_groups_are_those_of_the_plain_way(leftovers, ending, k):
    table = numbers_table(61)
    expected = groups_of(plain_mdav(points_of(table), k, ending))
    assert grouped(Mdav(leftovers=leftovers), table, k) == expected


@given(small_points(most=50), st.integers(1, 7), st.integers(2, 3))
def test_few_points_are_grouped_as_by_the_loop(points, k, times):
    assert pairs_of_few(points, k, times * k).tolist() == pairs_of_groups(points, k, times * k).tolist()


@pytest.mark.parametrize("k", [3, 10])
def test_many_coordinates_are_grouped_as_by_the_loop(k):
    points = np.random.default_rng(k).normal(size=(FEW, 5)).round(1)
    assert pairs_of_few(points, k, 3 * k).tolist() == pairs_of_groups(points, k, 3 * k).tolist()


def test_both_ways_with_leftovers_differ():
    table = numbers_table(61)
    assert grouped(Mdav(), table, 3) != grouped(Mdav(leftovers="nearest"), table, 3)


def test_units_count_where_columns_are_not_standardized():
    table = numbers_table()
    raw = groups_of(plain_mdav(points_of(table, standardize=False), 4, "generic"))
    assert grouped(Mdav(standardize=False), table, 4) == raw != grouped(Mdav(), table, 4)


LOSSES = {
    "mdav_1": {
        "tarragona": ("16.93258762", "19.54578612", "22.46128236", "33.19235838"),
        "census": ("5.692186279", "7.494699833", "9.088435498", "14.15593043"),
        "eia": ("0.482938725", "0.671345141", "1.666657361", "3.83966422"),
    },
    "mdav": {
        "tarragona": ("16.9326", "19.5458", "22.4613", "33.1929"),
        "census": ("5.6922", "7.4947", "9.0884", "14.1559"),
        "eia": ("0.4829", "0.6713", "1.6667", "3.8397"),
    },
    "generic": {
        "tarragona": ("16.932588", "19.545962", "22.461860", "33.192885"),
        "census": ("5.6922", "7.4947", "9.0884", "14.1559"),
        "eia": ("0.4829", "0.6713", "1.6667", "3.8397"),
    },
}
"""MDAV-1 as Lin et al. (2010) print it, the others as plain programs measure it; sdcMicro's MDAV is the generic one."""

ENDINGS = tuple(LOSSES)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["tarragona", "census", "eia"])
def test_losses_on_the_reference_sets(name, ending):
    points = reference_set(name)
    for k, figure in zip(SIZES, LOSSES[ending][name], strict=True):
        labels = mdav_groups(points, k, ending=ending)
        assert loss(points, labels) == printed(figure)
        assert numbered(labels, k, 2 * k - 1)


@pytest.mark.parametrize("ending", ENDINGS)
@given(points=small_points(most=45), k=st.integers(1, 7))
def test_groups_of_points_are_those_of_the_plain_way(ending, points, k):
    labels = mdav_groups(points, k, ending=ending)
    assert labels.dtype == np.int32
    assert labels.tolist() == plain_mdav(points, k, ending).tolist()
    assert numbered(labels, k, 2 * k - 1)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_order_of_the_records_does_not_matter(ending):
    random = np.random.default_rng(9)
    points, order = random.normal(size=(2003, 5)), random.permutation(2003)
    labels, again = mdav_groups(points, 4, ending=ending), mdav_groups(points[order], 4, ending=ending)
    assert labels[order].tolist() == again.tolist()


@pytest.mark.parametrize("ending", ENDINGS)
def test_fewer_than_two_groups_of_points_are_one(ending):
    points = np.arange(5.0).reshape(5, 1)
    assert mdav_groups(points, 3, ending=ending).tolist() == [0] * 5
    assert mdav_groups(points[:0], 3, ending=ending).tolist() == []


def column(*values):
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def test_a_single_one_left_joins_the_nearest_mean_or_is_kept_for_the_last_group():
    points = column(0, 9, 20, 21, 12)
    assert mdav_groups(points, 2, ending="mdav").tolist() == [0, 0, 1, 1, 0]
    assert mdav_groups(points, 2, ending="generic").tolist() == [0, 0, 1, 1, 1]


def test_the_last_group_takes_all_or_only_k():
    points = column(0, 1, 100, 101, 71, 50, 30)
    assert mdav_groups(points, 2, ending="mdav").tolist() == [1, 1, 0, 0, 2, 2, 2]
    assert mdav_groups(points, 2, ending="mdav_1").tolist() == [1, 1, 0, 0, 2, 2, 1]
