"""Goldens: G3 and B11 (book, equation 4.3, on Tables 2.2 and 2.4)."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.metrics import Discernibility
from sfumato.operations.generalize import generalize_levels


@pytest.mark.parametrize(("levels", "cost"), [((0, 0, 0), 11), ((1, 0, 1), 25), ((2, 1, 2), 49)])
def test_goldens(levels, cost):
    candidate = generalize_levels(hospital(), dict(zip(("Job", "Sex", "Age"), levels, strict=True)))
    assert Discernibility().measure(candidate) == cost


def test_a_suppressed_record_costs_the_whole_table():
    """Table 2.4 without its group of three: 4 * 4 + 3 * 7."""
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    groups = candidate.groups()
    left_out = candidate.suppressing(groups.labels == np.flatnonzero(groups.sizes == 3)[0])
    assert Discernibility().measure(left_out) == 37
