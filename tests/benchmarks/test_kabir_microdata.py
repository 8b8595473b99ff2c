"""Systematic microaggregation beside MDAV: the plain twin of MDAV, the samples, and what is said of the lines."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.figures import kabir_5_2, kabir_5_3, kabir_5_4
from benchmarks.figures.kabir_methods import loss, mdav
from benchmarks.figures.kabir_microdata import (
    COLUMNS,
    MDAV,
    PLAIN,
    SIZES,
    SYSTEMATIC,
    WIDTHS,
    mdav_loss,
    milliseconds,
    order,
    sample,
    systematic_loss,
)
from benchmarks.figures.kabir_plain_mdav import plain_mdav


def line(*heights):
    return list(zip(SIZES, heights, strict=True))


def lines(*names, **heights):
    return {f"{name}, p = {width}": line(*heights[name]) for name in names for width in WIDTHS}


@pytest.mark.parametrize(("many", "k"), [(40, 4), (43, 4), (42, 5), (20, 10), (23, 3)])
def test_plain_mdav_makes_the_same_groups(many, k):
    """Where k to 2k - 1 records are left they are one group for both; fewer are not shared out by the plain one."""
    points = np.random.default_rng(many).normal(size=(many, 3))
    plain, ours = plain_mdav(points, k), mdav(points, k)
    left = many % (2 * k)
    same = plain < plain.max() if 0 < left < k else np.ones(many, dtype=bool)
    assert np.array_equal(plain[same], ours[same])


def test_plain_mdav_takes_as_many_as_it_may_of_records_that_are_alike():
    labels = plain_mdav(np.repeat([[0.0], [9.0]], 6, axis=0), 3)
    assert sorted(np.bincount(labels).tolist()) == [3, 3, 3, 3]


def test_every_place_comes_once():
    assert sorted(order(7, 3)) == [1, 2, 3, 4, 5, 6, 7]
    assert order(7, 3) == order(7, 3)


def test_losses_are_those_of_the_groups():
    points = np.random.default_rng(5).normal(size=(60, 2))
    assert mdav_loss(points, 3) == loss(points, mdav(points, 3))
    assert mdav_loss(points, 3) < systematic_loss(points, 3, runs=2) <= 100
    assert all(milliseconds(name, points, 3) >= 0 for name in (SYSTEMATIC, MDAV, PLAIN))


def test_less_loss_and_more_with_k_are_judged_in_all_cases():
    rising = [1, 2, 3, 4, 5, 6, 7]
    better = lines("systematic", "MDAV", systematic=rising, MDAV=[2 * y for y in rising])
    assert [claim.agrees for claim in kabir_5_2.claims(better)] == [True, True]
    worse = better | {"systematic, p = 4": line(3, 2, 3, 4, 5, 6, 7)}
    found = kabir_5_2.claims(worse)
    assert [claim.agrees for claim in found] == [False, False]
    assert found[0].measured == "less in 34 of 35 cases; 0.5 to 2 times as much"
    assert found[1].measured == "not always: systematic, p = 4"


def test_faster_in_almost_all_cases_is_enough():
    times = {SYSTEMATIC: [6, 5, 4, 4, 4, 3, 2], MDAV: [7, 6, 5, 5, 5, 4, 1], PLAIN: [9, 8, 7, 6, 5, 4, 1.5]}
    drawn = {f"{name}, p = {width}": line(*times[name]) for name in times for width in WIDTHS}
    assert [claim.agrees for claim in kabir_5_3.claims(drawn)] == [True, True, True]
    slow = drawn | {f"{SYSTEMATIC}, p = {width}": line(*[8] * 7) for width in (2, 3)}
    assert [claim.agrees for claim in kabir_5_3.claims(slow)] == [False, False, False]


def test_growth_is_told_by_its_exponent():
    grown = {name: [(many, many**power) for many in kabir_5_4.RECORDS] for name, power in ((SYSTEMATIC, 2), (MDAV, 1))}
    claim = kabir_5_4.linear(grown)
    assert not claim.agrees
    assert claim.measured == "systematic records^2.00, MDAV records^1.00"
    assert kabir_5_4.linear({SYSTEMATIC: grown[MDAV]}).agrees


@pytest.mark.parametrize("data", list(COLUMNS))
def test_samples_of_adult_are_as_wide_as_asked_for(data_folder, data):
    if not (data_folder / "adult").is_dir():
        pytest.skip("the Adult files are not here")
    raw, scaled = sample(data, 6, False, 500), sample(data, 2, True, 500)
    assert (raw.shape, scaled.shape) == ((500, 6), (500, 2))
    assert np.allclose(scaled.std(axis=0), 1)
    assert 17 <= raw[:, 0].min() <= raw[:, 0].max() <= 90
