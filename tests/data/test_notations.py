"""Notations: every form that is read, and texts that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.notations import NOTATIONS, notation_named
from sfumato.errors import SchemaError


@pytest.mark.parametrize(
    ("name", "text", "standard"),
    [
        ("1.234,5", "1.234.567,89", "1234567.89"),
        ("1.234,5", "-12,50", "-12.50"),
        ("1.234,5", " 7 ", "7"),
        ("1.234,5", "0,5", "0.5"),
        ("1.234,5", "\u2212 7", None),
        ("1.234,5", "\u22127", "-7"),
        ("1.234,5", "1.23", None),
        ("1.234,5", "12.34.567", None),
        ("1.234,5", "01.234,5", None),
        ("1.234,5", ",5", None),
        ("1.234,5", "1,", None),
        ("1.234,5", "", None),
        ("1 234,5", "12 345,6", "12345.6"),
        ("1 234,5", "12\u202f345", "12345"),
        ("1 234,5", "1 234\u202f567", None),
        ("1 234.5", "1 234 567.5", "1234567.5"),
        ("1,234.5", "1,234,567", "1234567"),
        ("1,234.5", "1,2345", None),
        ("1'234.5", "12'345.6", "12345.6"),
        ("1'234.5", "12\u2019345", "12345"),
        ("dd.mm.yyyy", "1.2.1999", "1999-02-01"),
        ("dd.mm.yyyy", "31.12.99", None),
        ("dd.mm.yyyy", "31-12-1999", None),
        ("mm/dd/yyyy", "12/31/2023 11:59 PM", "2023-12-31T23:59:00"),
        ("mm/dd/yyyy", "12/31/2023 12:05 a.m.", "2023-12-31T00:05:00"),
        ("mm/dd/yyyy", "12/31/2023 13:05 PM", None),
        ("dd/mm/yyyy", "31/12/1999 7:05:09.5", "1999-12-31T07:05:09.5"),
        ("yyyy/mm/dd", "2020/4/1", "2020-04-01"),
        ("yyyy/mm", "2020/04", "2020-04"),
        ("mm/yyyy", "4/2020", "2020-04"),
        ("yyyymmdd", "20200401", "2020-04-01"),
        ("mm.yyyy", "04.2020", "2020-04"),
    ],
)
def test_the_standard_text_of_a_text(name: str, text: str, standard: str | None) -> None:
    assert notation_named(name).standard(text) == standard


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(SchemaError, match=r"there is no format 'dd\.mm\.yy'; did you mean"):
        notation_named("dd.mm.yy")


@given(st.integers(-(10**12), 10**12), st.integers(0, 999))
def test_numbers_with_marks_are_the_same_numbers(whole: int, part: int) -> None:
    text = f"{whole:,}.{part:03}"
    for name, point, mark in (
        ("1,234.5", ".", ","),
        ("1.234,5", ",", "."),
        ("1 234,5", ",", " "),
        ("1'234.5", ".", "'"),
    ):
        written = text.translate(str.maketrans({",": mark, ".": point}))
        assert notation_named(name).standard(written) == f"{whole}.{part:03}"


@given(st.text())
def test_any_text_is_read_or_is_not(text: str) -> None:
    for one in NOTATIONS:
        assert one.standard(text) is None or any(letter.isdigit() for letter in text)
