from __future__ import annotations

import numpy as np

from sfumato.algorithms import GeneticMicroaggregation
from sfumato.algorithms.microaggregation.bred_groups import bred_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table, way = numbers_table(), GeneticMicroaggregation(population=10, generations=20)
    expected = bred_groups(points_of(table), 4, np.random.default_rng(3), population=10, generations=20)
    assert grouped(way, table, 4, seed=3) == groups_of(expected)


def test_another_seed_breeds_other_groups():
    table, way = numbers_table(), GeneticMicroaggregation(population=10, generations=20)
    assert grouped(way, table, 4, seed=3) == grouped(way, table, 4, seed=3) != grouped(way, table, 4, seed=4)
