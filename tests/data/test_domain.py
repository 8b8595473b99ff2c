from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain, guess_kind, position, written
from sfumato.data.kinds import Kind
from sfumato.data.notations import notation_named
from sfumato.errors import DataError

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.one_of(FINITE, st.integers(-(2**53), 2**53)), min_size=1))
def test_numbers_are_coded_by_size(numbers: list[float]) -> None:
    raw = [repr(number) for number in numbers]
    domain, codes = Domain.of("x", raw)
    assert domain.kind is Kind.NUMBER
    assert domain.numbers is not None
    assert (domain.numbers[1:] > domain.numbers[:-1]).all()
    assert domain.numbers[codes].tolist() == [float(number) for number in numbers]
    assert [float(text or "") for text in domain.texts] == domain.numbers.tolist()


@given(st.lists(st.dates(), min_size=1))
def test_dates_are_coded_by_time(days: list[date]) -> None:
    domain, codes = Domain.of("x", [str(day) for day in days])
    assert domain.kind is Kind.DATE
    assert [domain.texts[code] for code in codes] == [str(day) for day in days]
    assert list(domain.texts) == sorted(set(map(str, days)))


@given(st.lists(st.text(), min_size=1))
def test_texts_keep_what_is_written(texts: list[str]) -> None:
    domain, codes = Domain.of("x", texts, kind=Kind.TEXT)
    assert [domain.texts[code] for code in codes] == texts
    assert not domain.ordered
    assert len(domain) == domain.present == len(set(texts))


@given(st.lists(st.sampled_from(["1", "2", "?", "NA", None]), min_size=1))
def test_a_missing_value_has_the_last_code(raw: list[str | None]) -> None:
    domain, codes = Domain.of("x", raw, missing=["?", "NA"])
    absent = [text not in ("1", "2") for text in raw]
    assert domain.has_missing == any(absent)
    assert [code == domain.present for code in codes] == absent
    assert len(domain) == domain.present + any(absent)
    if any(absent):
        assert domain.texts[-1] in ("?", "NA", None)
        assert (domain.texts[-1] is None) == (None in raw)
    if domain.numbers is not None and any(absent):
        assert np.isnan(domain.numbers[-1])


def test_equal_numbers_are_one_value() -> None:
    domain, codes = Domain.of("x", ["007", "7", "7.0", "-0", "0"])
    assert domain.texts == ("0", "7")
    assert codes.tolist() == [1, 1, 1, 0, 0]


def test_numbers_of_too_many_digits_are_not_rounded() -> None:
    """Two account numbers that differ in the last digit must not become one, nor be published as another."""
    accounts = ["9007199254740992", "9007199254740993", "9007199254740994"]
    domain, codes = Domain.of("x", accounts)
    assert domain.kind is Kind.TEXT
    assert [domain.texts[code] for code in codes] == accounts
    with pytest.raises(DataError, match="more digits than can be kept"):
        Domain.of("x", accounts, kind=Kind.NUMBER)
    exact, _ = Domain.of("x", ["100000000000000016", "0.30000000000000004"])
    assert exact.texts == ("0.30000000000000004", "100000000000000016")


def test_equal_moments_are_one_value() -> None:
    domain, codes = Domain.of("x", ["2020-01-01T00:00", "2020-01-01"])
    assert domain.texts == ("2020-01-01",)
    assert codes.tolist() == [0, 0]
    domain, codes = Domain.of("x", ["2020-01-01T00:00", "2020-01-01", "2020-01-01 06:30:00"])
    assert domain.texts == ("2020-01-01", "2020-01-01 06:30:00")
    assert codes.tolist() == [0, 0, 1]
    assert Domain.of("x", ["2020-01-01 06:30:00", "2020-01-01", "2020-01-01T00:00"])[0].texts == domain.texts


