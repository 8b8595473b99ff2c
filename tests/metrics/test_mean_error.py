from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import MeanError
from sfumato.report.cost import Cost
from tests.golden import three_groups


def test_means_of_groups_keep_the_mean():
    assert MeanError().measure(three_groups.means()) == pytest.approx(0)


def test_medians_do_not():
    """The mean of figure 7.2 falls from 26 to 25.5; the standard deviation is the root of 3326 / 12."""
    assert MeanError().measure(three_groups.medians()) == pytest.approx(0.5 / np.sqrt(3326 / 12))


def test_columns_are_averaged():
    assert MeanError().measure(PairedNumbers.of_arrays([[0, 0], [2, 4]], [[1, 0], [3, 4]])) == 0.5


def test_it_has_no_scale_because_one_group_has_the_same_means():
    """The mean of these numbers is not the mean of nine times itself, by a rounding error: nothing to divide by."""
    original = [[number**2 / 10] for number in range(9)]
    cost = Cost.of_numbers(MeanError(), PairedNumbers.of_arrays(original, [*original[:-1], [9.0]]))
    assert cost.value > 0
    assert (cost.scale, cost.reading) == (None, "")
