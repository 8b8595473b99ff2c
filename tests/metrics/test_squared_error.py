from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets.adult import data_folder
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.metrics import SquaredError
from tests.golden import three_groups


@pytest.mark.parametrize("standardize", [True, False])
def test_figures_7_1_and_7_2(standardize):
    """Kabir (2010): squared errors 126 to the means and 129 to the medians, of 3326 in all."""
    metric = SquaredError(standardize=standardize)
    assert metric.measure(three_groups.means()) == pytest.approx(100 * 126 / 3326)
    assert metric.measure(three_groups.medians()) == pytest.approx(100 * 129 / 3326)


def test_columns_count_alike_only_if_they_are_standardized():
    pair = PairedNumbers.of_arrays([[0, 0], [1, 1000]], [[0.5, 0], [0.5, 1000]])
    assert SquaredError().measure(pair) == pytest.approx(50)
    assert SquaredError(standardize=False).measure(pair) == pytest.approx(100 * 0.5 / 500_000.5)


def test_the_mean_of_everything_loses_everything():
    values = np.random.default_rng(1).normal(size=(50, 3))
    pair = PairedNumbers.of_arrays(values, np.tile(values.mean(axis=0), (50, 1)))
    assert SquaredError().measure(pair) == pytest.approx(100)


def test_a_column_that_is_the_same_everywhere():
    assert SquaredError().measure(PairedNumbers.of_arrays([5, 5], [5, 5])) == 0
    assert SquaredError().measure(PairedNumbers.of_arrays([5, 5], [5, 6])) == np.inf


def test_reference_set_census_in_one_group_of_all_but_the_first():
    path = data_folder() / "microaggregation" / "census_1080x13.csv"
    if not path.is_file():
        pytest.skip("the reference sets of microaggregation are not here")
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    centred = (values - values.mean(axis=0)) / values.std(axis=0)
    rest = values.copy()
    rest[1:] = values[1:].mean(axis=0)
    lost = np.square(centred[1:] - centred[1:].mean(axis=0)).sum() / np.square(centred).sum()
    assert SquaredError().measure(PairedNumbers.of_arrays(values, rest)) == pytest.approx(100 * lost)
