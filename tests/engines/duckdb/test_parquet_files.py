"""Parquet files: their columns, and files that are none."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.duckdb.parquet_files import parquet_format
from sfumato.engines.readable_files import readable
from sfumato.errors import DataError, SchemaError


def test_a_stored_index_is_known(tmp_path):
    pq.write_table(pa.table({"age": [1, 2], "__index_level_0__": [0, 1]}), tmp_path / "t.parquet")
    found = parquet_format(readable(tmp_path / "t.parquet"))
    assert found.columns == ("age", "__index_level_0__")
    assert found.index_columns == ("__index_level_0__",)
    assert found.rows == 2


def test_files_that_are_incomplete_are_refused_without_their_bytes(tmp_path):
    pq.write_table(pa.table({"age": ["canary"] * 9}), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for data in (b"PAR1 canary", whole[:-9], b"canary"):
        (tmp_path / "t.parquet").write_bytes(data)
        with pytest.raises(DataError, match="cannot be read: it is no complete Parquet") as caught:
            parquet_format(readable(tmp_path / "t.parquet"))
        assert "canary" not in str(caught.value)
        assert caught.value.__cause__ is None


def test_two_columns_of_one_name_are_refused(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(SchemaError, match="more than one column called 'a'"):
        parquet_format(readable(tmp_path / "t.parquet"))
