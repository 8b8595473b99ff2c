"""Files as they come: separators, encodings, quoting, odd names, and files that are none."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.duckdb.databases import shared_database
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.text_files import opened
from sfumato.errors import DataError, SchemaError, UsageError


def read(path, **given):
    engine = DuckdbEngine.over_file(path, **given)
    found = engine.count(engine.columns)
    rows = []
    for row, count in enumerate(found.counts):
        rows += [tuple(found.raw[name][found.codes[name][row]] for name in engine.columns)] * int(count)
    return engine.columns, sorted(rows, key=str)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(tmp_path, separator):
    path = tmp_path / "t.csv"
    lines = [separator.join(row) for row in (("Full Name", "age"), ("Ann B", "30"), ("Bob", "40"), ("Cid", "50"))]
    path.write_text("\n".join(lines) + "\n")
    columns, rows = read(path)
    assert columns == ("Full Name", "age")
    assert rows == [("Ann B", "30"), ("Bob", "40"), ("Cid", "50")]


def test_a_given_separator_wins(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b,c\n1;2,3\n")
    assert opened(path, separator=",").columns == ("a;b", "c")
    assert opened(path, separator=";").columns == ("a", "b,c")


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


def test_quoted_newlines_separators_and_quotes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"note, long","b"\n"two\nlines","x"\n"say ""hi""","y"\n"a,b",""\n')
    columns, rows = read(path)
    assert columns == ("note, long", "b")
    assert rows == [("a,b", None), ('say "hi"', "y"), ("two\nlines", "x")]


@pytest.mark.parametrize(
    ("encoding", "declared"), [("utf-8", None), ("utf-8-sig", None), ("latin-1", "latin-1"), ("utf-16", None)]
)
def test_encodings(tmp_path, encoding, declared):
    path = tmp_path / "t.csv"
    path.write_bytes("naïve,straße\né,ü\na,b\n".encode(encoding))
    columns, rows = read(path, encoding=declared)
    assert columns == ("naïve", "straße")
    assert rows == [("a", "b"), ("é", "ü")]


def test_wrong_encoding_is_said_without_quoting_the_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"name,age\n" + "canaryé,3\n".encode("latin-1") * 5)
    with pytest.raises(DataError, match=r"\[data\] encoding, or --encoding on the command line") as caught:
        read(path)
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None  # the error of a decoder holds the text
    path.write_bytes("né,age\nx,3\n".encode("latin-1"))
    with pytest.raises(DataError, match="encoding"):
        read(path)
    with pytest.raises(UsageError, match="not known"):
        read(path, encoding="klingon")


def test_names_that_differ_only_in_case_stay_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Age,age\n1,2\n")
    assert read(path) == (("Age", "age"), [("1", "2")])


@pytest.mark.parametrize("header", ["a,a", "a,", '"",b'])
def test_duplicate_and_empty_names_are_refused(tmp_path, header):
    path = tmp_path / "t.csv"
    path.write_text(header + "\n1,2\n")
    with pytest.raises(SchemaError):
        opened(path)


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        opened(tmp_path / "nothing.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(DataError, match="is empty"):
        opened(tmp_path / "empty.csv")
    (tmp_path / "t.docx").write_text("x")
    with pytest.raises(DataError, match="ending that is not known"):
        opened(tmp_path / "t.docx")
    (tmp_path / "t.xlsx").write_text("x")
    with pytest.raises(DataError, match=r"ending that is not known; save it as CSV or Parquet \(\.csv, "):
        opened(tmp_path / "t.xlsx")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 canary")
    with pytest.raises(DataError, match="no complete Parquet file") as caught:
        opened(tmp_path / "t.parquet")
    assert "canary" not in str(caught.value)


def test_a_quote_in_the_path_is_no_trouble(tmp_path):
    path = tmp_path / "o'brien.csv"
    path.write_text("a,b\n1,2\n")
    assert read(path) == (("a", "b"), [("1", "2")])
