from __future__ import annotations

import csv
import os
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import DataError, OutputError, ParameterError, TaxonomyError
from sfumato.taxonomies import Intervals, LevelFile, Masking, Taxonomy, Tree, write_level_file

IN_PLANS = [
    ({"file": "hierarchies/age.csv"}, LevelFile(path=Path("folder") / "hierarchies" / "age.csv")),
    ({"file": "age.csv", "separator": ","}, LevelFile(path=Path("folder") / "age.csv", separator=",")),
]
ADULT = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[3] / "shared" / "data")) / "adult"
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def saved(folder: Path, text: str, **settings: str) -> LevelFile:
    (folder / "jobs.csv").write_text(text, encoding="utf-8")
    return LevelFile(path=folder / "jobs.csv", **settings)


def domain(*values: str | None, kind: Kind | None = None, missing: tuple[str, ...] = ()) -> Domain:
    return Domain.of("job", list(values), kind=kind, missing=missing)[0]


def test_rows_become_levels(tmp_path: Path) -> None:
    builder = saved(tmp_path, 'a;x;*\n"b;c";x;*\n\nd;"y ""z""";*\nunused;y;*\n')
    assert builder.grow(domain("d", "b;c", "a"))[0].level_rows() == [
        ["a", "x", "*"],
        ["b;c", "x", "*"],
        ["d", 'y "z"', "*"],
    ]


def test_another_separator_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    builder = saved(tmp_path, "\ufeffa,x\r\nb,x\r\n", separator=",")
    assert builder.grow(domain("a", "b"))[0].level_rows() == [["a", "x"], ["b", "x"]]


def test_numbers_and_dates_are_matched_by_what_they_mean(tmp_path: Path) -> None:
    builder = saved(tmp_path, "07;low;*\n30.0;high;*\n?;odd;*\n")
    assert [row[1] for row in builder.grow(domain("30", "7"))[0].level_rows()] == ["low", "high"]
    builder = saved(tmp_path, "2020-01-01T00:00;new year;*\n")
    assert builder.grow(domain("2020-01-01"))[0].level_rows() == [["2020-01-01", "new year", "*"]]


def test_texts_are_matched_as_written(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"the level file 'jobs.csv' of 'job' does not cover 2 values: ' a', 'A'"):
        saved(tmp_path, "a;*\n").grow(domain("a", "A", " a"))


def test_uncovered_values_are_listed_up_to_ten_and_counted(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"does not cover 12 values: 'v00', .*'v09' and 2 more"):
        saved(tmp_path, "a;*\n").grow(domain(*(f"v{place:02}" for place in range(12))))


def test_a_wrong_separator_is_suspected(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="is ';' the separator"):
        saved(tmp_path, "a,*\n").grow(domain("a"))


def test_a_row_for_the_missing_value_is_left_aside(tmp_path: Path) -> None:
    builder = saved(tmp_path, "a;x;*\n?;unknown;nothing\n")
    found = builder.grow(domain("a", "?", missing=("?",)))[0]
    assert found.level_rows() == [["a", "x", "*"], ["?", "?", "*"]]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"'jobs.csv' is empty"):
        saved(tmp_path, "\n\n").grow(domain("a"))


def test_rows_of_unequal_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"has 3 levels in its first row but not in row '3', '4'"):
        saved(tmp_path, "a;x;*\nb;x;*\nc;*\nd;x;y;*\n").grow(domain("a"))


@pytest.mark.parametrize("text", ["a;x;*\na;y;*\n", "1;x;*\n1.0;y;*\n"])
def test_rows_with_different_parents_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaxonomyError, match=r"rows with different parents for a value: '(a|1.0)' under 'x' and 'y'"):
        saved(tmp_path, text).grow(domain(text[0]))


def test_the_same_row_twice_is_harmless(tmp_path: Path) -> None:
    assert saved(tmp_path, "a;x;*\na;x;*\n").grow(domain("a"))[0].height == 2


def test_two_roots_are_refused_even_if_the_data_shows_one(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="has 2 roots"):
        saved(tmp_path, "a;x\nb;y\n").grow(domain("a"))


def test_two_parents_of_a_node_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="level 1 more than one parent: 'x' under 'm', 'n'"):
        saved(tmp_path, "a;x;m;*\nb;x;n;*\n").grow(domain("a"))


