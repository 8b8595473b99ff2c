from __future__ import annotations

import pytest

from sfumato.errors import RateError
from sfumato.gateway.http.allowances import Allowances
from sfumato.gateway.setup.setup import LimitsSection


def test_what_is_allowed_can_change() -> None:
    allowed = Allowances()
    rates, at_once = allowed.rates, allowed.at_once
    allowed.set_limits(per_second=0.001, burst=1, at_once=1, header_seconds=2.0, body_seconds=3.0)
    assert (allowed.rates, allowed.at_once) == (rates, at_once)
    assert (allowed.header_seconds, allowed.body_seconds) == (2.0, 3.0)
    rates.take("ada")
    with pytest.raises(RateError, match="short time"):
        rates.take("ada")
    with at_once.slot("ada"), pytest.raises(RateError, match="1 at most"), at_once.slot("ada"):
        pass


def test_what_is_allowed_if_nobody_says_is_what_a_setup_says() -> None:
    usual, said = Allowances(), LimitsSection()
    assert (usual.header_seconds, usual.body_seconds) == (said.header_seconds, said.body_seconds)
