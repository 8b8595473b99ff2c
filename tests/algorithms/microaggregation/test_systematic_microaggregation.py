from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import SystematicMicroaggregation
from sfumato.algorithms.microaggregation.systematic_groups import systematic_groups
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


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
