"""What is known of a file before it is read."""

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.duckdb.databases import shared_database
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.file_format import quoted
from sfumato.engines.duckdb.files import opened


def test_the_size_of_a_parquet_file_is_that_of_its_values(tmp_path):
    """Numbers that rise by one take hardly any bytes in a file: 8 bytes x 2 columns x 1,000,000 records in memory."""
    table = pa.table({"a": range(1_000_000), "b": range(1_000_000)})
    encoding = dict.fromkeys("ab", "DELTA_BINARY_PACKED")
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=False, column_encoding=encoding)
    assert (tmp_path / "t.parquet").stat().st_size < 200_000
    assert opened(tmp_path / "t.parquet").size == 16_000_000
    engine = DuckdbEngine.over_file(tmp_path / "t.parquet")
    assert engine._relation._database is not shared_database()
    pq.write_table(table.slice(0, 10), tmp_path / "t.parquet")
    assert opened(tmp_path / "t.parquet").size == (tmp_path / "t.parquet").stat().st_size
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    assert opened(tmp_path / "t.csv").size == 8


def test_texts_in_sql():
    assert quoted("o'brien") == "'o''brien'"
