"""Workbooks: sheets as tables, and workbooks that are none."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sfumato.engines.formats.workbooks import workbook_table
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.errors import DataError, SchemaError

ROWS = [["name", "age", "born"], ["Ann", 30, date(1980, 1, 2)], ["Bob", None, date(1990, 3, 4)]]


def book(path: Path, sheets: dict[str, list[list[Any]]], **changes: Any) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for area in changes.get("merged", ()):
            sheet.merge_cells(area)
        if name in changes.get("hidden", ()):
            sheet.sheet_state = "hidden"
    made.save(path)
    return path


def read(path: Path, **options: Any) -> dict[str, list[Any]]:
    return workbook_table(path, f"file {path.name!r}", ReadOptions(**options)).to_pydict()


def test_a_sheet_is_a_table(tmp_path: Path) -> None:
    found = read(book(tmp_path / "t.xlsx", {"People": ROWS, "Empty": []}))
    assert found == {"name": ["Ann", "Bob"], "age": [30, None], "born": [date(1980, 1, 2), date(1990, 3, 4)]}


def test_empty_rows_and_columns_around_a_table_are_left_out(tmp_path: Path) -> None:
    rows = [[None, None, None], [None, "name", "age"], [None, None, None], [None, "Ann", 30.5], [None, "Bob", 7]]
    assert read(book(tmp_path / "t.xlsx", {"People": rows})) == {"name": ["Ann", "Bob"], "age": [30.5, 7.0]}


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"People": ROWS, "Notes": [["read me"]], "Old": ROWS}, hidden=["Old"])
    with pytest.raises(DataError, match=r"has 2 visible sheets .* --sheet .* 'People', 'Notes', 'Old'"):
        read(path)
    assert read(path, sheet="Old")["name"] == ["Ann", "Bob"]
    with pytest.raises(SchemaError, match="has no sheet 'Peple'; did you mean 'People'"):
        read(path, sheet="Peple")
    with pytest.raises(DataError, match="has 0 visible sheets"):
        read(book(tmp_path / "e.xlsx", {"Empty": []}))
    with pytest.raises(DataError, match="has an empty sheet"):
        read(tmp_path / "e.xlsx", sheet="Empty")


def test_without_names_and_without_a_name(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"People": [["Ann", 30], ["Bob", 40]]})
    with pytest.raises(DataError, match="looks like a record"):
        read(path)
    assert read(path, header=False) == {"column1": ["Ann", "Bob"], "column2": [30, 40]}
    indexed = book(tmp_path / "i.xlsx", {"People": [[None, "age"], [0, 30], [1, 40]]})
    assert workbook_table(indexed, "file 'i.xlsx'", DETECTED).column_names == ["column1", "age"]
    years = book(tmp_path / "y.xlsx", {"People": [["name", 2019, 2020], ["Ann", 1, 2]]})
    assert list(read(years)) == ["name", "2019", "2020"]


def test_merged_cells_are_refused(tmp_path: Path) -> None:
    rows = [["name", "age"], ["canary", 30], [None, 40]]
    with pytest.raises(DataError, match=r"1 merged cells, the first in row 2") as caught:
        read(book(tmp_path / "t.xlsx", {"People": rows}, merged=["A2:A3"]))
    assert "canary" not in str(caught.value)


def test_moments_and_mixed_columns(tmp_path: Path) -> None:
    rows = [["when", "what"], [datetime(2020, 1, 2, 3, 4), 3], [date(2020, 1, 3), "x"], [None, True]]
    found = read(book(tmp_path / "t.xlsx", {"People": rows}))
    assert found["when"] == [datetime(2020, 1, 2, 3, 4), datetime(2020, 1, 3), None]
    assert found["what"] == ["3", "x", "true"]


def test_what_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_text("name,age\ncanary,3\n")
    whole = book(tmp_path / "whole.xlsx", {"People": ROWS}).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    for name in ("t.xlsx", "cut.xlsx"):
        with pytest.raises(DataError, match="no workbook, is damaged, or has a password") as caught:
            read(tmp_path / name)
        assert "canary" not in str(caught.value)


def test_a_title_above_the_table_is_refused(tmp_path: Path) -> None:
    rows = [["Report 2024", None, None], [None, None, None], ["name", "age", "job"], ["Ann", 30, "cook"]]
    with pytest.raises(DataError, match="a name for one of its 3 columns; if its first line is a title"):
        read(book(tmp_path / "t.xlsx", {"People": rows}))


def test_names_without_records(tmp_path: Path) -> None:
    assert read(book(tmp_path / "t.xlsx", {"People": [["name", "age"]]})) == {"name": [], "age": []}


def test_a_damaged_sheet(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"People": ROWS})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if "sheet1" in name)
    for content in (parts[sheet][: len(parts[sheet]) // 2], None):
        with zipfile.ZipFile(tmp_path / "d.xlsx", "w") as archive:
            for name, data in parts.items():
                if name != sheet or content is not None:
                    archive.writestr(name, data if name != sheet else content or b"")
        with pytest.raises(DataError, match="is damaged"):
            read(tmp_path / "d.xlsx")
