"""By hand on Table 2.4: groups of 3 and 4."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.metrics import AverageGroupSize, NormalizedGroupSize
from sfumato.operations.generalize import generalize_levels

CONFORMING = [NormalizedGroupSize(k=1), NormalizedGroupSize(k=3)]


def test_two_groups_of_seven_records():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    assert NormalizedGroupSize(k=3).measure(candidate) == pytest.approx(7 / 6)
    assert NormalizedGroupSize(k=1).measure(candidate) == AverageGroupSize().measure(candidate) == 3.5


def test_suppressed_records_are_in_no_group():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    groups = candidate.groups()
    left = candidate.suppressing(groups.labels == np.flatnonzero(groups.sizes == 3)[0])
    assert NormalizedGroupSize(k=2).measure(left) == 2


def test_k_is_at_least_one():
    with pytest.raises(ParameterError, match="int >= 1"):
        NormalizedGroupSize(k=0)
