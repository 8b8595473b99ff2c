"""What is computed of a value that may be hidden may be hidden, whichever side it stands on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from sfumato.gateway.sql.arithmetic import quotient, remainder
from sfumato.gateway.sql.values import Doubt, Scalar

SHOWN, HIDDEN, COMPUTED = (
    Scalar(exp.column(name), "integer", doubt=doubt) for name, doubt in zip("abc", Doubt, strict=True)
)


@pytest.mark.parametrize("compute", [quotient, remainder])
def test_a_value_that_may_be_hidden_is_so_on_either_side(compute: Callable[[Scalar, Scalar], Scalar]) -> None:
    assert compute(SHOWN, HIDDEN).doubt is compute(HIDDEN, SHOWN).doubt is Doubt.ABSENCE
    assert compute(COMPUTED, HIDDEN).doubt is compute(SHOWN, COMPUTED).doubt is Doubt.PRESENCE
    assert compute(SHOWN, SHOWN).doubt is Doubt.NONE
