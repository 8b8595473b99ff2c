from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import SystematicMicroaggregation
from sfumato.algorithms.microaggregation.systematic_microaggregation import row_sums, systematic_groups
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


@pytest.mark.parametrize("loss", ["sse", "adm"])
def test_a_given_order_is_kept(loss):
    table, order = numbers_table(), (3, 1, 4, 2)
    expected = systematic_groups(points_of(table), 4, order, loss=loss)
    assert grouped(SystematicMicroaggregation(order=order, loss=loss), table, 4) == groups_of(expected)


def test_else_the_order_is_drawn_from_the_seed():
    table = numbers_table()
    order = 1 + np.random.default_rng(8).permutation(5)
    expected = groups_of(systematic_groups(points_of(table), 5, order.tolist()))
    assert grouped(SystematicMicroaggregation(), table, 5, seed=8) == expected
    assert len({frozenset(grouped(SystematicMicroaggregation(), table, 5, seed=seed)) for seed in range(4)}) > 1


@pytest.mark.parametrize("order", [(1, 1), (0, 1), (2, 3)])
def test_an_order_has_every_number_once(order):
    with pytest.raises(ParameterError, match="every number from 1 to k once"):
        SystematicMicroaggregation(order=order)


def test_an_order_of_another_length_than_k_is_refused():
    with pytest.raises(ParameterError, match="has 2 numbers, but groups of 3 are asked for"):
        SystematicMicroaggregation(order=(2, 1)).anonymize(numbers_table(), KAnonymity(k=3))


MEASURED = {
    "tarragona": (21.4, 28.4, 32.9, 48.0),
    "census": (17.3, 17.0, 18.3, 22.4),
    "eia": (16.4, 13.6, 11.1, 8.9),
}
"""By another program than this one: means of five orders by chance, which differ from one five to the next."""


@pytest.mark.parametrize("name", MEASURED)
def test_mean_losses_on_the_reference_sets_are_about_those_measured(name):
    points, random = reference_set(name), np.random.default_rng(0)
    for k, figure in zip(SIZES, MEASURED[name], strict=True):
        orders = [1 + random.permutation(k) for _ in range(8)]
        losses = [loss(points, systematic_groups(points, k, order)) for order in orders]
        assert np.mean(losses) == pytest.approx(figure, rel=0.15)


@pytest.mark.parametrize(("lost", "cost"), [("sse", plain.squared_cost), ("adm", plain.absolute_cost)])
@given(points=small_points(), k=st.integers(1, 6), seed=st.integers(0, 99))
def test_groups_are_those_of_the_plain_way(lost, cost, points, k, seed):
    order = np.random.default_rng(seed).permutation(k)
    labels = systematic_groups(points, k, (order + 1).tolist(), loss=lost)
    assert same(labels, plain.systematic(points, k, order.tolist(), cost))
    assert numbered(labels, k, 2 * k - 1)


def test_the_order_chooses_the_seeds():
    """By sum 0 1 5, 6 10 11 and a last 12: with seeds 0 and 6, 5 and 10 go to 6, and 11 where there is room."""
    points = np.array([[5.0], [12.0], [0.0], [6.0], [1.0], [10.0], [11.0]])
    assert systematic_groups(points, 3, (1, 2, 3)).tolist() == [1, 1, 0, 1, 0, 1, 0]


@given(small_points())
def test_records_come_in_the_order_of_their_deviations_from_the_mean(points):
    deviations = (points - points.mean(axis=0)).sum(axis=1)
    order = np.argsort(row_sums(points), kind="stable")
    assert (np.diff(deviations[order]) > -1e-9).all()
    assert row_sums(points).tolist() == plain.sums(points)
