"""Numbers that the issuers publish as examples; a changed digit makes every one wrong. The doctests have more."""

from __future__ import annotations

import pytest

from sfumato.plan.proposals.checksums import NUMBERS, is_card, is_dni, is_iban

EXAMPLES = {
    "IBANs": ["GB82 WEST 1234 5698 7654 32", "FR1420041010050500013M02606", "TR330006100519786457841326"],
    "numbers of payment cards": ["4111111111111111", "5555 5555 5555 4444", "378282246310005"],
    "Turkish identity numbers": ["10000000146"],
    "Spanish identity numbers": ["12345678Z", "12345678-Z", "X1234567L", "y0000000z"],
    "Italian tax codes": ["RSSMRA85T10A562S"],
    "Polish PESEL numbers": ["44051401359"],
    "Dutch citizen service numbers": ["111222333"],
    "French social security numbers": ["255081416802538"],
    "Brazilian CPF numbers": ["529.982.247-25", "52998224725"],
    "Swiss AHV numbers": ["756.9217.0769.85"],
}


def test_every_kind_has_examples() -> None:
    assert set(EXAMPLES) == set(NUMBERS)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in EXAMPLES.items() for text in texts])
def test_published_examples_are_right_and_any_other_last_character_is_wrong(kind: str, text: str) -> None:
    fits = NUMBERS[kind]
    assert fits(text)
    last = text[-1]
    others = "0123456789" if last.isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert [other for other in others if other != last.upper() and fits(text[:-1] + other)] == []


@pytest.mark.parametrize("text", ["", "12", "name", "12345678", "0" * 16, "²³¹²³¹²³¹²³¹²", "-----------"])
def test_other_texts_are_none(text: str) -> None:
    assert [kind for kind, fits in NUMBERS.items() if fits(text)] == []


def test_lengths_and_countries() -> None:
    assert not is_iban("DE8937040044")
    assert not is_card("4111111111")
    assert not is_dni("123Z")
