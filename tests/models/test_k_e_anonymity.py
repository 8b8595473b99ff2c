"""Golden D16, and twins that go through every run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError, SchemaError
from sfumato.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, KEAnonymity
from sfumato.models.base import PrivacyModel
from tests.golden import book
from tests.models.histograms import spread
from tests.models.judging import agrees, has_room
from tests.strategies import grouped_tables

CONFORMING = [KEAnonymity(k=1, e=0), KEAnonymity(k=3, e=7)]
SALARIES = ["30", "31", "30", "32", "35", "34", "33", "32", "35", "80"]


def k_e_anonymity(group: list[str | None], k: int, e: float) -> bool:
    known = [float(value) for value in group if value is not None]
    return len(set(group)) >= k and (e == 0 or (bool(known) and max(known) - min(known) >= e))


def salaries() -> Groups:
    return book.groups("salary_group", quasi=["Job", "Sex"], sensitive=["Salary"])


def test_the_book_calls_table_2_6_7_50_anonymous():
    """Seven different salaries, and 80 - 30 = 50."""
    assert KEAnonymity(k=7, e=50).holds(salaries()).all()
    assert not KEAnonymity(k=8, e=50).holds(salaries()).any()
    assert not KEAnonymity(k=7, e=51).holds(salaries()).any()
    assert KEAnonymity(k=7, e=50).measure(salaries()) == 1


def test_the_level_is_what_falls_short_most():
    assert KEAnonymity(k=14, e=50).measure(salaries()) == 0.5
    assert KEAnonymity(k=7, e=200).measure(salaries()) == 0.25
    assert KEAnonymity(k=14, e=0).measure(salaries()) == 0.5


def test_a_missing_value_is_one_more_value_but_lies_nowhere():
    groups = spread([[1, 0, 1], [1, 1, 1], [0, 0, 2]], values=["1", "9", None])
    assert KEAnonymity(k=2, e=0).holds(groups).tolist() == [True, True, False]
    assert KEAnonymity(k=2, e=1).holds(groups).tolist() == [False, True, False]
    assert KEAnonymity(k=3, e=8).holds(groups).tolist() == [False, True, False]
    assert KEAnonymity(k=1, e=8).level(groups).tolist() == [0, 1, 0]


def test_tenths_are_what_they_are_written_as():
    """0.3 - 0.1 is 0.19999999999999998 in binary."""
    assert KEAnonymity(k=2, e=0.2).holds(spread([[1, 1]], values=["0.1", "0.3"])).tolist() == [True]
    assert KEAnonymity(k=2, e=0.2001).holds(spread([[1, 1]], values=["0.1", "0.3"])).tolist() == [False]


def test_days_between_dates():
    groups = spread([[1, 1]], values=["2026-01-01", "2026-01-31"])
    assert KEAnonymity(k=2, e=30).holds(groups).all()
    assert not KEAnonymity(k=2, e=31).holds(groups).any()


def test_texts_are_refused():
    groups = book.patients_3anon()
    with pytest.raises(SchemaError, match="the values of 'Disease' are texts"):
        KEAnonymity(k=2, e=1).holds(groups)
    with pytest.raises(SchemaError, match="distinct_l_diversity"):
        KEAnonymity(k=2, e=1).with_knowledge(groups.table)


def test_what_it_declares():
    both = KEAnonymity(k=2, e=1) & DistinctLDiversity(l=2)
    assert both.about_secrets
    assert both.about_distances
    assert not DistinctLDiversity(l=2).about_distances
    assert KEAnonymity(k=1, e=5).bounds.least_size() == 2
    assert KEAnonymity(k=3, e=5).bounds.least_size() == 3


@pytest.mark.parametrize(("setting", "value"), [("k", 0), ("k", 1.5), ("e", -1), ("e", float("nan"))])
def test_settings_have_bounds(setting, value):
    with pytest.raises(ParameterError, match=f"'{setting}' of KEAnonymity must be"):
        KEAnonymity(**({"k": 1, "e": 1} | {setting: value}))


def numeric(pair):
    assume(pair[0].domain("s0").numbers is not None)
    return pair


@given(grouped_tables(max_repeats=3, max_sensitive=1), st.integers(1, 4), st.integers(0, 9))
def test_like_its_twin(pair, k, e):
    assert agrees(KEAnonymity(k=k, e=e), lambda group, _: k_e_anonymity(group, k, e), *numeric(pair))


@given(grouped_tables(max_sensitive=1), st.integers(1, 3), st.integers(0, 9))
def test_room_is_an_upper_bound(pair, k, e):
    assert has_room(KEAnonymity(k=k, e=e), lambda group, _: k_e_anonymity(group, k, e), *numeric(pair))


def plain_starts(model: PrivacyModel, line: list[str | None]) -> list[int]:
    """For every record the last place where a run that ends there may begin, by asking about each run."""
    found = []
    for end in range(len(line)):
        runs = {start: line[start : end + 1] for start in range(end + 1)}
        safe = []
        for start, run in runs.items():
            rows = {"q": ["x"] * len(line), "s": line, "in": ["1" if place in range(start, end + 1) else "0"
                    for place in range(len(line))]}  # fmt: skip
            schema = Schema.of(quasi=["q", "in"], sensitive=["s"], kinds={"s": "number", "in": "text"})
            table = Table.of_rows(schema, rows)
            groups = Groups.of(table.rows_where(table.codes["in"] == table.domain("in").code_of("1")), ["q"])
            if groups.records == len(run) and model.holds(groups).all():
                safe.append(start)
        found.append(max(safe, default=-1))
    return found


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 12)), min_size=1, max_size=7),
    st.integers(1, 4),
    st.integers(0, 6),
    st.integers(1, 3),
)
def test_runs_begin_where_they_still_hold(values, k, e, l):
    values = sorted(values, key=lambda value: (value is None, value))
    line = [None if value is None else str(value) for value in values]
    domain, code = Domain.of("s", list(dict.fromkeys(line)), kind=Kind.NUMBER)
    codes = code[[list(dict.fromkeys(line)).index(text) for text in line]]
    for model in (KEAnonymity(k=k, e=e), DistinctLDiversity(l=l), KEAnonymity(k=k, e=e) & DistinctLDiversity(l=l)):
        assert model.bounds.latest_starts(codes, domain).tolist() == plain_starts(model, line)


def test_other_models_do_not_tell_where_runs_begin():
    domain, line = Domain.of("s", ["1", "2"])
    assert EntropyLDiversity(l=2).bounds.latest_starts(line, domain) is None
    assert (KEAnonymity(k=1, e=1) & KAnonymity(k=2)).bounds.latest_starts(line, domain) is None


def test_no_records_have_no_runs():
    domain, line = Domain.of("s", ["1", "2"])
    assert KEAnonymity(k=1, e=1).bounds.latest_starts(line[:0], domain).tolist() == []
    assert np.issubdtype(DistinctLDiversity(l=2).bounds.latest_starts(line[:0], domain).dtype, np.integer)
