"""Numbers with three digits, and levels that never contradict their verdicts."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.published_digits import (
    file_shows_levels,
    rounded,
    rounded_down,
    rounded_level,
    rounded_up,
)
from sfumato.knowledge.knowledge import Knowledge
from sfumato.models import MatchingLDiversity

NUMBERS = st.floats(1e-6, 1e9) | st.integers(1, 10**9)
ROWS = {"patient": ["a", "a", "b"], "ward": ["A", "A", "B"], "disease": ["flu", "cold", "flu"]}


def significant_digits(number: float) -> int:
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@given(NUMBERS)
def test_three_digits_around_the_number(number: float) -> None:
    low, near, high = rounded_down(number), rounded(number), rounded_up(number)
    assert max(map(significant_digits, (low, near, high))) <= 3
    assert low <= near <= high
    assert low <= number * (1 + 1e-11)
    assert high >= number * (1 - 1e-11)
    assert high - low <= number / 99
    assert type(low) is type(near) is type(high) is type(number)


@pytest.mark.parametrize("number", [0.0, 0, 5, 999, 0.2, 0.25, 1e-9, 120.0, math.inf])
def test_numbers_with_three_digits_stay(number: float) -> None:
    assert rounded(number) == rounded_up(number) == rounded_down(number) == number
    assert math.isnan(rounded(math.nan))


@given(st.floats(0, 2), st.floats(0, 1), st.sampled_from(["higher", "lower"]))
def test_a_rounded_level_does_not_contradict_its_verdict(level: float, required: float, better) -> None:
    holds = level >= required if better == "higher" else level <= required
    found = rounded_level(level, required=required, better=better, holds=holds)
    assert (found >= required if better == "higher" else found <= required) == holds
    safer = found - level if better == "higher" else level - found
    assert safer <= 1e-11
    assert found == required or significant_digits(found) <= 3


def test_by_hand() -> None:
    assert rounded_level(0.6000000000001, required=0.6, better="lower", holds=False) == 0.601
    assert rounded_level(1.9999999999999, required=2, better="higher", holds=False) == 1.99
    assert rounded_level(0.1 + 0.2, required=0.3, better="lower", holds=True) == 0.3
    assert rounded_level(1239, required=1235, better="higher", holds=True) == 1235
    assert rounded_level(1239, required=5, better="higher", holds=True) == 1230


def test_who_has_the_file_alone_sees_levels_unless_persons_or_columns_are_left_out() -> None:
    plain = {"quasi": ["ward"], "sensitive": ["disease"]}
    table = Table.of_rows(Schema.of(**plain), {name: ROWS[name] for name in ("ward", "disease")})
    assert file_shows_levels(table)
    assert not file_shows_levels(Table.of_rows(Schema.of(**plain, person="patient"), ROWS))
    pseudonyms = Schema.of(**plain, person="patient", pseudonyms=["patient"])
    assert file_shows_levels(Table.of_rows(pseudonyms, ROWS))
    knowing = MatchingLDiversity(l=1, knowledge=Knowledge.of({"sensitive": "disease"}))
    assert not file_shows_levels(knowing.with_derived_columns(table))
