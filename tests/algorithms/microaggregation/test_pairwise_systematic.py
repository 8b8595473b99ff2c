from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import PairwiseSystematic
from sfumato.algorithms.microaggregation.pairwise_systematic import pairwise_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


@pytest.mark.parametrize("nearest", ["seed", "centroid"])
@pytest.mark.parametrize("last", ["held", "retaken"])
def test_every_reading_publishes_its_groups(nearest, last):
    table = numbers_table()
    expected = pairwise_groups(points_of(table), 4, nearest=nearest, last=last)
    assert grouped(PairwiseSystematic(nearest=nearest, last=last), table, 4) == groups_of(expected)


def test_the_readings_differ():
    table = numbers_table()
    assert grouped(PairwiseSystematic(), table, 4) != grouped(PairwiseSystematic(nearest="seed"), table, 4)


def test_another_reading_is_refused():
    with pytest.raises(ParameterError, match="'nearest' of PairwiseSystematic"):
        PairwiseSystematic(nearest="median")


MEASURED = {
    ("tarragona", True, "seed"): ("17.3344", "19.4209", "22.1304", "33.5638"),
    ("tarragona", True, "centroid"): ("17.2649", "19.4053", "22.7416", "37.3610"),
    ("census", True, "seed"): ("6.2069", "8.2447", "9.7394", "14.4136"),
    ("census", True, "centroid"): ("5.7344", "7.6408", "9.3441", "15.0059"),
    ("eia", True, "seed"): ("0.4879", "0.7888", "1.8439", "3.5922"),
    ("eia", True, "centroid"): ("0.4743", "0.6148", "1.6049", "3.3327"),
    ("eia_sales", True, "seed"): ("0.5414", "0.7010", "1.5812", "3.2864"),
    ("eia_sales", True, "centroid"): ("0.5250", "0.6526", "1.5130", "2.9855"),
    ("tarragona", False, "seed"): ("5.3427", "8.1579", "10.7862", "14.8007"),
    ("tarragona", False, "centroid"): ("5.4927", "8.3353", "10.8882", "16.9986"),
    ("census", False, "seed"): ("1.7821", "2.2162", "2.9400", "4.7072"),
    ("census", False, "centroid"): ("1.6182", "2.2835", "2.7170", "4.6070"),
    ("eia", False, "seed"): ("0.2342", "0.3318", "0.4551", "1.0359"),
    ("eia", False, "centroid"): ("0.2122", "0.3111", "0.4274", "1.0358"),
    ("eia_sales", False, "seed"): ("0.2147", "0.3293", "0.4588", "1.0363"),
    ("eia_sales", False, "centroid"): ("0.2106", "0.3105", "0.4260", "1.0359"),
}
"""By another program than this one; the last record may join the first group, and is then replaced."""


@pytest.mark.parametrize(("name", "standardized", "nearest"), MEASURED)
def test_losses_on_the_reference_sets(name, standardized, nearest):
    points = reference_set(name, standardized=standardized)
    for k, figure in zip(SIZES, MEASURED[name, standardized, nearest], strict=True):
        labels = pairwise_groups(points, k, nearest=nearest, last="retaken")
        assert loss(points, labels) == printed(figure)
        assert numbered(labels, k, 2 * k - 1)


def test_holding_the_last_record_back_shows_on_census():
    points = reference_set("census", standardized=False)
    assert loss(points, pairwise_groups(points, 3)) == printed("1.835")


def test_the_figures_of_the_thesis_are_those_of_columns_that_were_not_standardized():
    """Kabir (2010), table 6.1, is met within 0.2 % by the raw table, and missed by a factor of two by the other."""
    figures = (5.494040549, 8.329209112, 10.8749404, 17.01194228)
    raw, standardized = (reference_set("tarragona", standardized=chosen) for chosen in (False, True))
    for k, figure in zip(SIZES, figures, strict=True):
        assert loss(raw, pairwise_groups(raw, k)) == pytest.approx(figure, rel=0.002)
        assert loss(standardized, pairwise_groups(standardized, k)) > 2 * figure


@pytest.mark.parametrize("nearest", ["seed", "centroid"])
@pytest.mark.parametrize("last", ["held", "retaken"])
@given(points=small_points(), k=st.integers(1, 6))
def test_groups_are_those_of_the_plain_way(nearest, last, points, k):
    labels = pairwise_groups(points, k, nearest=nearest, last=last)
    assert same(labels, plain.pairwise_systematic(points, k, nearest, last))
    assert numbered(labels, k, 2 * k - 1)
