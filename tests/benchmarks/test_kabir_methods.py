"""The loss, by hand, and the published losses of the three files."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.figures.kabir_methods import (
    METHODS,
    READINGS,
    improved_loss,
    least_loss,
    loss,
    mdav,
    numbers,
    squared_errors,
    squared_total,
    standardized,
)

POINTS = np.array([[0.0], [2.0], [10.0], [14.0]])


def test_the_loss_by_hand():
    """Means 1 and 12: 2 + 8. Around the mean of all, 6.5: 42.25 + 20.25 + 12.25 + 56.25."""
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    assert squared_errors(POINTS, labels) == 10
    assert squared_total(POINTS) == 131
    assert loss(POINTS, labels) == pytest.approx(1000 / 131)


def test_the_bound_and_search_on_four_points():
    assert improved_loss(POINTS, 2, 0.01) == pytest.approx(1000 / 131)
    assert 0 < least_loss(POINTS, 2) <= 1000 / 131


def test_columns_are_standardized_on_their_own():
    points = standardized(np.array([[1.0, 100.0], [3.0, 500.0]]))
    assert points.tolist() == [[-1, -1], [1, 1]]


@pytest.mark.parametrize("name", [*METHODS, *READINGS])
def test_every_way_makes_groups_of_at_least_k(name):
    points = np.random.default_rng(3).normal(size=(41, 2))
    labels = {**METHODS, **READINGS}[name](points, 4)
    assert np.bincount(labels).min() >= 4
    assert len(labels) == 41


@pytest.mark.parametrize(
    ("file", "shape", "published"),
    [("Tarragona", (834, 13), 16.9326), ("Census", (1080, 13), 5.6922), ("EIA", (4092, 11), 0.4829)],
)
def test_mdav_loses_what_is_published(data_folder, file, shape, published):
    if not (data_folder / "microaggregation").is_dir():
        pytest.skip("the reference sets are not here")
    points = standardized(numbers(file))
    assert points.shape == shape
    assert loss(points, mdav(points, 3)) == pytest.approx(published, abs=5e-5)
