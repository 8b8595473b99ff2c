"""Why values that look like numbers or dates are read as texts."""

from __future__ import annotations

import pytest

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.plan.unread_values import unread_values

DAYS = [f"{1900 + number}-03-{1 + number % 28:02}" for number in range(40)]
NUMBERS = [str(number) for number in range(40)]


@pytest.mark.parametrize("stored", [None, Kind.TEXT])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["03/04/2020", "05/06/2021"], "can be read as dd/mm/yyyy or mm/dd/yyyy"),
        ([*DAYS, "unknown"], "some of its values cannot be read as"),
        (["Jan 05, 1943", "Oct 12, 1951", "May 1, 1980"], "names of months"),
        (["5. Januar 1943", "12. Okt. 1951", "1 Mai 80"], "names of months"),
        (["31.01.43", "01.12.51"], "years of two digits"),
        (["1/31/43", "12/1/51"], "years of two digits"),
        (["Rome 1943", "Ulm 12, 1951"], ""),
        (["1.2.10.4", "1.3.0"], ""),
        (["flu", "cold"], ""),
        (DAYS, ""),
        ([], ""),
    ],
)
def test_dates_that_are_read_as_texts_have_a_reason(values: list[str], said: str, stored: Kind | None) -> None:
    found = unread_values(Domain.of("seen", values, stored=stored)[0], stored)
    assert (found is None) if not said else (found is not None and said in found.why)


def test_numbers_are_expected_only_where_the_source_has_no_types() -> None:
    domain, _ = Domain.of("age", [*NUMBERS, "unknown"])
    found = unread_values(domain)
    assert found is not None
    assert found.why == "looks like numbers or dates, but some of its values cannot be read as numbers or dates"
    assert found.note.startswith(f"{found.why}: list those that mean a missing value in [data] missing, or")
    assert unread_values(domain, Kind.TEXT) is None
    assert unread_values(Domain.of("cost", ["3,456", "7,890"])[0]) is not None
    assert unread_values(Domain.of("cost", ["3,456", "7,890"], stored=Kind.TEXT)[0], Kind.TEXT) is None


def test_a_declared_missing_value_is_in_nobodys_way() -> None:
    domain, _ = Domain.of("seen", [*DAYS, "unknown"], missing=["unknown"])
    assert domain.kind is Kind.DATE
    assert unread_values(domain) is None
