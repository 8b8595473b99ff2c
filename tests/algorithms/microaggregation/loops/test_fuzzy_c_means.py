from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.fuzzy_c_means import moved_centres


def moved_plain(points, centres, fuzziness):
    """Every point and every centre, as the formula says."""
    squares = ((points[:, None] - centres) ** 2).sum(axis=2)
    on = squares == 0
    with np.errstate(divide="ignore"):
        shares = np.where(on.any(axis=1)[:, None], on, squares ** (-1 / (fuzziness - 1)))
    weights = (shares / shares.sum(axis=1)[:, None]) ** fuzziness
    return weights.T @ points / weights.sum(axis=0)[:, None]


@given(st.integers(0, 2**32), st.sampled_from([1.1, 1.5, 2.0]))
def test_centres_move_where_the_formula_says(seed, fuzziness):
    random = np.random.default_rng(seed)
    points = random.standard_normal((40, 2))
    centres, guess = points[:6] + 0.01, random.integers(0, 6, 40).astype(np.int32)
    found = moved_centres(points, centres, fuzziness, guess)
    np.testing.assert_allclose(found, moved_plain(points, centres, fuzziness), atol=1e-6)
    assert guess.tolist() == ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1).tolist()


def test_who_lies_on_a_centre_belongs_to_it_alone():
    points = np.array([[0.0], [4.0], [5.0]])
    found = moved_centres(points, np.array([[0.0], [5.0]]), 2.0, np.zeros(3, dtype=np.int32))
    near, far = (1 / 17) ** 2, (16 / 17) ** 2
    assert found[:, 0].tolist() == pytest.approx([4 * near / (1 + near), (5 + 4 * far) / (1 + far)])


def test_a_centre_that_nobody_belongs_to_stays():
    found = moved_centres(np.zeros((2, 1)), np.array([[0.0], [9.0]]), 1.5, np.ones(2, dtype=np.int32))
    assert found[:, 0].tolist() == [0.0, 9.0]
