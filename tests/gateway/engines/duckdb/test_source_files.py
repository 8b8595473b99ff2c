from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.duckdb.source_files import SourceFile, file_relation


def test_parquet_and_csv_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "it's.parquet")
    (tmp_path / "b.CSV").write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    with duckdb.connect() as con:
        for name in ("it's.parquet", "b.CSV"):
            found = con.sql(f"SELECT a FROM {file_relation(tmp_path / name).sql('duckdb')}").to_arrow_table()
            assert found.column("a").to_pylist() == [1, 2]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.xlsx", "*.csv", "a?.parquet", "[ab].csv"])
def test_other_files_and_many_at_once_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="file"):
        file_relation(Path("/data") / name)


CELLS = ["35000", "35000.5", "n/a", '"a, b"', "99999999999", "2020-01-01", '"x\n;y"', "", "0x10", "z" * 3_000_000]


@pytest.mark.parametrize("cell", CELLS)
def test_with_declared_types_one_cell_decides_about_itself_alone(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "staff.csv"
    path.write_text(f"id,income,code\n1,{cell},{cell}\n2, 23000,7\n3,56000,0012\n", encoding="utf-8")
    asked = SourceFile(path, {"id": "INTEGER", "income": "INTEGER"}).relation().sql("duckdb")
    with duckdb.connect() as con:
        found = con.sql(f"SELECT * FROM {asked} AS t ORDER BY id")
        assert [str(kind) for kind in found.types] == ["INTEGER", "INTEGER", "VARCHAR"]
        assert found.fetchall()[1:] == [(2, 23000, "7"), (3, 56000, "0012")]


@pytest.mark.parametrize("before", [0, 40_000])
def test_what_is_no_utf_8_keeps_nobody_from_other_columns(tmp_path: Path, before: int) -> None:
    path = tmp_path / "staff.csv"
    rows = b"".join(b"%d,x\n" % number for number in range(before))
    path.write_bytes(b"id,name\n" + rows + b"7,M\xfcller\n" + rows)
    asked = SourceFile(path, {"id": "INTEGER"}).relation().sql("duckdb")
    with duckdb.connect() as con:
        assert con.sql(f"SELECT count(id) FROM {asked} AS t").fetchall() == [(2 * before + 1,)]
        with pytest.raises(duckdb.Error, match=r"nicode|UTF"):
            con.sql(f"SELECT max(name) FROM {asked} AS t").fetchall()


def test_a_whole_number_is_written_as_one(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("\ufeffid,pay\n2.4,1.55\n0x10,\n1e2,n/a\n +7 ,3\n-8,4.5\n", encoding="utf-8")
    asked = SourceFile(path, {"id": "BIGINT", "pay": "DECIMAL(4,1)"}).relation().sql("duckdb")
    with duckdb.connect() as con:
        found = con.sql(f"SELECT id, CAST(pay AS VARCHAR) FROM {asked} AS t").fetchall()
    assert found == [(None, "1.6"), (None, None), (None, None), (7, "3.0"), (-8, "4.5")]
    asked = SourceFile(path, {"id": "DECIMAL(9, 0)"}).relation().sql("duckdb")
    with duckdb.connect() as con:
        assert con.sql(f"SELECT CAST(id AS INTEGER) FROM {asked} AS t").fetchall()[::4] == [(None,), (-8,)]


def test_types_are_said_for_csv_files_and_are_types(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="only for CSV files"):
        SourceFile(Path("/data/a.parquet"), {"id": "INTEGER"}).relation()
    path = tmp_path / "a.csv"
    path.write_text("id,name\n", encoding="utf-8")
    for kind in ("NO(T A, TYPE", "INTEGER) FROM (SELECT 1"):
        with pytest.raises(DataError, match="not a type of DuckDB"):
            SourceFile(path, {"id": kind}).relation()
    with pytest.raises(DataError, match="has no column 'nmae'; did you mean 'name'"):
        SourceFile(path, {"nmae": "TEXT"}).relation()


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"file 'a\.csv' does not exist"):
        SourceFile(tmp_path / "a.csv", {"id": "INTEGER"}).relation()


@pytest.mark.parametrize("header", [b"", b"id,ID\n", b"id,\n", b"id,n\xfcmber\n", b'id,"x\n'])
def test_columns_are_named_once(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(header)
    with pytest.raises(DataError, match="must name its columns"):
        SourceFile(path, {"id": "INTEGER"}).relation()
