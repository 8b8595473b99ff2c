from __future__ import annotations

import numpy as np
import pytest

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import AbsoluteDeviation
from tests.golden import three_groups


def test_figures_7_1_and_7_2():
    """Kabir (2010): 30 from the medians, and from these means as well."""
    assert AbsoluteDeviation().measure(three_groups.medians()) == 30
    assert AbsoluteDeviation().measure(three_groups.means()) == 30


def test_it_is_not_bounded_by_the_squared_error():
    """The figures 0, 0.1, 0.2 and 0.3 deviate by 0.4 in all from their median, by 0.05 when squared."""
    pair = PairedNumbers.of_arrays([0, 0.1, 0.2, 0.3], [0.15] * 4)
    assert AbsoluteDeviation().measure(pair) == pytest.approx(0.4)
    assert np.square(pair.original - pair.published).sum() == pytest.approx(0.05)


def test_relative_to_one_median_for_everybody():
    assert AbsoluteDeviation(relative=True).measure(PairedNumbers.of_arrays([1, 2, 9], [2, 2, 2])) == 100
    assert AbsoluteDeviation(relative=True).measure(PairedNumbers.of_arrays([1, 2, 9], [1, 2, 5])) == 50


def test_standardized_columns_count_alike():
    pair = PairedNumbers.of_arrays([[0, 0], [2, 2000]], [[1, 1000], [1, 1000]])
    assert AbsoluteDeviation(standardize=True).measure(pair) == pytest.approx(4)
