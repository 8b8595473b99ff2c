from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.metrics import SuppressedShare
from sfumato.operations.generalize import generalize_levels


@pytest.mark.parametrize(("size", "share"), [(3, 3 / 7), (4, 4 / 7)])
def test_records_count_not_rows(size, share):
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    groups = candidate.groups()
    left_out = candidate.suppressing(groups.labels == np.flatnonzero(groups.sizes == size)[0])
    assert SuppressedShare().measure(left_out) == pytest.approx(share)
