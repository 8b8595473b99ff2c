from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import CovarianceError
from tests.golden import three_groups


def test_means_of_groups_lose_the_variance_inside_them():
    """Of 3326, figure 7.1 loses the 126 inside the groups."""
    assert CovarianceError().measure(three_groups.means()) == pytest.approx(126 / 3326)


def test_every_pair_counts_once():
    """Two variances stay, and the covariance goes from 1 to -1."""
    pair = PairedNumbers.of_arrays([[1, 1], [3, 3]], [[1, 3], [3, 1]])
    assert CovarianceError().measure(pair) == pytest.approx(2 / 3)


def test_against_numpy():
    random = np.random.default_rng(0)
    before = random.normal(size=(40, 3)) * [1, 10, 100]
    after = before + random.normal(size=before.shape)
    scale = before.std(axis=0)
    changed = np.abs(np.cov((after / scale).T, ddof=0) - np.cov((before / scale).T, ddof=0))
    expected = changed[np.triu_indices(3)].mean()
    assert CovarianceError().measure(PairedNumbers.of_arrays(before, after)) == pytest.approx(expected)
