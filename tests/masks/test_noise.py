from __future__ import annotations

import numpy as np
import pytest

from sfumato.masks import Noise


def test_noise_is_as_wide_as_asked_and_around_nothing(wide):
    frame, matrix = wide
    made = np.column_stack([Noise(share=0.2).mask(frame, ["x", "y"], seed=1)[name] for name in ("x", "y")])
    noise = (made - matrix) / matrix.std(axis=0)
    assert noise.std(axis=0) == pytest.approx([0.2, 0.2], rel=0.05)
    assert noise.mean(axis=0) == pytest.approx([0, 0], abs=0.01)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.05


def test_variances_grow_and_correlations_fall(wide):
    frame, matrix = wide
    made = np.column_stack([Noise(share=1).mask(frame, ["x", "y"], seed=1)[name] for name in ("x", "y")])
    assert made.var(axis=0) == pytest.approx(2 * matrix.var(axis=0), rel=0.1)
    assert np.corrcoef(made.T)[0, 1] == pytest.approx(np.corrcoef(matrix.T)[0, 1] / 2, abs=0.05)
