from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import RegressionError


def coefficients(values):
    """Every column on the others, by numpy, with a constant."""
    found = []
    for place in range(values.shape[1]):
        others = np.delete(values, place, axis=1)
        fitted = np.linalg.lstsq(np.column_stack([np.ones(len(values)), others]), values[:, place], rcond=None)[0]
        found.extend(fitted[1:])
    return np.array(found)


def test_against_numpy():
    random = np.random.default_rng(0)
    before = random.normal(size=(60, 3))
    before[:, 2] += 2 * before[:, 0] - before[:, 1]
    after = before + random.normal(size=before.shape) / 2
    scale = before.std(axis=0)
    one, two = coefficients(before / scale), coefficients(after / scale)
    expected = np.abs(two - one).sum() / np.abs(one).sum()
    assert RegressionError().measure(PairedNumbers.of_arrays(before, after)) == pytest.approx(expected)


def test_units_do_not_matter():
    random = np.random.default_rng(1)
    before, after = random.normal(size=(2, 30, 3))
    raw, scaled = (
        PairedNumbers.of_arrays(before, after),
        PairedNumbers.of_arrays(before * [1, 50, 1e4], after * [1, 50, 1e4]),
    )
    assert RegressionError().measure(scaled) == pytest.approx(RegressionError().measure(raw))


def test_columns_that_say_the_same_share_their_coefficient():
    line = np.arange(5.0)
    before = np.column_stack([line, line, line])
    assert RegressionError().measure(PairedNumbers.of_arrays(before, before + 1)) == pytest.approx(0)


def test_where_nothing_was_predicted_any_prediction_is_without_limit():
    before = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert RegressionError().measure(PairedNumbers.of_arrays(before, [[0, 0], [0, 0], [1, 1], [1, 1]])) > 1e6
