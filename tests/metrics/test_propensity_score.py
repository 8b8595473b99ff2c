from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import PropensityScore


def test_numbers_that_lie_apart_are_always_told():
    pair = PairedNumbers.of_arrays(np.arange(30.0), np.arange(30.0) + 100)
    assert PropensityScore().measure(pair) == pytest.approx(0.25, abs=0.005)


def test_swapped_numbers_are_never_told():
    values = np.random.default_rng(0).normal(size=(40, 2))
    assert PropensityScore().measure(PairedNumbers.of_arrays(values, values[::-1])) == pytest.approx(0, abs=1e-12)


def test_powers_see_what_means_hide():
    random = np.random.default_rng(3)
    before = random.normal(size=500)
    pair = PairedNumbers.of_arrays(before, before * 3)
    assert PropensityScore(powers=1).measure(pair) < 0.001
    assert PropensityScore(powers=2).measure(pair) > 0.02


def test_interactions_see_lost_correlation():
    random = np.random.default_rng(4)
    one = random.normal(size=500)
    before = np.column_stack([one, one + random.normal(size=500) / 5])
    after = np.column_stack([one, random.permutation(before[:, 1])])
    pair = PairedNumbers.of_arrays(before, after)
    assert PropensityScore().measure(pair) < 0.001
    assert PropensityScore(interactions=True).measure(pair) > 0.02


def test_against_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")
    random = np.random.default_rng(5)
    before = random.normal(size=(200, 2))
    after = before * 1.5 + 0.3
    both, truth = np.concatenate([before, after]), np.repeat([0, 1], 200)
    scaled = (both - both.mean(axis=0)) / both.std(axis=0)
    score = linear.LogisticRegression(C=1e3, tol=1e-10, max_iter=1000).fit(scaled, truth).predict_proba(scaled)[:, 1]
    found = PropensityScore(powers=1).measure(PairedNumbers.of_arrays(before, after))
    assert found == pytest.approx(np.mean((score - 0.5) ** 2), rel=1e-3)
