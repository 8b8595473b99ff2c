from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.dissolving import (
    dissolve_groups,
    heaviest_first,
    latest_first,
    regroup_costliest,
    squared_errors,
)
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from tests.golden.reference_sets import loss
from tests.oracles import plain_microaggregation as plain
from tests.oracles.optimal_microaggregation import sse
from tests.oracles.small_points import numbered, same, small_points

PAIRS = np.array([[0.0], [1.0], [1.0], [10.0], [10.0], [11.0]])
LABELS = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)


def test_a_group_that_spans_two_others_is_given_up():
    assert dissolve_groups(PAIRS, LABELS, heaviest_first(PAIRS, LABELS)).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_group_that_helps_stays():
    points = np.array([[0.0], [1.0], [5.0], [5.0], [10.0], [11.0]])
    assert dissolve_groups(points, LABELS, latest_first(LABELS)).tolist() == LABELS.tolist()


def test_no_group_grows_above_the_most():
    """The middle group could only be given up by one more than two."""
    assert dissolve_groups(PAIRS, LABELS, heaviest_first(PAIRS, LABELS), most=2).tolist() == LABELS.tolist()
    assert dissolve_groups(PAIRS, LABELS, heaviest_first(PAIRS, LABELS), most=3).tolist() == [0, 0, 0, 1, 1, 1]


def test_orders():
    assert heaviest_first(PAIRS, LABELS).tolist() == [1, 0, 2]
    assert latest_first(LABELS).tolist() == [2, 1, 0]


@given(small_points(), st.integers(1, 4))
def test_it_never_loses_more_and_numbers_without_gaps(points, k):
    groups = plain.cbfs(points, k)
    labels = plain.labels_of(groups, len(points))
    found = dissolve_groups(points, labels, heaviest_first(points, labels))
    assert same(found, plain.dissolved(points, groups, plain.heaviest_first(points, groups)))
    after = [np.flatnonzero(found == group).tolist() for group in range(found.max() + 1)]
    assert all(len(group) >= min(k, len(points)) for group in after)
    assert plain.loss(points, after) <= plain.loss(points, groups) + 1e-9


def mdav_3(points):
    return mdav_groups(points, 3, ending="mdav")


@given(small_points(most=60, at_least=12), st.integers(3, 60))
def test_groups_stay_groups_and_never_cost_more(points, size):
    labels = np.arange(len(points), dtype=np.int32) % (len(points) // 3)
    made = regroup_costliest(points, labels, size, mdav_3)
    assert np.bincount(made).min() >= 3
    if np.ptp(points) > 0:
        assert loss(points, made) <= loss(points, labels) + 1e-9
    assert len(np.unique(made)) == made.max() + 1


def test_what_blocks_tore_apart_comes_together():
    """Three clusters in three blocks: one record of each is left over in every block, and these were grouped."""
    cluster = np.arange(36) % 3
    points = (100.0 * cluster + np.arange(36) / 36).reshape(-1, 1)
    block = np.arange(36) // 12
    labels = (4 * block + np.where(np.arange(36) % 12 < 9, cluster, 3)).astype(np.int32)
    made = regroup_costliest(points, labels, 9, mdav_3)
    assert loss(points, labels) > 10
    assert loss(points, made) < 0.01
    assert numbered(made, 3, 5)


def test_groups_larger_than_the_size_stay_as_they_are():
    points, labels = np.array([[0.0], [9.0], [1.0], [2.0]]), np.array([0, 0, 0, 0], dtype=np.int32)
    assert regroup_costliest(points, labels, 3, mdav_3) is labels


@given(st.integers(1, 40), st.integers(0, 1_000))
def test_squared_errors_are_those_of_every_group(records, seed):
    random = np.random.default_rng(seed)
    points, labels = random.standard_normal((records, 3)), random.integers(0, 5, records)
    found = squared_errors(points, labels)
    for group in range(labels.max() + 1):
        mine = points[labels == group]
        assert np.isclose(found[group], sse(mine, np.zeros(len(mine))) if len(mine) else 0)
