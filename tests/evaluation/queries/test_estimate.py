from __future__ import annotations

import pytest

from sfumato.errors import ParameterError
from sfumato.evaluation.queries import Estimate


def around_100(reach: float) -> tuple[float, float]:
    """The interval of an estimate of 100 with a standard deviation of 5."""
    return 100 - 5 * reach, 100 + 5 * reach


def test_a_level_is_so_many_standard_deviations():
    """97.5 % of a normal distribution lie below 1.959964 deviations, 90 % below 1.281552."""
    found = Estimate(70, 0, 1000, around_100)
    assert found.interval() == pytest.approx((100 - 5 * 1.959964, 100 + 5 * 1.959964))
    assert found.interval(0.8) == pytest.approx((100 - 5 * 1.281552, 100 + 5 * 1.281552))


def test_an_interval_lies_within_what_is_certain():
    assert Estimate(98, 97, 101, around_100).interval() == (97, 101)
    assert Estimate(50, 40, 60, around_100).interval() == (60, 60)
    assert Estimate(500, 400, 600, around_100).interval() == (400, 400)
    assert Estimate(5, 4, 6).interval() == (4, 6)
    assert Estimate(5, 5, 5, around_100).interval(0.99) == (5, 5)
    assert Estimate(5, 5, 5).exact
    assert not Estimate(5, 4, 6).exact


def test_as_plain_data_each_number_says_what_it_assumes():
    found = Estimate(5, 90, 102, around_100).to_dict(0.9)
    interval = found.pop("interval")
    assert interval.pop("high") == 102
    assert interval.pop("low") == pytest.approx(100 - 5 * 1.644854)
    assert interval == {
        "level": 0.9,
        "assumes": "buckets were drawn at random given the sensitive values, without regard to other columns",
    }
    assert found == {
        "certain": {"low": 90, "high": 102},
        "value": 5,
        "value_assumes": "within a bucket, the values of different blocks are independent of each other",
    }
    assert Estimate(5, 4, 6).to_dict()["interval"] is None
    assert Estimate(5, 5, 5).to_dict()["value_assumes"] is None


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_a_level_is_a_probability(level):
    with pytest.raises(ParameterError, match="'level' must lie between 0 and 1"):
        Estimate(1, 0, 2).interval(level)
