"""Simulation: 200 points of 40 coordinates reduced to 10, as random projections promise it."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.operations.project import projection

MATRICES = pytest.mark.parametrize("matrix", ["gaussian", "sparse"])


def squared(points: np.ndarray) -> np.ndarray:
    """All squared distances, the plain way."""
    return ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)[np.triu_indices(len(points), k=1)]


@MATRICES
def test_squared_distances_are_kept_on_average(matrix):
    """One draw is off by some percent; the mean over 200 draws by less than one in a hundred (five standard errors)."""
    points = np.random.default_rng(0).normal(size=(200, 40))
    before = squared(points).mean()
    ratios = [squared(points @ projection(40, 10, matrix=matrix, seed=seed)).mean() / before for seed in range(200)]
    assert np.mean(ratios) == pytest.approx(1, abs=max(5 * np.std(ratios) / 200**0.5, 1e-3))
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


def test_gaussian_columns_are_directions_of_one_length():
    """Unit length, then stretched by the root of m / r."""
    drawn = projection(40, 10, matrix="gaussian", seed=3)
    assert (drawn**2).sum(axis=0) == pytest.approx(np.full(10, 40 / 10))


def test_sparse_entries_have_the_chances_of_the_paper():
    drawn = projection(300, 200, matrix="sparse", seed=3) / np.sqrt(3 / 200)
    values, counts = np.unique(drawn.round(9), return_counts=True)
    assert values.tolist() == [-1, 0, 1]
    assert counts / counts.sum() == pytest.approx([1 / 6, 2 / 3, 1 / 6], abs=0.01)


@MATRICES
def test_a_seed_draws_the_same_matrix_and_none_another_each_time(matrix):
    assert (projection(6, 3, matrix=matrix, seed=5) == projection(6, 3, matrix=matrix, seed=5)).all()
    assert (projection(30, 9, matrix=matrix, seed=5) != projection(30, 9, matrix=matrix, seed=6)).any()
    assert (projection(30, 9, matrix=matrix, seed=None) != projection(30, 9, matrix=matrix, seed=None)).any()


@pytest.mark.parametrize(
    ("columns", "dimensions", "matrix", "complaint"),
    [(0, 1, "gaussian", "'columns'"), (3, 0, "sparse", "'dimensions'"), (3, 2, "dense", "'matrix'")],
)
def test_settings_are_checked(columns, dimensions, matrix, complaint):
    with pytest.raises(ParameterError, match=complaint):
        projection(columns, dimensions, matrix=matrix, seed=0)