def test_times_that_are_all_midnight_are_days() -> None:
    """A frame library that knows no dates without a time must not add one to what is published."""
    for days in (["2020-01-02 00:00:00", "2020-01-01 00:00:00"], ["20200102", "20200101T000000"]):
        assert Domain.of("x", days, kind=Kind.DATE)[0].texts == ("2020-01-01", "2020-01-02")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2.5", "1e3"], Kind.NUMBER),
        (["1", "x"], Kind.TEXT),
        (["1_000"], Kind.TEXT),
        (["nan", "1"], Kind.TEXT),
        (["inf"], Kind.TEXT),
        (["2020-01-01", "2020-01-01 10:00:00"], Kind.DATE),
        (["2020-02-30"], Kind.TEXT),
        (["2020"], Kind.NUMBER),
        (["2020-04", "2019-12"], Kind.MONTH),
        (["2020-04", "2020-04-01"], Kind.TEXT),
        (["2020-13"], Kind.TEXT),
        (["01067", "99084"], Kind.TEXT),
        (["0", "10"], Kind.NUMBER),
        (["0007", "7"], Kind.NUMBER),
        (["01", "06", "67"], Kind.NUMBER),
        ([f"{number}.234" for number in range(1, 20)], Kind.TEXT),
        (["1.234", "950"], Kind.NUMBER),
        ([f" {number}.234" for number in range(1, 20)], Kind.TEXT),
        (["1.234", "1.5"], Kind.NUMBER),
        (["0.123", "1.234"], Kind.NUMBER),
        ([f"{1 + number % 12:02}.20{number}" for number in range(10, 24)], Kind.TEXT),
        (["2020-01-01T00:00:00+02:00"], Kind.DATE),
        (["007", "8.5"], Kind.NUMBER),
        ([], Kind.TEXT),
    ],
)
def test_guessed_kinds(values: list[str], kind: Kind) -> None:
    assert guess_kind(values) is kind


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.DATE])
def test_a_declared_kind_that_does_not_fit_shows_no_value(kind: Kind) -> None:
    with pytest.raises(
        DataError, match=f"column 'x' is read as {kind}, but 2 of its distinct values are no {kind}"
    ) as caught:
        Domain.of("x", ["secret", "word"], kind=kind)
    assert "secret" not in str(caught.value)
    form = {Kind.NUMBER: "no number with a point as decimal mark", Kind.DATE: "no date of the form yyyy-mm-dd"}[kind]
    assert f"are {form}" in str(caught.value)
    assert 'convert the column first, or declare it as type = "text"' in str(caught.value)
    with pytest.raises(DataError, match=f"but 1 of its distinct values is {form}"):
        Domain.of("x", ["secret"], kind=kind)


@given(FINITE)
def test_written_numbers_are_short_and_exact(number: float) -> None:
    assert float(written(number)) == number
    if number.is_integer() and abs(number) < 1e15:
        assert written(number) == str(int(number))


@given(st.datetimes())
def test_position_follows_time(moment: datetime) -> None:
    found = position(moment.isoformat(), Kind.DATE)
    days = moment - datetime(1, 1, 1)
    assert found == pytest.approx(days.total_seconds() / 86400 + 1, rel=1e-12)
    assert position(moment.isoformat(), Kind.TEXT) is None


def test_names_of_missing_values() -> None:
    assert Domain.of("x", ["a", None])[0].named(1) == "missing"
    assert Domain.of("x", ["a", "?"], missing=["?"])[0].named(1) == "?"
    assert Domain.of("x", ["(missing)", "missing", None])[0].named(2) == "((missing))"


def test_reordered() -> None:
    domain, _ = Domain.of("x", ["a", "b", "c"])
    assert domain.reordered(np.array([2, 0, 1])).texts == ("c", "a", "b")
    numbers = Domain.of("x", ["1", "2"])[0].reordered(np.array([1, 0])).numbers
    assert numbers is not None
    assert numbers.tolist() == [2, 1]


def test_code_of_a_written_value() -> None:
    domain, _ = Domain.of("x", ["7", "30", None])
    assert [domain.code_of(text) for text in ("30.0", "7", "missing", "8", "word")] == [1, 0, 2, None, None]


def test_a_column_in_another_notation_is_read_by_it() -> None:
    domain, codes = Domain.of("x", ["31.12.1999", " 1.2.2000", "?", "01.02.2000"], missing=["?"])
    assert (domain.kind, domain.texts) == (Kind.DATE, ("1999-12-31", "2000-02-01", "?"))
    assert codes.tolist() == [0, 1, 2, 1]
    assert domain.codes_of(["1.2.2000", "2000-02-01", "2.1.2000", None]).tolist() == [1, 1, -1, 2]
    assert domain.code_of("31.12.1999") == domain.code_of("1999-12-31") == 0
    again = Domain.from_dict(domain.to_dict())
    assert again.notation is domain.notation
    assert again.numbers is not None
    assert domain.numbers is not None
    assert np.array_equal(again.numbers, domain.numbers, equal_nan=True)


def test_what_can_be_read_in_several_ways_is_asked_for() -> None:
    days = ["03/04/2020", "05/06/2021"]
    assert Domain.of("x", days)[0].kind is Kind.TEXT
    with pytest.raises(DataError, match=r"'dd/mm/yyyy', 'mm/dd/yyyy'\. Say which by `format`") as caught:
        Domain.of("x", days, kind=Kind.DATE)
    assert not any(day in str(caught.value) for day in days)
    for name, texts in (("dd/mm/yyyy", ("2020-04-03", "2021-06-05")), ("mm/dd/yyyy", ("2020-03-04", "2021-05-06"))):
        assert Domain.of("x", days, kind=Kind.DATE, notation=notation_named(name))[0].texts == texts
    assert Domain.of("x", [*days, "12/31/2020"])[0].kind is Kind.DATE
    assert Domain.of("x", ["04/04/2020", "05/05/2021"])[0].texts == ("2020-04-04", "2021-05-05")  # both ways


