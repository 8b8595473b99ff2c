"""Groups around means, in which columns that tell them apart count for more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.weighted_c_means import WeightedCMeans, _merge_small_groups, _nearest
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from tests.algorithms.clustering.rows_of import small_rows


@given(small_rows(max_rows=10), st.integers(1, 4), st.integers(0, 9))
def test_every_row_is_in_one_group_without_gaps(rows, k, seed):
    if rows.records < 2 * k:
        return
    row, group, counts = WeightedCMeans()._cluster(rows, k, np.random.default_rng(seed))
    assert row.tolist() == list(range(len(rows)))
    assert counts.tolist() == rows.counts.tolist()
    assert np.unique(group).tolist() == list(range(group.max() + 1))
    sizes = np.bincount(group, weights=counts)
    assert sizes.min() >= k or not (sizes >= k).any()


def test_weights_go_to_the_coordinates_that_groups_agree_in():
    """Of equal variation, a fifth is left in the one and four fifths in the other: weights are as 4 to 1."""
    apart, whole = np.array([[1.0, 2.0], [-1.0, -2.0]]), np.full(2, 10.0)
    assert WeightedCMeans()._weights(apart, np.ones(2), whole).tolist() == pytest.approx([0.8, 0.2])
    blunt = WeightedCMeans(sharpness=3.0)._weights(apart, np.ones(2), whole)
    assert blunt.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_units_do_not_matter_and_no_coordinate_counts_alone():
    apart, whole = np.array([[0.0, 30.0, 0.0]]), np.array([5.0, 900.0, 0.0])
    assert WeightedCMeans()._weights(apart, np.ones(1), whole).tolist() == pytest.approx([100 / 101, 1 / 101, 0.0])
    assert WeightedCMeans()._weights(np.zeros((1, 2)), np.ones(1), np.zeros(2)).tolist() == [0.5, 0.5]


def test_small_groups_join_the_nearest_large_one():
    centroids, labels = np.array([[0.0], [10.0], [7.0]]), np.array([0, 0, 1, 1, 2], dtype=np.int32)
    found = _merge_small_groups(centroids, np.ones(1), np.ones(5, dtype=np.int64), labels, 2)
    assert found.tolist() == [0, 0, 1, 1, 1]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9), st.data())
def test_nearest_is_nearest(points, data):
    places = np.array(points, dtype=np.float64)
    centroids = places[data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=4))]
    weights = np.array([0.25, 0.75])
    far = (weights * (places[:, None] - centroids[None]) ** 2).sum(axis=2)
    found = _nearest(places, centroids, weights)
    np.testing.assert_allclose(far[np.arange(len(points)), found], far.min(axis=1), atol=1e-9)


def test_two_crowds_are_told_apart():
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["1", "2", "3", "97", "98", "99"]})
    releases = [WeightedCMeans().anonymize(table, KAnonymity(k=3), seed=seed) for seed in range(9)]
    losses = [Ncp().measure(release) for release in releases]
    assert losses == pytest.approx([2 / 98] * 9)