@pytest.mark.parametrize("text", ["a;b;*\nb;a;*\n", "a;b;a;*\n", "a;x;y;x;*\n"])
def test_a_cycle_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaxonomyError, match="has a cycle"):
        saved(tmp_path, text).grow(domain("a"))


def test_an_interval_that_does_not_contain_its_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"'10 under \[0, 10\)'"):
        saved(tmp_path, "5;[0, 10);*\n10;[0, 10);*\n").grow(domain("5", "10"))
    assert saved(tmp_path, "5;[0, 10);*\n10;[0, 10);*\n").grow(domain("5"))[0].height == 2


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no taxonomy file"):
        LevelFile(path=tmp_path / "none.csv").grow(domain("a"))
    (tmp_path / "bytes.csv").write_bytes(b"caf\xe9;*\n")
    with pytest.raises(DataError, match="UTF-8"):
        LevelFile(path=tmp_path / "bytes.csv").grow(domain("a"))
    with pytest.raises(DataError, match="cannot be read as rows"):
        saved(tmp_path, "a" * 200_000 + ";*\n").grow(domain("a"))


@pytest.mark.parametrize("separator", ["", ";;", "\n", '"'])
def test_the_separator_is_one_character(separator: str) -> None:
    with pytest.raises(ParameterError, match="'separator' of LevelFile must be one character"):
        LevelFile(path="x", separator=separator)


@given(st.lists(TEXTS, min_size=1, max_size=6, unique=True), TEXTS, st.booleans())
def test_a_text_taxonomy_survives_a_file(values: list[str], name: str, missing: bool) -> None:
    given_domain = domain(*values, *([None] if missing else []), kind=Kind.TEXT)
    labels = [f"{name} {place % 2} {'/'.join(values)}" for place in range(len(values))]
    taxonomy, _ = Taxonomy.of_levels(given_domain, [labels, [f"{name} root"] * len(values)])
    check_round_trip(taxonomy)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_an_interval_taxonomy_survives_a_file(values: list[float]) -> None:
    check_round_trip(Intervals(quantiles=3).grow(domain(*map(str, values)))[0])


def test_a_column_of_missing_values_survives_a_file() -> None:
    check_round_trip(Masking().grow(domain(None, kind=Kind.TEXT))[0])


def check_round_trip(taxonomy: Taxonomy) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "levels.csv"
        write_level_file(taxonomy, path)
        again, _ = LevelFile(path=path).grow(taxonomy.domain)
        assert [found.name for found in Path(folder).iterdir()] == ["levels.csv"]
    assert again.level_rows() == taxonomy.level_rows()
    assert again.domain.texts == taxonomy.domain.texts


def test_writing_into_no_folder_is_refused(tmp_path: Path) -> None:
    taxonomy, _ = Masking().grow(domain("12", kind=Kind.TEXT))
    with pytest.raises(OutputError):
        write_level_file(taxonomy, tmp_path / "none" / "levels.csv")


def test_a_failure_while_writing_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("old")
    taxonomy, _ = Tree(branches={"any": ["\ud800"]}).grow(domain("\ud800", kind=Kind.TEXT))
    with pytest.raises(UnicodeEncodeError):
        write_level_file(taxonomy, tmp_path / "levels.csv")
    assert (tmp_path / "levels.csv").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not ADULT.is_dir(), reason="needs the Adult files in SFUMATO_DATA or ../shared/data")
def test_the_adult_files_span_the_known_lattice() -> None:
    """Data README: levels 5, 4, 3, 3, 3, 3, 2, 2; the eight columns span 6,480 nodes."""
    with (ADULT / "adult_train.csv").open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    levels = {}
    for name in QUASI:
        column, _ = Domain.of(name, [record[name] for record in records], missing=["?"])
        taxonomy, _ = LevelFile(path=ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv").grow(column)
        levels[name] = taxonomy.height + 1
        assert bool(taxonomy.misnamed) == (name == "age")
    assert levels["age"] == 5
    assert levels["education"] == 4
    assert prod(levels.values()) == 6480


def test_labels_that_are_used_for_different_values_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("1;2;all;*\n2;2;all;*\n3;3;2;*\n")
    domain, _ = Domain.of("n", ["1", "2", "3"])
    rows = LevelFile(path=tmp_path / "l.csv").grow(domain)[0].level_rows()
    assert rows == [["1", "2 (level 1)", "all", "*"], ["2", "2 (level 1)", "all", "*"], ["3", "3", "2 (level 2)", "*"]]
