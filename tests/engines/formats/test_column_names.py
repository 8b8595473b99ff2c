"""Names of columns: those of the first row, and those that columns without a name get."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sfumato.engines.base import stored_index
from sfumato.engines.formats.column_names import ColumnNames, check_names
from sfumato.errors import DataError, SchemaError


@pytest.mark.parametrize(
    ("first", "header", "names", "index"),
    [
        (["age", "job"], None, ("age", "job"), ()),
        (["", "age"], None, ("column1", "age"), ("column1",)),
        (["", "column1"], None, ("column1_", "column1"), ("column1_",)),
        (["30", "cook"], False, ("column1", "column2"), ()),
        (["", ""], False, ("column1", "column2"), ()),
        (["30", "cook"], True, ("30", "cook"), ()),
        (["country", "2019", "2020"], None, ("country", "2019", "2020"), ()),
        (["0", "1", "2"], None, ("0", "1", "2"), ()),
    ],
)
def test_names(first: list[str], header: bool | None, names: tuple[str, ...], index: tuple[str, ...]) -> None:
    found = ColumnNames.of(first, header, "file 't.csv'")
    assert (found.names, found.index_columns) == (names, index)


@pytest.mark.parametrize(
    "first", [["30", "cook"], ["2020-01-01", "x"], ["", "7.5"], ["Ann", "31.12.1999"], ["x", "1.234,5"]]
)
def test_a_record_in_place_of_names_is_refused(first: list[str]) -> None:
    with pytest.raises(DataError, match=r"looks like a record: 1 of its 2 values .* header = false, or --no-header"):
        ColumnNames.of(first, None, "file 't.csv'")


def test_a_table_says_which_columns_are_an_index() -> None:
    made = ColumnNames(("column1", "age"), ("column1",)).table([pa.array([0, 1]), pa.array([30, 40])])
    assert made.column_names == ["column1", "age"]
    assert stored_index(made.column_names, made.schema.metadata) == ("column1",)


@pytest.mark.parametrize(("names", "wrong"), [(["a", "b", "a"], "'a'"), ([], "without a name"), (["a", ""], "without")])
def test_names_must_be_there_and_differ(names: list[str], wrong: str) -> None:
    with pytest.raises(SchemaError, match=wrong):
        check_names(names, "file 't.csv'")
    check_names(["a", "A"], "file 't.csv'")


@pytest.mark.parametrize("first", [["Report", "", ""], ["", "Report", "", ""]])
def test_one_name_beside_columns_without_one_is_a_title(first: list[str]) -> None:
    with pytest.raises(DataError, match="has a name for one of its"):
        ColumnNames.of(first, None, "file 't.csv'")


@pytest.mark.parametrize("first", [["", "", "a"], ["name", "age", "", "", ""], ["country", "2020-01", "02/2020"]])
def test_ordinary_first_lines_are_names(first: list[str]) -> None:
    found = ColumnNames.of(first, None, "file 't.csv'")
    assert [name for name in found.names if name not in found.index_columns] == [name for name in first if name]
