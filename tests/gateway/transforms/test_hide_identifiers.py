from __future__ import annotations

import pytest

from sfumato.errors import ParameterError
from sfumato.gateway.transforms import ColumnType, HideIdentifiers


def test_values_of_any_kind_are_shown_as_they_are() -> None:
    made = HideIdentifiers(columns=["name", "phone"])
    for type_name in ("INTEGER", "VARCHAR", "UUID", "DATE"):
        assert made.suits(ColumnType.of_duckdb(type_name))
    assert made.weaker(23000, ColumnType.of_duckdb("INTEGER")) == 23000
    assert (made.makes, made.hides) == ("plain", ("name", "phone"))


def test_no_identifiers_are_no_condition() -> None:
    with pytest.raises(ParameterError, match="names no column"):
        HideIdentifiers(columns=[])
