from __future__ import annotations

from sfumato.algorithms import MuApprox
from sfumato.algorithms.microaggregation.mu_approx_groups import mu_approx_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(MuApprox(), table, 4) == groups_of(mu_approx_groups(points_of(table), 4))
