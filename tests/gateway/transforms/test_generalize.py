from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, PolicyError, TaxonomyError
from sfumato.gateway.transforms import Bucket, Calendar, ColumnType, Generalize
from sfumato.taxonomies import Intervals, LevelFile, Masking
from tests.gateway.transforms.asking import Engine, mismatches

TEXT, NUMBER, DATE, MOMENT = (ColumnType.of_duckdb(name) for name in ("VARCHAR", "INTEGER", "DATE", "TIMESTAMP"))
JOBS = {
    "branches": {"ANY": {"Artist": ["Dancer", "Writer"], "Professional": {"Technical": ["Engineer"], "Lawyer": []}}}
}
ZIPS = "4350;435*;4***\n4351;435*;4***\n4400;44**;4***\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "zips.csv").write_text(ZIPS, encoding="utf-8")
    (tmp_path / "ages.csv").write_text("20;20-24;*\n24;20-24;*\n25;25-29;*\n29;25-29;*\n", encoding="utf-8")
    (tmp_path / "many.csv").write_text("\n".join(f"v{one};*" for one in range(5001)), encoding="utf-8")
    return tmp_path


def test_a_tree() -> None:
    assert [Generalize(taxonomy=JOBS, level=level).weaker("Engineer", TEXT) for level in (1, 2, 3)] == [
        *("Technical", "Professional", "ANY"),
    ]
    made = Generalize(taxonomy=JOBS)
    assert [made.weaker(job, TEXT) for job in ("Dancer", "dancer", "Artist", "", None)] == [
        "Artist",
        None,
        None,
        None,
        None,
    ]
    assert (made.makes, made.for_kinds) == ("text", {"text"})


def test_a_level_file_says_the_same_as_in_a_release(folder: Path, engine: Engine) -> None:
    made = Generalize(taxonomy={"file": "zips.csv"}, folder=folder)
    values = ["4350", "4351", "4400"]
    domain, _ = Domain.of("zip", values, kind=Kind.TEXT)
    rows = LevelFile(path=folder / "zips.csv").grow(domain)[0].level_rows()
    assert {row[0]: row[1] for row in rows} == {value: made.weaker(value, TEXT) for value in values}
    engine.fill("VARCHAR", [*values, "9999", None])
    assert engine.weaker(made, engine.type_of("VARCHAR")) == ["435*", "435*", "44**", None, None]


def test_a_level_file_of_numbers_makes_ranges(folder: Path, engine: Engine) -> None:
    made = Generalize(taxonomy={"file": "ages.csv"}, folder=folder, numbers=True)
    assert [made.weaker(age, NUMBER) for age in (20, 24, 29, 21)] == [(20, 24), (20, 24), (25, 29), None]
    assert made.shown(20, NUMBER) == "20-24"
    for type_name in ("INTEGER", "DECIMAL(5,1)", "DOUBLE PRECISION"):
        texts = ["20", "24", "29", "21", "30", None]
        engine.fill(type_name, texts)
        assert mismatches(engine, made, type_name, texts) == []
    with pytest.raises(PolicyError, match="is for columns of kind decimal, float, integer"):
        made.demand(TEXT, "age")
    with pytest.raises(PolicyError, match="is for columns of kind text"):
        Generalize(taxonomy={"file": "ages.csv"}, folder=folder).demand(NUMBER, "age")