def test_points_that_may_stand_between_thousands_are_asked_for() -> None:
    values = ["950", *(f"{number}.500" for number in range(1, 20))]
    assert Domain.of("x", values)[0].kind is Kind.TEXT
    assert Domain.of("x", values, kind=Kind.NUMBER)[0].texts[:2] == ("1.5", "2.5")
    assert Domain.of("x", values, notation=notation_named("1.234,5"))[0].texts[:3] == ("950", "1500", "2500")
    assert Domain.of("x", [*values, "1.000.000"])[0].texts[-1] == "1000000"
    assert Domain.of("x", [*values, "12,5"])[0].texts[0] == "12.5"
    months = [f"{1 + number % 12:02}.20{number}" for number in range(10, 24)]
    assert Domain.of("x", months)[0].kind is Kind.TEXT
    assert Domain.of("x", months, notation=notation_named("mm.yyyy"))[0].texts[0] == "2010-11"


def test_moments_of_different_offsets_are_told_apart() -> None:
    assert Domain.of("x", ["2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00Z"])[1].tolist() == [0, 1]


def test_a_declared_notation_that_does_not_fit_shows_no_value() -> None:
    with pytest.raises(DataError, match="1 of its distinct values is not written as 'dd/mm/yyyy'") as caught:
        Domain.of("x", ["31/12/2020", "12/31/2020"], notation=notation_named("dd/mm/yyyy"))
    assert "2020" not in str(caught.value)


@given(st.lists(st.dates(date(1000, 1, 1)), min_size=1), st.sampled_from(["%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y"]))
def test_days_in_another_notation_are_the_same_days(days: list[date], form: str) -> None:
    notation = notation_named({"%d.%m.%Y": "dd.mm.yyyy", "%Y/%m/%d": "yyyy/mm/dd", "%d-%m-%Y": "dd-mm-yyyy"}[form])
    expected, codes = Domain.of("x", [str(day) for day in days])
    found, others = Domain.of("x", [day.strftime(form) for day in days], notation=notation)
    assert (found.texts, others.tolist()) == (expected.texts, codes.tolist())


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        (["2020-05-31", "1999-12-01"], Kind.DATE, ("1999-12-01", "2020-05-31")),
        (["2020-05", "1999-12"], Kind.MONTH, ("1999-12", "2020-05")),
        (["31.05.2020", "01.12.1999"], Kind.DATE, ("1999-12-01", "2020-05-31")),
        (["03/04/2020", "05/06/2021"], Kind.TEXT, ("03/04/2020", "05/06/2021")),
        (["007", "7"], Kind.TEXT, ("007", "7")),
        (["1.234,5", "2,5"], Kind.TEXT, ("1.234,5", "2,5")),
        (["20200531", "19991201"], Kind.TEXT, ("19991201", "20200531")),
    ],
)
def test_values_that_are_stored_as_texts_may_be_dates_and_no_numbers(values, kind: Kind, texts: tuple) -> None:
    domain, codes = Domain.of("x", values, stored=Kind.TEXT)
    assert (domain.kind, domain.texts) == (kind, texts)
    assert len(set(codes.tolist())) == 2


def test_the_stored_kind_holds_unless_another_is_declared() -> None:
    assert Domain.of("x", ["1", "2"], stored=Kind.NUMBER)[0].kind is Kind.NUMBER
    assert Domain.of("x", ["2020-05-31"], stored=Kind.TEXT, kind=Kind.TEXT)[0].kind is Kind.TEXT
    assert Domain.of("x", ["007", "7"], stored=Kind.TEXT, kind=Kind.NUMBER)[0].texts == ("7",)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (Kind.NUMBER, ["2020-05-31", "1999-12-01"], 'look like type = "date": declare that, or leave the type out'),
        (Kind.NUMBER, ["31.05.2020"], "look like type = \"date\" and are written as 'dd.mm.yyyy': declare that"),
        (Kind.DATE, ["17", "18"], 'look like type = "number": declare that'),
        (Kind.DATE, ["flu"], 'convert the column first, or declare it as type = "text"'),
    ],
)
def test_a_wrong_type_is_corrected_if_the_values_have_another(kind: Kind, values: list[str], said: str) -> None:
    with pytest.raises(DataError) as caught:
        Domain.of("x", values, kind=kind)
    assert said in str(caught.value)
    assert not any(value in str(caught.value) for value in values)
