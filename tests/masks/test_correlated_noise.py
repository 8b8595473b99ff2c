from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.masks import CorrelatedNoise


def masked(frame, mask):
    made = mask.mask(frame, ["x", "y"], seed=1)
    return np.column_stack([made[name] for name in ("x", "y")])


def test_correlations_are_kept_and_covariances_grow_alike(wide):
    frame, matrix = wide
    made = masked(frame, CorrelatedNoise(share=0.5))
    assert np.cov(made.T) == pytest.approx(1.25 * np.cov(matrix.T), rel=0.05)
    assert np.corrcoef(made.T)[0, 1] == pytest.approx(np.corrcoef(matrix.T)[0, 1], abs=0.01)


def test_variances_are_kept_where_asked(wide):
    frame, matrix = wide
    made = masked(frame, CorrelatedNoise(share=1, keep_spread=True))
    assert np.cov(made.T) == pytest.approx(np.cov(matrix.T), rel=0.08)
    assert made.mean(axis=0) == pytest.approx(matrix.mean(axis=0), rel=0.02)
    assert not np.allclose(made, matrix)


def test_one_column_and_missing_values():
    frame = pa.table({"x": [1.0, 2.0, None, 4.0], "y": [1.0, None, 3.0, 4.0]})
    assert CorrelatedNoise().mask(frame, ["x"], seed=1)["x"].null_count == 1
    made = CorrelatedNoise().mask(frame, ["x", "y"], seed=1)
    assert (made["x"][2].as_py(), made["y"][1].as_py()) == (None, None)


def test_too_few_complete_records():
    with pytest.raises(DataError, match="at least two records without a missing value"):
        CorrelatedNoise().mask(pa.table({"x": [1.0, 2.0, None], "y": [None, 1.0, 2.0]}), ["x", "y"])