@pytest.mark.parametrize("level", [1, 2, 3])
def test_widths_say_the_same_as_in_a_release(level: int) -> None:
    made = Generalize(taxonomy={"width": 5}, level=level)
    ages = [str(age) for age in range(40)]
    domain, _ = Domain.of("age", ages)
    for row in Intervals(width=5).grow(domain)[0].level_rows():
        low, high = made.weaker(int(row[0]), NUMBER)
        assert row[level] == f"[{low}, {high + 1})"
    assert made.weaker(7, NUMBER) == Bucket(width=5 * 2 ** (level - 1)).weaker(7, NUMBER)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_intervals_say_the_same_as_in_a_release(level: int, engine: Engine) -> None:
    made = Generalize(taxonomy={"intervals": [0, 20, 40.5, 60]}, level=level)
    ages = [str(age) for age in range(61)]
    domain, _ = Domain.of("age", ages)
    for row in Intervals(breaks=(0, 20, 40.5, 60)).grow(domain)[0].level_rows():
        low, _ = made.weaker(int(row[0]), NUMBER)
        assert row[level] == made.shown(low, NUMBER)
    for type_name in ("INTEGER", "DECIMAL(5,1)", "DOUBLE PRECISION", "REAL"):
        texts = ["-1", "0", "19", "20", "40", "41", "60", "61", None]
        engine.fill(type_name, texts)
        assert mismatches(engine, made, type_name, texts) == []


def test_beyond_the_last_break_nothing_is_shown() -> None:
    made = Generalize(taxonomy={"intervals": [0, 20, 40.5, 60]})
    assert [made.weaker(age, NUMBER) for age in (-1, 40, 41, 60, 61)] == [None, (20, 40), (41, 60), (41, 60), None]
    assert made.weaker(Decimal("20"), ColumnType.of_postgres("numeric")) == (20, Decimal("40.5"))
    with pytest.raises(PolicyError, match="level 4 nothing is left of 3 intervals"):
        Generalize(taxonomy={"intervals": [0, 20, 40, 60]}, level=4).demand(NUMBER, "age")


def test_dates_climb_the_calendar(engine: Engine) -> None:
    day = date(2026, 5, 9)
    for level, unit in enumerate(("month", "quarter", "year", "decade"), start=1):
        made = Generalize(taxonomy={"dates": True}, level=level)
        assert made.weaker(day, DATE) == Calendar(unit=unit).weaker(day, DATE)
        later = Generalize(taxonomy={"dates": True}, level=level + 1)
        assert later.weaker(datetime(2026, 5, 9, 7), MOMENT) == Calendar(unit=unit).weaker(
            datetime(2026, 5, 9, 7), MOMENT
        )
    engine.fill("date", ["2026-05-09", None])
    assert mismatches(engine, Generalize(taxonomy={"dates": True}, level=2), "date", ["2026-05-09", None]) == []
    with pytest.raises(PolicyError, match="the calendar has 4 levels"):
        Generalize(taxonomy={"dates": True}, level=5).demand(DATE, "born")


def test_a_mask_says_the_same_as_in_a_release() -> None:
    made = Generalize(taxonomy={"mask": "right"}, level=2)
    domain, _ = Domain.of("zip", ["4350", "4400"], kind=Kind.TEXT)
    for row in Masking().grow(domain)[0].level_rows():
        assert made.weaker(row[0], TEXT) == row[2]


@pytest.mark.parametrize(
    ("taxonomy", "words"), [({"quantiles": 4}, "other values"), ({"flat": True}, "between a value")]
)
def test_what_makes_no_sense_value_by_value_is_refused(taxonomy: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Generalize(taxonomy=taxonomy)


def test_taxonomies_that_are_none_are_refused(folder: Path) -> None:
    with pytest.raises(TaxonomyError, match="unknown key 'widht'"):
        Generalize(taxonomy={"widht": 5})
    with pytest.raises(TaxonomyError, match="names 5001 values, and a transform takes 5000 at most"):
        Generalize(taxonomy={"file": "many.csv"}, folder=folder).demand(TEXT, "code")
    with pytest.raises(PolicyError, match="has 3 levels above its values; there is no level 4"):
        Generalize(taxonomy=JOBS, level=4).demand(TEXT, "job")


def test_it_is_told_and_built_again(folder: Path) -> None:
    made = Generalize(taxonomy={"file": "zips.csv"}, level=2, folder=folder)
    told = {key: value for key, value in made.to_dict().items() if key != "name"}
    assert Generalize.build(told).weaker("4350", TEXT) == "4***"
