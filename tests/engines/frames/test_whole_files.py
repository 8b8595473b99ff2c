from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.frames.whole_files import WholeFile
from sfumato.errors import OutputError, SchemaError

TEXT = "id;age;pay;job\n007;30;1.50;cook\n008;;?;nurse\n009;41;2e3;a;b\n".replace("a;b", '"a;b"')


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text(TEXT, encoding="utf-8")
    return tmp_path / "people.csv"


def test_texts_stay_as_they_are_written(people):
    file = WholeFile.read(people)
    assert file.untyped
    assert file.table.column("id").to_pylist() == ["007", "008", "009"]
    assert file.table.column("age").to_pylist() == ["30", None, "41"]
    assert WholeFile.read(people, ["job", "id"]).table.column_names == ["job", "id"]


def test_texts_become_numbers_where_all_are(people):
    file = WholeFile.read(people).with_numbers(["age", "pay", "job"], ["?"])
    assert file.table.column("age").to_pylist() == [30, None, 41]
    assert file.table.column("pay").to_pylist() == [1.5, None, 2000.0]
    assert file.table.schema.field("job").type == pa.string()
    assert WholeFile.read(people).with_numbers(["pay"]).table.schema.field("pay").type == pa.string()


def test_what_is_not_finite_is_no_number(tmp_path):
    (tmp_path / "odd.csv").write_text("a,b\n1,inf\n2,nan\n", encoding="utf-8")
    file = WholeFile.read(tmp_path / "odd.csv").with_numbers(["a", "b"])
    assert [str(kind) for kind in file.table.schema.types] == ["int64", "string"]


def test_parquet_keeps_its_types(tmp_path):
    pq.write_table(pa.table({"a": ["1", "2"], "b": [1.5, None]}), tmp_path / "t.parquet")
    file = WholeFile.read(tmp_path / "t.parquet").with_numbers(["a", "b"])
    assert not file.untyped
    assert [str(kind) for kind in file.table.schema.types] == ["string", "double"]


def test_written_as_it_was_read(people, tmp_path):
    file = WholeFile.read(people)
    assert file.write(file.table, tmp_path / "again.csv").read_text(encoding="utf-8") == TEXT
    file.write(file.table, tmp_path / "again.parquet")
    assert pq.read_table(tmp_path / "again.parquet").equals(file.table)
    with pytest.raises(OutputError, match="no such folder"):
        file.write(file.table, tmp_path / "nowhere" / "again.csv")


def test_other_values_in_some_columns(people):
    file = WholeFile.read(people)
    typed = file.with_numbers(["age", "pay"], ["?"]).table
    made = file.with_columns(typed.set_column(1, "age", pa.array([1, None, 3])), ["age", "pay"], typed)
    assert made.to_pydict() == {
        "id": ["007", "008", "009"],
        "age": ["1", None, "3"],
        "pay": ["1.5", "?", "2000"],
        "job": ["cook", "nurse", "a;b"],
    }
    gone = file.with_missing(["job", "pay"], ["nurse"]).table
    assert gone["job"].to_pylist() == ["cook", None, "a;b"]
    assert gone["pay"].to_pylist() == ["1.50", "?", "2e3"]


def test_an_unknown_column(people):
    with pytest.raises(SchemaError, match="did you mean 'age'"):
        WholeFile.read(people, ["agee"])
