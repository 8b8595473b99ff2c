from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import MeanError
from tests.golden import three_groups


def test_means_of_groups_keep_the_mean():
    assert MeanError().measure(three_groups.means()) == pytest.approx(0)


def test_medians_do_not():
    """The mean of figure 7.2 falls from 26 to 25.5; the standard deviation is the root of 3326 / 12."""
    assert MeanError().measure(three_groups.medians()) == pytest.approx(0.5 / np.sqrt(3326 / 12))


def test_columns_are_averaged():
    assert MeanError().measure(PairedNumbers.of_arrays([[0, 0], [2, 4]], [[1, 0], [3, 4]])) == 0.5
