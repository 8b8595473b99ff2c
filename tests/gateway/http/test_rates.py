from __future__ import annotations

import pytest

from sfumato.errors import ParameterError, RateError
from sfumato.gateway.http.rates import Rates


def test_everybody_has_an_allowance_of_their_own() -> None:
    now = [0.0]
    rates = Rates(per_second=2, burst=3, clock=lambda: now[0])
    for _ in range(3):
        rates.take("ada")
    rates.take("bob")
    with pytest.raises(RateError, match=r"ask again in 1 second\."):
        rates.take("ada")
    now[0] = 0.5
    rates.take("ada")
    with pytest.raises(RateError):
        rates.take("ada")
    now[0] = 100.0
    for _ in range(3):
        rates.take("ada")
    with pytest.raises(RateError):
        rates.take("ada")


def test_how_long_to_wait_is_told() -> None:
    rates = Rates(per_second=0.1, burst=1, clock=lambda: 0.0)
    rates.take("ada")
    with pytest.raises(RateError, match="ask again in 10 seconds") as refused:
        rates.take("ada")
    assert refused.value.wait == 10


def test_what_is_used_up_stays_so_when_the_allowance_changes() -> None:
    now = [0.0]
    rates = Rates(per_second=1, burst=2, clock=lambda: now[0])
    rates.take("ada")
    rates.take("ada")
    rates.set_limit(per_second=10, burst=1)
    with pytest.raises(RateError):
        rates.take("ada")
    now[0] = 0.1
    rates.take("ada")
    with pytest.raises(ParameterError):
        rates.set_limit(0, 1)


@pytest.mark.parametrize(("per_second", "burst"), [(0, 1), (-1, 1), (1, 0)])
def test_rates_that_let_nobody_ask_are_refused(per_second, burst) -> None:
    with pytest.raises(ParameterError):
        Rates(per_second, burst)
