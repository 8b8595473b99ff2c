from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import CorrelationError


def test_against_numpy():
    random = np.random.default_rng(0)
    before = random.normal(size=(40, 3))
    before[:, 1] += before[:, 0]
    after = before + random.normal(size=before.shape)
    changed = np.abs(np.corrcoef(after.T) - np.corrcoef(before.T))[np.triu_indices(3, 1)]
    assert CorrelationError().measure(PairedNumbers.of_arrays(before, after)) == pytest.approx(changed.mean())


def test_a_constant_column_has_nothing_to_do_with_others():
    assert CorrelationError().measure(PairedNumbers.of_arrays([[1, 1], [2, 2]], [[1, 7], [2, 7]])) == pytest.approx(1)
    assert CorrelationError().measure(PairedNumbers.of_arrays([[0.1, 1]] * 3, [[0.1, 2]] * 3)) == 0


def test_scale_does_not_matter():
    before = np.random.default_rng(2).normal(size=(20, 2))
    assert CorrelationError().measure(PairedNumbers.of_arrays(before, before * 7 - 3)) == pytest.approx(0)
