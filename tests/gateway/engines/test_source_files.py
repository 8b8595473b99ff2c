from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.source_files import reading


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
