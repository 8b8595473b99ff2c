"""Files are opened by what they are; those that are none are refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.duckdb.files import opened
from sfumato.errors import DataError


def test_the_ending_says_the_format(tmp_path):
    (tmp_path / "t.TSV").write_text("a\tb\n1\t2\n")
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "t.pq")
    text, parquet = opened(tmp_path / "t.TSV"), opened(str(tmp_path / "t.pq"))
    assert text.columns == parquet.columns == ("a", "b")
    assert (text.untyped, parquet.untyped) == (True, False)
    assert (text.separator, text.rows, parquet.rows) == ("\t", 0, 1)
    assert (text.described, parquet.described) == ("file 't.TSV'", "file 't.pq'")


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        opened(tmp_path / "nothing.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(DataError, match="is empty"):
        opened(tmp_path / "empty.csv")
    (tmp_path / "t.docx").write_text("x")
    with pytest.raises(
        DataError, match=r"ending that is not known; save it as CSV or Parquet\. Known are \.csv, \.dat"
    ):
        opened(tmp_path / "t.docx")
