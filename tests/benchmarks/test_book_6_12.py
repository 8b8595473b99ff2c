"""Whether measured ranges lie in printed ones."""

import pytest
from benchmarks.figures.book_6_12 import between, claims


@pytest.mark.parametrize(
    ("found", "agrees"), [([2.0, 3.0], True), ([0.85, 4.35], True), ([0.7, 3.0], False), ([2.0, 4.5], False)]
)
def test_a_range_agrees_within_the_noise_of_one_test_set(found, agrees):
    assert between("cost", found, 1.1, 4.1).agrees is agrees


def test_a_range_without_a_lower_end_may_begin_anywhere():
    assert between("cost", [-5.0, 0.9], None, 1.0).agrees


def test_costs_are_told_against_the_baseline_and_benefits_against_the_upper_error():
    errors = {(2, 20): 15.2, (2, 100): 16.2, (4, 20): 17.0, (6, 20): 17.0}
    told = {claim.said: claim for claim in claims(errors, 14.7, 24.5)}
    cost = told["L = 2: CE - BE below 1 points"]
    assert cost.measured == "0.50 to 1.50 (1 and more at K = 100)"
    assert not cost.agrees
    assert told["L = 4 and 6: UE - CE from 5.8 to 8.8 points"].measured == "7.50 to 7.50"
