from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.taxonomies import Dates

IN_PLANS = [({"dates": True}, Dates())]


def rows(*values: str) -> list[list[str]]:
    return Dates().grow(Domain.of("day", list(values))[0])[0].level_rows()


def test_the_calendar() -> None:
    assert rows("2020-03-31", "2020-04-01", "1999-12-31") == [
        ["1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"],
        ["2020-03-31", "2020-03", "2020-Q1", "2020", "2020s", "*"],
        ["2020-04-01", "2020-04", "2020-Q2", "2020", "2020s", "*"],
    ]


def test_times_of_day_have_the_day_as_first_level() -> None:
    assert rows("2020-03-15 08:30:00", "2020-03-15T23:59:59") == [
        ["2020-03-15 08:30:00", "2020-03-15", "2020-03", "2020-Q1", "2020", "2020s", "*"],
        ["2020-03-15T23:59:59", "2020-03-15", "2020-03", "2020-Q1", "2020", "2020s", "*"],
    ]


def test_timestamps_at_midnight_are_days() -> None:
    assert len(rows("2020-03-15 00:00:00", "2020-03-16 00:00:00")[0]) == 6


@given(st.lists(st.one_of(st.dates(), st.datetimes()), min_size=1, max_size=8))
def test_every_label_begins_like_its_value(moments: list[date]) -> None:
    timed = any(isinstance(moment, datetime) for moment in moments)
    texts = [
        moment.isoformat() if not timed else datetime.fromisoformat(moment.isoformat()).isoformat(" ", "seconds")
        for moment in moments
    ]
    for value, *labels in rows(*texts):
        year, month = int(value[:4]), int(value[5:7])
        quarter = {1: "Q1", 2: "Q1", 3: "Q1", 4: "Q2", 5: "Q2", 6: "Q2", 7: "Q3", 8: "Q3", 9: "Q3"}.get(month, "Q4")
        decade = f"{year - year % 10:04}s"
        assert labels[-5:] == [value[:7], f"{value[:4]}-{quarter}", value[:4], decade, "*"]
        assert labels[:-5] in ([], [value[:10]])


@pytest.mark.parametrize("values", [["1", "2"], ["a", "b"]])
def test_other_kinds_are_refused(values: list[str]) -> None:
    with pytest.raises(TaxonomyError, match=r"column 'day' holds (number|text) values, not dates"):
        rows(*values)


def test_only_missing_dates() -> None:
    domain, _ = Domain.of("day", [None], kind=Kind.DATE)
    assert Dates().grow(domain)[0].level_rows()[0][-1] == "*"


def test_false_is_refused() -> None:
    with pytest.raises(ParameterError, match="'on' of Dates must be true"):
        Dates(on=False)
