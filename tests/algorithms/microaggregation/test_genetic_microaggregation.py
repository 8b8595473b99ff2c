from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import GeneticMicroaggregation
from sfumato.algorithms.microaggregation.genetic_microaggregation import genetic_groups
from sfumato.algorithms.microaggregation.group_sizes import split
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.examples import examples
from tests.golden.reference_sets import loss, reference_set
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.small_points import numbered, small_points


def test_the_groups_of_standardized_columns_are_published():
    table, way = numbers_table(), GeneticMicroaggregation(population=10, generations=20)
    expected = genetic_groups(points_of(table), 4, np.random.default_rng(3), population=10, generations=20)
    assert grouped(way, table, 4, seed=3) == groups_of(expected)


def test_another_seed_breeds_other_groups():
    table, way = numbers_table(), GeneticMicroaggregation(population=10, generations=20)
    assert grouped(way, table, 4, seed=3) == grouped(way, table, 4, seed=3) != grouped(way, table, 4, seed=4)


def found(points, k, seed=0, population=20, generations=100):
    random = np.random.default_rng(seed)
    return genetic_groups(points, k, random, population=population, generations=generations)


@examples(30)
@given(small_points(most=120), st.integers(1, 6))
def test_groups_have_their_sizes(points, k):
    assert numbered(found(points, k, population=6, generations=5), k, 2 * k - 1)


def test_groups_stay_inside_blocks():
    points = np.random.default_rng(0).standard_normal((230, 3))
    blocks, labels = mdav_groups(points, 50, ending="mdav"), found(points, 4)
    assert len(set(zip(labels.tolist(), blocks.tolist(), strict=True))) == labels.max() + 1
    assert len(set(blocks.tolist())) == 4


def test_large_groups_need_large_blocks():
    points = np.random.default_rng(0).standard_normal((200, 3))
    assert np.bincount(found(points, 40, generations=2)).min() >= 40


def test_it_is_better_than_mdav_in_the_same_blocks():
    points = reference_set("tarragona")
    blocks = mdav_groups(points, 50, ending="mdav")
    others = split(points, blocks, 5, lambda part, k: mdav_groups(part, k, ending="mdav"))
    assert loss(points, found(points, 5, population=50, generations=400)) < loss(points, others)


def test_the_best_groups_of_few_records_are_mostly_found():
    random = np.random.default_rng(0)
    tables = [random.standard_normal((8, 2)) for _ in range(20)]
    assert sum(sse(points, found(points, 2)) <= least_sse(points, 2) + 1e-9 for points in tables) >= 18


def test_the_seed_decides():
    points = np.random.default_rng(0).standard_normal((120, 3))
    one, again, other = (found(points, 4, seed).tolist() for seed in (1, 1, 2))
    assert one == again != other
