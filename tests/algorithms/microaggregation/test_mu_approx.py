from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import MuApprox
from sfumato.algorithms.microaggregation.mu_approx import mu_approx_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, reference_set
from tests.oracles import plain_mdav, plain_trees
from tests.oracles import plain_microaggregation as plain
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.small_points import numbered, same, small_points


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(MuApprox(), table, 4) == groups_of(mu_approx_groups(points_of(table), 4))


PRINTED = {
    "tarragona": (17.10, 20.51, 26.04, 38.80),
    "census": (6.25, 8.47, 10.78, 17.01),
    "eia": (0.43, 0.59, 0.83, 2.26),
}
"""Domingo-Ferrer, Sebé and Solanas (2008), as quoted by Kabir (2010), tables 6.1 to 6.3."""


@pytest.mark.parametrize("name", PRINTED)
def test_losses_are_near_the_printed_ones(name):
    """The authors let any tree and any record be taken, so nobody can meet their figures but by luck."""
    points = reference_set(name)
    assert [loss(points, mu_approx_groups(points, k)) for k in SIZES] == pytest.approx(PRINTED[name], rel=0.07)


def generic(points, k):
    labels = plain_mdav.plain_mdav(points, k, "generic")
    return [np.flatnonzero(labels == group).tolist() for group in range(int(labels.max()) + 1)]


@given(small_points(most=25, at_least=2), st.integers(1, 6))
def test_groups_are_those_of_the_plain_way(points, k):
    labels = mu_approx_groups(points, k)
    assert numbered(labels, k, 2 * k - 1)
    if len(points) >= 2 * k:
        outside = np.argsort(-((points - points.mean(axis=0)) ** 2).sum(axis=1), kind="stable").tolist()
        links = plain_trees.forest(points, k, outside)
        parts = plain_trees.taken_apart(points, plain_trees.tree_of(links, len(points)), k)
        assert same(labels, plain.split(points, parts, k, generic))


@given(st.integers(0, 2**32), st.integers(4, 8))
def test_it_stays_within_a_factor_of_the_best_groups(seed, n):
    """The bound of its authors is some constant for each k; on so few records it loses at most a few times too much."""
    points = np.random.default_rng(seed).standard_normal((n, 2))
    assert sse(points, mu_approx_groups(points, 2)) <= 8 * least_sse(points, 2) + 1e-9


def test_the_order_of_records_does_not_matter():
    points = np.random.default_rng(1).standard_normal((90, 3))
    order = np.random.default_rng(2).permutation(90)
    shuffled = mu_approx_groups(points[order], 5)
    groups = [order[shuffled == group].tolist() for group in range(int(shuffled.max()) + 1)]
    assert same(mu_approx_groups(points, 5), groups)
