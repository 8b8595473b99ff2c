"""What is computed of a value that may be hidden may be hidden, whichever side it stands on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from sfumato.gateway.sql.arithmetic import quotient, remainder
from sfumato.gateway.sql.values import Scalar

SHOWN, HIDDEN = Scalar(exp.column("a"), "integer"), Scalar(exp.column("b"), "integer", hideable=True)


@pytest.mark.parametrize("compute", [quotient, remainder])
def test_a_value_that_may_be_hidden_is_so_on_either_side(compute: Callable[[Scalar, Scalar], Scalar]) -> None:
    assert compute(SHOWN, HIDDEN).hideable
    assert compute(HIDDEN, SHOWN).hideable
    assert not compute(SHOWN, SHOWN).hideable
