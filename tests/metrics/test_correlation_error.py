from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import CorrelationError
from sfumato.report.cost import Cost


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


def test_it_is_told_as_it_is_and_not_as_a_share_of_one_group():
    """Columns that hardly depend on each other have a mean absolute correlation near 0: no scale to measure by."""
    before = np.random.default_rng(1).normal(size=(20_000, 2))
    after = before + np.column_stack([np.zeros(len(before)), before[:, 0]])
    cost = Cost.of_numbers(CorrelationError(), PairedNumbers.of_arrays(before, after))
    assert cost.value == pytest.approx(abs(np.corrcoef(after.T) - np.corrcoef(before.T))[0, 1])
    assert 5 * abs(np.corrcoef(before.T)[0, 1]) < cost.value < cost.limits[1]
    assert (cost.share, cost.reading) == (None, "")


def test_scale_does_not_matter():
    before = np.random.default_rng(2).normal(size=(20, 2))
    assert CorrelationError().measure(PairedNumbers.of_arrays(before, before * 7 - 3)) == pytest.approx(0)
