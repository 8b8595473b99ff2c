from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.gateway.transforms import ColumnType, Prefix

TEXT = ColumnType.of_duckdb("VARCHAR")


def test_post_codes() -> None:
    assert [Prefix(length=2).weaker(code, TEXT) for code in ("4350", "43", "4", "")] == ["43", "43", "4", ""]
    assert [Prefix(length=2, fill="*").weaker(code, TEXT) for code in ("4350", "43", "4")] == ["43**", "43", "4"]
    assert Prefix(length=2).weaker(None, TEXT) is None
    assert Prefix(length=2, fill="*").weaker("435  ", ColumnType.of_postgres("character(5)")) == "43*"


def test_one_character_stands_for_one() -> None:
    with pytest.raises(ParameterError, match="'fill' of Prefix must be one character or none"):
        Prefix(length=2, fill="..")


@given(st.text(), st.text(), st.integers(1, 5))
def test_nothing_after_the_prefix_matters(one: str, other: str, length: int) -> None:
    head = "x" * length
    assert Prefix(length=length).weaker(head + one, TEXT) == Prefix(length=length).weaker(head + other, TEXT) == head
    assert len(Prefix(length=length, fill="é").weaker(one, TEXT)) == len(one)
