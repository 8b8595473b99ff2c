from __future__ import annotations

import pytest

from sfumato.evaluation.workloads import ClassificationErrors


def test_cost_and_benefit():
    """Book, section 6.7.2: cost is CE - BE, benefit is UE - CE."""
    found = ClassificationErrors(baseline=0.147, masked=0.172, upper=0.215, protocol="p")
    assert (found.cost, found.benefit) == pytest.approx((0.025, 0.043))
    plain = found.to_dict()
    assert plain == {
        "baseline": 0.147,
        "masked": 0.172,
        "upper": 0.215,
        "cost": pytest.approx(0.025),
        "benefit": pytest.approx(0.043),
        "protocol": "p",
    }


def test_a_masked_error_below_the_baseline_is_a_negative_cost():
    assert "-1.00 %" in str(ClassificationErrors(baseline=0.15, masked=0.14, upper=0.2, protocol="p"))
