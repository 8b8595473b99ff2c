from __future__ import annotations

import pytest

from sfumato.errors import LimitError, ParameterError
from sfumato.gateway.rates import Rates


def test_everybody_has_an_allowance_of_their_own() -> None:
    now = [0.0]
    rates = Rates(per_second=2, burst=3, clock=lambda: now[0])
    for _ in range(3):
        rates.take("ada")
    rates.take("bob")
    with pytest.raises(LimitError, match="ask again in 1 seconds"):
        rates.take("ada")
    now[0] = 0.5
    rates.take("ada")
    with pytest.raises(LimitError):
        rates.take("ada")
    now[0] = 100.0
    for _ in range(3):
        rates.take("ada")
    with pytest.raises(LimitError):
        rates.take("ada")


@pytest.mark.parametrize(("per_second", "burst"), [(0, 1), (-1, 1), (1, 0)])
def test_rates_that_let_nobody_ask_are_refused(per_second, burst) -> None:
    with pytest.raises(ParameterError):
        Rates(per_second, burst)
