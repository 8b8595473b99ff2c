from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.taxonomies import Dates, Flat, Intervals, Masking, propose
from sfumato.taxonomies.base import TaxonomyBuilder


def proposed(*values: str | None, kind: Kind | None = None) -> TaxonomyBuilder:
    return propose(Domain.of("x", list(values), kind=kind)[0])


@pytest.mark.parametrize(
    ("low", "high", "width"), [(17, 90, 5), (0, 15, 2), (1, 99, 5), (1900, 2020, 10), (0, 150_000, 10_000), (0, 3, 2)]
)
def test_whole_numbers_get_a_round_width(low: int, high: int, width: int) -> None:
    assert proposed(str(low), str(high)) == Intervals(width=width)


def test_decimals_get_a_round_width() -> None:
    assert proposed("0.05", "1.49") == Intervals(width=0.1)


@given(st.floats(1e-6, 1e9), st.floats(0, 1e6))
def test_about_ten_to_twenty_intervals(span: float, start: float) -> None:
    builder = proposed(str(start), str(start + span))
    if isinstance(builder, Intervals) and builder.width and not (builder.width == 2 and span < 30):
        assert 9 <= span / builder.width <= 25


def test_numbers_too_close_or_too_far_for_a_round_width() -> None:
    for values in (("1e17", "100000000000000016", "100000000000000032"), ("-1.7e308", "0", "1.7e308")):
        domain, _ = Domain.of("x", values)
        assert propose(domain) == Intervals(quantiles=15)
        assert propose(domain).grow(domain)[0].height > 1


def test_dates_get_the_calendar() -> None:
    assert proposed("2020-01-01", "2021-05-06") == Dates()


def test_codes_are_masked() -> None:
    assert proposed("1010A", "1020B", kind=Kind.TEXT) == Masking(side="right")
    assert proposed("0101", "0202", kind=Kind.TEXT) == Masking(side="right")


@pytest.mark.parametrize("values", [("101", "102"), ("10101", "1020"), ("abcde", "fghi1")])
def test_what_does_not_look_like_codes_is_flat(values: tuple[str, ...]) -> None:
    assert proposed(*values, kind=Kind.TEXT) == Flat()


def test_many_texts_are_masked() -> None:
    words = [f"w{place}" for place in range(201)]
    assert proposed(*words) == Masking(side="right")
    assert proposed(*words[:200]) == Flat()


def test_the_mask_does_not_occur_in_the_values() -> None:
    assert proposed("101*", "1020", kind=Kind.TEXT) == Masking(side="right", character="#")


@given(
    st.one_of(
        st.lists(st.floats(allow_nan=False, allow_infinity=False).map(repr), min_size=1, max_size=20),
        st.lists(st.integers(-(10**20), 10**20).map(str), min_size=1, max_size=20),
        st.lists(st.dates().map(str), min_size=1, max_size=20),
        st.lists(st.text(st.characters(exclude_characters="*"), max_size=5), min_size=1, max_size=20),
        st.lists(st.text("0123456789#_~", min_size=4, max_size=4), min_size=1, max_size=20),
    ),
    st.booleans(),
)
def test_a_proposal_always_fits(values: list[str], missing: bool) -> None:
    domain, _ = Domain.of("x", [*values, *([None] if missing else [])])
    taxonomy, _ = propose(domain).grow(domain)
    assert taxonomy.labels[taxonomy.root] == "*"
    assert len(taxonomy.domain) == len(domain)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_column_of_missing_values(kind: Kind) -> None:
    domain, _ = Domain.of("x", [None], kind=kind)
    assert propose(domain).grow(domain)[0].labels[-1] == "*"
