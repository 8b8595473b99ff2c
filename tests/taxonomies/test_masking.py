from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.taxonomies import Masking

IN_PLANS = [
    ({"mask": "right"}, Masking(side="right")),
    ({"mask": "left", "character": "#"}, Masking(side="left", character="#")),
]
CODES = st.lists(st.text("01 ab*", max_size=4).filter(lambda text: "*" not in text), min_size=1, max_size=8)


def rows(builder: Masking, *values: str, kind: Kind = Kind.TEXT) -> list[list[str]]:
    return builder.grow(Domain.of("zip", list(values), kind=kind)[0])[0].level_rows()


def test_from_the_right() -> None:
    assert rows(Masking(side="right"), "10100", "10101", "10200") == [
        ["10100", "1010*", "101**", "10***", "1****", "*"],
        ["10101", "1010*", "101**", "10***", "1****", "*"],
        ["10200", "1020*", "102**", "10***", "1****", "*"],
    ]


def test_from_the_left_with_another_character() -> None:
    assert rows(Masking(side="left", character="#"), "123", "923") == [
        ["123", "#23", "##3", "*"],
        ["923", "#23", "##3", "*"],
    ]


def test_shorter_texts_are_filled_up_on_the_masked_side() -> None:
    assert rows(Masking(), "1234", "12") == [["12", "12 *", "12**", "1***", "*"], ["1234", "123*", "12**", "1***", "*"]]
    assert rows(Masking(side="left"), "34", "1234") == [
        ["1234", "*234", "**34", "***4", "*"],
        ["34", "* 34", "**34", "***4", "*"],
    ]


def test_numbers_that_lost_their_leading_zeros_get_them_back() -> None:
    assert rows(Masking(), "01010", "20100", kind=Kind.NUMBER) == [
        ["1010", "0101*", "010**", "01***", "0****", "*"],
        ["20100", "2010*", "201**", "20***", "2****", "*"],
    ]


@pytest.mark.parametrize("value", ["-5", "0.25"])
def test_numbers_that_are_no_codes_are_refused(value: str) -> None:
    with pytest.raises(TaxonomyError, match='declare it as type = "text"'):
        rows(Masking(), "10", value, kind=Kind.NUMBER)


@given(CODES, st.sampled_from(["right", "left"]))
def test_a_masked_label_is_no_other_node_and_shows_only_true_characters(values: list[str], side: str) -> None:
    taxonomy, _ = Masking(side=side).grow(Domain.of("zip", values, kind=Kind.TEXT)[0])
    assert len(set(taxonomy.labels)) == len(taxonomy.labels)
    length = max(map(len, values))
    for value, *labels in taxonomy.level_rows():
        padded = value.ljust(length) if side == "right" else value.rjust(length)
        for level, label in enumerate(labels[:-1], start=1):
            assert label.count("*") == level
            assert all(shown in ("*", true) for shown, true in zip(label, padded, strict=True))
        assert labels[-1] == "*"


def test_values_that_hold_the_mask_are_listed() -> None:
    with pytest.raises(TaxonomyError, match=r"character '\*' occurs in 1 of the values of 'zip': '1010\*'"):
        rows(Masking(), "1010*", "10101")


@pytest.mark.parametrize("character", ["", " ", "**"])
def test_the_mask_is_one_visible_character(character: str) -> None:
    with pytest.raises(ParameterError, match="'character' of Masking must be one character"):
        Masking(character=character)


def test_only_two_sides() -> None:
    with pytest.raises(ParameterError, match="'side' of Masking must be one of 'right', 'left'; got 'top'"):
        Masking(side="top")  # type: ignore[arg-type]
