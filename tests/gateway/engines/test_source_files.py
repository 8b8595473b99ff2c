from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.source_files import SourceFile, reading


def test_parquet_and_csv_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "it's.parquet")
    (tmp_path / "b.CSV").write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    with duckdb.connect() as con:
        for name in ("it's.parquet", "b.CSV"):
            found = con.sql(f"SELECT a FROM {reading(tmp_path / name).sql('duckdb')}").to_arrow_table()
            assert found.column("a").to_pylist() == [1, 2]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.xlsx", "*.csv", "a?.parquet", "[ab].csv"])
def test_other_files_and_many_at_once_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="file"):
        reading(Path("/data") / name)


CELLS = ["35000", "35000.5", "n/a", '"a, b"', "99999999999", "2020-01-01", '"x\n;y"', ""]


@pytest.mark.parametrize("cell", CELLS)
def test_with_declared_types_one_cell_decides_about_itself_alone(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "staff.csv"
    path.write_text(f"id,income,code\n1,{cell},{cell}\n2, 23000,7\n3,56000,0012\n", encoding="utf-8")
    asked = SourceFile(path, {"id": "INTEGER", "income": "INTEGER"}).reading().sql("duckdb")
    with duckdb.connect() as con:
        found = con.sql(f"SELECT * FROM {asked} AS t ORDER BY id")
        assert [str(kind) for kind in found.types] == ["INTEGER", "INTEGER", "VARCHAR"]
        assert found.fetchall()[1:] == [(2, 23000, "7"), (3, 56000, "0012")]


def test_types_are_said_for_csv_files_and_are_types() -> None:
    with pytest.raises(DataError, match="CSV files alone"):
        SourceFile(Path("/data/a.parquet"), {"id": "INTEGER"}).reading()
    with pytest.raises(DataError, match="none that DuckDB has"):
        SourceFile(Path("/data/a.csv"), {"id": "NO(T A, TYPE"}).reading()
