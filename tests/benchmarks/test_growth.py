"""The exponent of growth, on curves whose exponent is known."""

import pytest
from benchmarks.growth import exponent

SIZES = [10, 100, 1000]


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_a_power_law_gives_its_power(power):
    assert exponent(SIZES, [3 * size**power for size in SIZES]) == pytest.approx(power)


def test_one_size_has_no_exponent():
    assert exponent([10], [1.0]) is None
