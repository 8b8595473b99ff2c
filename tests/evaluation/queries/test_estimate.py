from __future__ import annotations

import pytest

from sfumato.errors import ParameterError
from sfumato.evaluation.queries import Estimate


def test_what_is_likely_follows_from_the_variance():
    """97.5 % of a normal distribution lie below 1.959964 deviations."""
    low, high = Estimate(100, 0, 1000, 25.0).likely()
    assert (low, high) == pytest.approx((100 - 5 * 1.959964, 100 + 5 * 1.959964))
    narrow = Estimate(100, 0, 1000, 25.0).likely(0.5)
    assert low < narrow[0] < 100 < narrow[1] < high


def test_nothing_beyond_what_is_certain_is_likely():
    assert Estimate(5, 4, 6, 100.0).likely() == (4, 6)
    assert Estimate(5, 5, 5).likely(0.99) == (5, 5)
    assert Estimate(5, 5, 5).exact
    assert not Estimate(5, 4, 6).exact


def test_as_plain_data():
    assert Estimate(5, 4, 6, 100.0).to_dict(0.9) == {
        "value": 5,
        "certain": {"low": 4, "high": 6},
        "likely": {"level": 0.9, "low": 4, "high": 6},
    }


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_a_level_is_a_probability(level):
    with pytest.raises(ParameterError, match="'level' must lie between 0 and 1"):
        Estimate(1, 0, 2, 1.0).likely(level)
