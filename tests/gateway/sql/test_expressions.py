"""Bounds of weaker values: `lo` and `hi` are for numbers and dates, which have them."""

from __future__ import annotations

import pytest

from sfumato.errors import StatementError
from tests.gateway.shops import Shop


@pytest.mark.parametrize("bound", ["lo", "hi"])
def test_a_weaker_text_has_no_bounds(bound: str) -> None:
    shop = Shop(1)
    assert [one.name for one in shop.compiled(f"SELECT {bound}(age) AS a FROM person").outputs] == ["a"]
    with pytest.raises(StatementError, match=r"lo and hi take numbers and dates; use exact\(column\) for a text"):
        shop.compiled(f"SELECT {bound}(name) AS a FROM person")
