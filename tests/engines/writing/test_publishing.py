"""Publishing: every record, in order, other columns untouched, nothing half-written."""

import csv
import errno
import pickle
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Exhaustive, Mdav, Mondrian, Permutation, Slicing
from sfumato.audit.audit import Audit
from sfumato.data.kinds import Kind
from sfumato.data.notations import notation_named
from sfumato.data.schema import Column, Role, Schema
from sfumato.data.table import Table
from sfumato.engines.writing import publishing, sinks
from sfumato.errors import DataError, OutputError, SchemaError, UsageError
from sfumato.masks import Rounding
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.releases.table_release import TableRelease
from sfumato.taxonomies import Flat, Intervals
from tests.examples import examples

ROWS = st.lists(
    st.tuples(st.integers(17, 25), st.sampled_from(["a", "b,c", 'd"e', "f g"]), st.sampled_from("xyz")),
    min_size=4,
    max_size=30,
)
SCHEMA = Schema.of(quasi=["age", "Full Name"], sensitive=["s"], identifiers=["id"])


def frame_of(rows):
    return pd.DataFrame(
        {
            "id": [f"person {n}" for n in range(len(rows))],
            "age": [age for age, _, _ in rows],
            "note": [f"note, {n}\n" for n in range(len(rows))],
            "Full Name": [name for _, name, _ in rows],
            "s": [value for _, _, value in rows],
            "weight": np.arange(len(rows)) / 2,
        },
        index=[f"row {n * 7 % 31}" for n in range(len(rows))],
    )


def covers(label, value):
    """Read a published label as a stranger would."""
    if label == str(value):
        return True
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return int(low) <= int(value) <= int(high)
    inner = next(csv.reader([label[1:-1]], skipinitialspace=True))
    return label.startswith("{") and str(value) in inner


@pytest.mark.parametrize("relaxed", [False, True])
@given(rows=ROWS)
@examples(25)
def test_frames_come_back_alike(relaxed, rows):
    frame = frame_of(rows)
    before = frame.copy(deep=True)
    algorithm = Mondrian(cut="median", relaxed=relaxed)
    release = algorithm.anonymize(Table.from_frame(frame, SCHEMA), KAnonymity(k=2))
    found = release.frame()
    pd.testing.assert_frame_equal(frame, before)
    assert list(found.columns) == ["age", "note", "Full Name", "s", "weight"]
    pd.testing.assert_frame_equal(found[["note", "s", "weight"]], frame[["note", "s", "weight"]])
    assert found.groupby(["age", "Full Name"]).size().min() >= 2
    for name in ("age", "Full Name"):
        assert all(covers(str(label), value) for label, value in zip(found[name], frame[name], strict=True))


def test_every_kind_of_frame_comes_back_as_its_kind():
    frame = frame_of([(20, "a", "x"), (20, "a", "y"), (30, "b", "x"), (31, "b", "x")]).reset_index(drop=True)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(frame).__arrow_c_stream__(requested_schema)

    kinds = {pd.DataFrame: frame, pl.DataFrame: pl.from_pandas(frame), pa.Table: pa.table(frame)}
    answers = {
        kind: Mondrian().anonymize(Table.from_frame(given, SCHEMA), KAnonymity(k=2)).frame()
        for kind, given in kinds.items()
    }
    for kind, answer in answers.items():
        assert isinstance(answer, kind)
    stream = Mondrian().anonymize(Table.from_frame(Stream(), SCHEMA), KAnonymity(k=2)).frame()
    assert stream.to_pylist() == answers[pa.Table].to_pylist() == answers[pl.DataFrame].to_dicts()
    assert answers[pa.Table].column("age").to_pylist() == ["20", "20", "[30, 31]", "[30, 31]"]


def test_columns_published_as_they_are_keep_their_type():
    frame = pa.table({"age": [1, 1, 2, 2], "job": ["a", "b", "a", "b"]})
    release = Mondrian().anonymize(Table.from_frame(frame, Schema.of(quasi=["age", "job"])), KAnonymity(k=2))
    assert release.frame().column("age").type == pa.int64()
    assert release.frame().column("job").to_pylist() == ["{a, b}"] * 4


def suppressing(frame):
    schema = Schema.of(quasi=["age"], sensitive=["s"], taxonomies={"age": Intervals(width=10)})
    return Exhaustive().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2), suppression=0.3)


def test_suppressed_records_are_rows_of_nothing(tmp_path):
    frame = pa.table({"age": [20, 20, 20, 77], "s": ["x", "x", "y", "z"], "note": ["n1", "n2", "n3", "n4"]})
    release = suppressing(frame)
    assert release.frame().to_pylist()[3] == {"age": None, "s": None, "note": None}
    assert release.frame().to_pylist()[0] == {"age": 20, "s": "x", "note": "n1"}
    release.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "age,s,note\n20,x,n1\n20,x,n2\n20,y,n3\n*,*,*\n"
    release.write(tmp_path / "r.parquet")
    assert pq.read_table(tmp_path / "r.parquet").to_pylist()[3] == {"age": None, "s": None, "note": None}


def test_what_only_suppressed_records_have_is_not_even_listed(tmp_path):
    frame = pa.table({"zip": list("AAAABBBB"), "job": list("xxxxyyyy"), "s": ["secret"] * 4 + list("uvuv")})
    table = Table.from_frame(frame, Schema.of(quasi=["zip", "job"], sensitive=["s"]))
    release = Slicing(companions=1).anonymize(table, DistinctLDiversity(l=2), suppression=0.5)
    assert release.candidate.suppressed_records == 4
    path = release.write(tmp_path / "r.parquet")
    assert sorted(pq.read_table(path).column("s").chunk(0).dictionary.to_pylist()) == ["u", "v"]
    assert b"secret" not in path.read_bytes()
    assert sorted(value for value in release.frame().column("s").to_pylist() if value) == list("uuvv")


@pytest.mark.parametrize("kind", ["text", "number"])
def test_the_table_of_buckets_has_no_value_of_a_suppressed_record(kind: str, tmp_path: Path) -> None:
    """The bucket of the one record with this value is suppressed; the domain of the column still has it."""
    canary = {"text": "a canary in a coal mine", "number": 987_654_321}[kind]
    others = [f"illness {value}" for value in "ababacc"] if kind == "text" else [1, 2, 1, 2, 1, 3, 3]
    frame = pa.table({"age": list(range(8)), "s": [*others, canary]})
    table = Table.from_frame(frame, Schema.of(quasi=["age"], sensitive=["s"]))
    made = Anatomy().anonymize(table, DistinctLDiversity(l=2))
    gone = made.candidate.published.codes["s"] == table.domain("s").texts.index(str(canary))
    assert gone.sum() == 1
    release = TableRelease(made.candidate.suppressing(gone), made.verdicts, made.provenance)
    secrets = publishing.sensitive_table(release.parts["sensitive"])
    column = secrets.column("s").combine_chunks()
    listed = column.dictionary if kind == "text" else column
    assert len(listed)
    assert canary not in listed.to_pylist()
    release.write(tmp_path / "r.parquet", sensitive_table=tmp_path / "s.parquet")
    stored = (tmp_path / "s.parquet").read_bytes() + (tmp_path / "r.parquet").read_bytes()
    assert (canary.encode() if kind == "text" else canary.to_bytes(8, "little")) not in stored


NUMBER, LONG = 987_654_321, "a text too long to be kept beside its length"
TEXT = f"canary, {LONG}"


def _with_a_suppressed_record() -> pa.Table:
    """Records of all kinds of values, the last of which is suppressed by `suppressing`."""
    texts = pa.array([f"x, {LONG}", f"y, {LONG}", f"x, {LONG}", TEXT])
    coded = texts.dictionary_encode()
    return pa.table(
        {
            "age": [20, 20, 20, NUMBER],
            "s": texts,
            "number": [1, 2, 3, NUMBER],
            "fraction": [1.0, 2.0, 3.0, NUMBER / 2],
            "bytes": texts.cast(pa.binary()),
            "category": coded,
            "texts": pa.ListArray.from_arrays([0, 1, 2, 3, 4], texts),
            "categories": pa.ListArray.from_arrays([0, 1, 2, 3, 4], coded),
            "pair": pa.StructArray.from_arrays([texts, pa.array([1, 2, 3, NUMBER])], ["text", "number"]),
            "nested": pa.StructArray.from_arrays([pa.ListArray.from_arrays([0, 1, 2, 3, 4], coded)], ["texts"]),
        }
    )


def _bytes_of(frame: Any) -> bytes:
    """A frame as those who receive it could store it: a pickle and an Arrow file."""
    if isinstance(frame, pl.DataFrame):
        return pickle.dumps(frame) + frame.write_ipc(None, compression="uncompressed").getvalue()
    table, stored = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame), pa.BufferOutputStream()
    with pa.ipc.new_file(stored, table.schema) as writer:
        writer.write_table(table)
    return pickle.dumps(frame) + stored.getvalue().to_pybytes()


def _hidden_in(frame: Any) -> list[str]:
    """The values of the suppressed record that the bytes of a frame contain."""
    stored = _bytes_of(frame)
    traces = {"text": b"canary", "number": NUMBER.to_bytes(8, "little"), "fraction": np.float64(NUMBER / 2).tobytes()}
    return [name for name, trace in traces.items() if trace in stored]


KINDS = {"pyarrow": lambda table: table, "polars": pl.from_arrow, "pandas": lambda table: table.to_pandas()}


@pytest.mark.parametrize("kind", KINDS)
def test_no_frame_keeps_values_of_suppressed_records_in_memory(kind: str) -> None:
    frame = KINDS[kind](_with_a_suppressed_record())
    assert _hidden_in(frame) == ["text", "number", "fraction"]
    release = suppressing(frame)
    assert release.candidate.suppressed_records == 1
    assert _hidden_in(release.frame()) == _hidden_in(release.apply(frame)) == []
    assert all(len(release.frame()[name]) == 4 for name in ("number", "pair"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_frame_keeps_values_of_records_that_were_left_out_before(kind: str) -> None:
    """Slices of Arrow, also inside pandas, keep the values of other records in memory, and frames of polars texts."""
    one = _with_a_suppressed_record().drop_columns(["category", "categories", "nested"])
    frame = KINDS[kind](pa.concat_tables([one.slice(0, 3)] * 40 + [one]))
    kept = frame.set_index("s", drop=False).rename_axis("name")[:120] if kind == "pandas" else frame[:120]
    assert "text" in _hidden_in(kept)
    release = Mondrian().anonymize(
        Table.from_frame(kept, Schema.of(quasi=["age"], sensitive=["number"])), KAnonymity(k=2)
    )
    for found in (release.frame(), release.apply(kept), Rounding(base=1).mask(kept, ["number"])):
        assert found.equals(kept)
        assert _hidden_in(found) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_frame_keeps_labels_of_suppressed_records_in_memory(kind: str) -> None:
    """Numbers that are only moved are published by index, and pseudonyms replace texts."""
    table = pa.table(
        {"zip": list("AAAABBBB"), "job": list("xxxxyyyy"), "s": [NUMBER] * 4 + [1, 2] * 2, "id": [TEXT] * 4 + ["b"] * 4}
    )
    schema = Schema.of(quasi=["zip", "job"], sensitive=["s"], identifiers=["id"], pseudonyms=["id"])
    release = Slicing(companions=1).anonymize(
        Table.from_frame(KINDS[kind](table), schema), DistinctLDiversity(l=2), suppression=0.5
    )
    assert release.candidate.suppressed_records == 4
    assert _hidden_in(release.frame(pseudonyms=str)) == []


@pytest.mark.parametrize("algorithm", [Anatomy(), Permutation(), Mondrian()])
def test_missing_texts_are_missing_in_parquet_too(algorithm, tmp_path):
    frame = pa.table({"age": ["30", None, None, "31"], "s": ["x", None, "x", None]})
    table = Table.from_frame(frame, Schema.of(quasi=["age"], sensitive=["s"]))
    path = algorithm.anonymize(table, DistinctLDiversity(l=2)).write(tmp_path / "r.parquet")
    secrets = tmp_path / "r_sensitive.parquet"
    found = pq.read_table(secrets if secrets.exists() else path).column("s").to_pylist()
    assert sorted(map(str, found)) == ["None", "None", "x", "x"]


def test_csv_in_csv_out_keeps_what_is_not_generalized(tmp_path):
    text = 'id;age;note;code\n1;007;"two\nlines";00.50\n2;7;plain;1e3\n3;8;"say ""hi""";\n4;9;*;x\n'
    (tmp_path / "in.csv").write_text(text)
    schema = Schema.of(quasi=["age"], identifiers=["id"])
    release = Mondrian().anonymize(Table.read(tmp_path / "in.csv", schema), KAnonymity(k=2))
    release.write(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";"))
    assert rows == [
        ["age", "note", "code"],
        ["7", "two\nlines", "00.50"],
        ["7", "plain", "1e3"],
        ["[8, 9]", 'say "hi"', ""],
        ["[8, 9]", "*", "x"],
    ]


def test_row_order_survives_many_batches(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"n": np.arange(400_000), "q": rng.integers(0, 500, 400_000)})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=20_000)
    release = Mondrian().anonymize(Table.read(tmp_path / "in.parquet", Schema.of(quasi=["q"])), KAnonymity(k=2000))
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        found = pd.read_csv(tmp_path / name) if name.endswith("csv") else pd.read_parquet(tmp_path / name)
        assert np.array_equal(found["n"], np.arange(400_000))
        number, labels = pd.factorize(found["q"].astype(str))
        low, high = labels.str.extract(r"(\d+)\D*(\d+)?").to_numpy(dtype=float)[number].T
        values = table.column("q").to_numpy()
        assert ((low <= values) & (values <= np.where(np.isnan(high), low, high))).all()


def test_missing_values_stay_missing_and_count_as_values(tmp_path):
    (tmp_path / "in.csv").write_text("job,s\n?,x\n?,y\na,x\na,y\n")
    schema = Schema.of(quasi=["job"], sensitive=["s"], missing=["?"])
    release = Mondrian().anonymize(Table.read(tmp_path / "in.csv", schema), KAnonymity(k=2))
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "job,s\n?,x\n?,y\na,x\na,y\n"
    model = KAnonymity(k=2) & DistinctLDiversity(l=2)
    frame = pa.table({"job": [None, None, "a", "a", "b"], "s": ["x", "y", "x", "x", "y"]})
    found = Mondrian().anonymize(Table.from_frame(frame, schema), model).frame()
    assert found.column("job").to_pylist() == [None, None, "{a, b}", "{a, b}", "{a, b}"]


def test_pseudonyms_need_a_key_and_are_consistent(tmp_path):
    schema = Schema.of(quasi=["age"], identifiers=["id", "name"], pseudonyms=["id"])
    frame = pa.table({"id": ["p1", "p2", "p1", None], "name": list("abcd"), "age": [1, 1, 1, 1]})
    release = Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2))
    with pytest.raises(UsageError, match="'id' asks for pseudonyms"):
        release.write(tmp_path / "r.csv")
    release.write(tmp_path / "r.csv", pseudonyms=lambda value: value[::-1])
    assert (tmp_path / "r.csv").read_text() == "id,age\n1p,1\n2p,1\n1p,1\n,1\n"


def test_a_key_has_one_pseudonym_in_every_notation(tmp_path):
    """Persons are counted by the number, so 1.234 and 1234 are one person."""
    rows = "".join(f"{key};{age}\n" for key, age in [("1.234", 1), ("1234", 1), ("5.678", 1), ("900", 1)])
    (tmp_path / "in.csv").write_text(f"id;age\n{rows}", encoding="utf-8")
    key = Column(name="id", role=Role.PERSON, pseudonym=True, kind=Kind.NUMBER, notation=notation_named("1.234,5"))
    schema = Schema((key, Column(name="age", role=Role.QUASI)))
    release = Mondrian().anonymize(Table.read(tmp_path / "in.csv", schema), KAnonymity(k=3))
    release.write(tmp_path / "out.csv", pseudonyms=lambda value: f"p{value}")
    assert pd.read_csv(tmp_path / "out.csv", sep=";")["id"].tolist() == ["p1234", "p1234", "p5678", "p900"]


def test_a_frame_of_a_file_with_a_dropped_key_in_another_notation(tmp_path):
    lines = ["id;age;pay", "1.234,5;1;1,5", "1.234,50;1;2,25", "5.678,25;1;3,75"]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    schema = Schema.of(quasi=["age"], person="id", sensitive=["pay"])
    release = Mondrian().anonymize(Table.read(tmp_path / "in.csv", schema), KAnonymity(k=2))
    assert release.frame().to_pydict() == {"age": ["1", "1", "1"], "pay": ["1.5", "2.25", "3.75"]}


def test_frames_have_pseudonyms_too():
    schema = Schema.of(quasi=["age"], identifiers=["id"], pseudonyms=["id"])
    frame = pa.table({"id": ["p1", "p2"], "age": [1, 1]})
    release = Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2))
    with pytest.raises(UsageError, match="need a key"):
        release.frame()
    assert release.frame(pseudonyms=lambda value: value[::-1]).to_pydict() == {"id": ["1p", "2p"], "age": [1, 1]}


@pytest.mark.parametrize("algorithm", [Mondrian(), Exhaustive()], ids=str)
def test_a_decision_is_applied_to_other_records(algorithm):
    schema = Schema.of(quasi=["age"], identifiers=["id"], taxonomies={"age": Intervals(width=10)})
    frame = pd.DataFrame({"id": list("abcd"), "age": [20, 21, 35, 38], "note": list("wxyz")})
    release = algorithm.anonymize(Table.from_frame(frame, schema), KAnonymity(k=2))
    published = dict(zip(frame["age"], release.frame()["age"], strict=True))
    other = pd.DataFrame({"note": ["n"] * 3, "age": [38, 20, 38]}, index=[7, 8, 9])
    found = release.apply(other)
    assert found["age"].tolist() == [published[38], published[20], published[38]]
    assert found.index.tolist() == [7, 8, 9]
    assert release.apply(other.astype({"age": float}))["age"].tolist() == found["age"].tolist()
    with pytest.raises(SchemaError, match="no column 'age'"):
        release.apply(pd.DataFrame({"years": [38]}))


def test_values_that_were_not_there_are_refused_where_groups_were_decided():
    schema = Schema.of(quasi=["age"], taxonomies={"age": Intervals(width=10)})
    table = Table.from_frame(pd.DataFrame({"age": [20, 21, 35, 38]}), schema)
    others = pd.DataFrame({"age": [38, 99]})
    with pytest.raises(DataError, match="has 1 values that the release was not made from"):
        Mondrian().anonymize(table, KAnonymity(k=2)).apply(others)
    by_level = Exhaustive().anonymize(table, KAnonymity(k=2)).apply(others)
    assert by_level["age"].tolist() == ["[30, 40)", "[90, 100)"]


def test_a_source_that_changed_in_between_is_refused(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("age,job\n1,a\n1,a\n")
    release = Mondrian().anonymize(Table.read(path, Schema.of(quasi=["age", "job"])), KAnonymity(k=2))
    path.write_text("age,job\n1,a\n1,canary\n")
    with pytest.raises(DataError, match="the release was not made from") as caught:
        release.write(tmp_path / "out.csv")
    assert "canary" not in str(caught.value)
    assert not list(tmp_path.glob("*out*")) + list(tmp_path.glob(".*"))


@pytest.mark.parametrize("left", [[], ["1,a,x"], ["1,a,x", "2,b,y", "1,a,x"]], ids=["none", "fewer", "more"])
@pytest.mark.parametrize(
    ("algorithm", "model"), [(Mondrian(), KAnonymity(k=2)), (Anatomy(), DistinctLDiversity(l=2))], ids=["kept", "cut"]
)
def test_a_source_of_another_length_is_refused(tmp_path, algorithm, model, left):
    path = tmp_path / "in.csv"
    path.write_text("age,job,s\n1,a,x\n2,b,y\n")
    release = algorithm.anonymize(Table.read(path, Schema.of(quasi=["age", "job"], sensitive=["s"])), model)
    path.write_text("\n".join(["age,job,s", *left]) + "\n")
    with pytest.raises(DataError, match="the release was"):
        release.write(tmp_path / "out.csv")
    assert not list(tmp_path.glob("*out*")) + list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_old_output_stays_when_writing_fails(tmp_path, monkeypatch, name, failure):
    (tmp_path / name).write_text("old")
    frame = pa.table({"age": range(4)})
    release = Mondrian().anonymize(Table.from_frame(frame, Schema.of(quasi=["age"])), KAnonymity(k=2))

    for sink in (sinks.ParquetSink, sinks.CsvSink):
        whole = sink.write

        def half_way(self, batch, suppressed, whole=whole):
            whole(self, batch, suppressed)
            if batch.num_rows > 1:  # the header of a CSV file is a batch of one row
                raise failure

        monkeypatch.setattr(sink, "write", half_way)
    with pytest.raises(OutputError if isinstance(failure, OSError) else KeyboardInterrupt):
        release.write(tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_output_that_cannot_be_written_is_said_before_any_work(tmp_path):
    release = Mondrian().anonymize(
        Table.from_frame(pa.table({"age": range(4)}), Schema.of(quasi=["age"])), KAnonymity(k=2)
    )
    with pytest.raises(OutputError, match="no such folder"):
        release.write(tmp_path / "no" / "out.csv")
    with pytest.raises(UsageError, match="ending that cannot be written"):
        release.write(tmp_path / "out.docx")
    assert list(tmp_path.iterdir()) == []


NO_TEXT = {
    "list": pa.array([[1], [2], None, []]),
    "struct": pa.array([{"a": 1}] * 4),
    "map": pa.array([[("a", 1)]] * 4, pa.map_(pa.string(), pa.int64())),
    "duration": pa.array([1, 2, 3, None], pa.duration("s")),
}


@pytest.mark.parametrize("ending", ["tsv", "parquet"])
@pytest.mark.parametrize("kind", NO_TEXT)
def test_values_that_a_file_cannot_hold_are_refused_before_any_work(kind, ending, tmp_path, monkeypatch):
    frame, path = pa.table({"age": [1, 1, 2, 2], "more": NO_TEXT[kind]}), tmp_path / f"out.{ending}"
    release = Mondrian().anonymize(Table.from_frame(frame, Schema.of(quasi=["age"])), KAnonymity(k=2))
    if ending == "parquet" and kind != "duration":
        assert pq.read_table(release.write(path)).column("more").to_pylist() == frame.column("more").to_pylist()
        return
    monkeypatch.setattr(publishing.Publisher, "batches", None)
    way_out = "turn it into numbers or texts first" if kind == "duration" else "write a .parquet file"
    with pytest.raises(SchemaError, match=rf"'more' holds .*, which '{path.name}' cannot hold; {way_out}, or leave"):
        release.write(path)
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_no_text_are_refused_in_a_text_file(tmp_path):
    for value, written in ((b"text", "1,text\n1,text\n"), (b"canary\xff", None)):
        frame = pa.table({"age": [1, 1], "more": [value, value]})
        release = Mondrian().anonymize(Table.from_frame(frame, Schema.of(quasi=["age"])), KAnonymity(k=2))
        if written is not None:
            assert release.write(tmp_path / "out.csv").read_text() == f"age,more\n{written}"
            continue
        with pytest.raises(DataError, match="'more' holds bytes that are no text in UTF-8; write") as caught:
            release.write(tmp_path / "out.csv")
        assert "canary" not in f"{caught.value}{caught.value.__context__}"


def test_plain_tables_have_no_records_to_publish():
    from sfumato.datasets import hospital

    with pytest.raises(UsageError, match="plain rows"):
        Mondrian().anonymize(hospital(), KAnonymity(k=3)).frame()


def test_flat_taxonomies_publish_like_none():
    frame = pa.table({"job": ["a", "b", "c", "c"]})
    release = Mondrian(categories="taxonomy").anonymize(
        Table.from_frame(frame, Schema.of(quasi=["job"], taxonomies={"job": Flat()})), KAnonymity(k=2)
    )
    assert release.frame().column("job").to_pylist() == ["*", "*", "c", "c"]


def _of_people(records: int = 40) -> pd.DataFrame:
    ages = [20 + place * 7 % 40 for place in range(records)]
    return pd.DataFrame({"age": ages, "ill": [f"d{place % 4}" for place in range(records)]})


@pytest.mark.parametrize("algorithm", [Anatomy(), Mondrian()])
def test_an_index_that_pandas_stored_is_not_published_unless_it_is_named(algorithm, tmp_path: Path) -> None:
    frame = _of_people()
    frame.index = [place * place for place in range(len(frame))]
    frame.to_parquet(tmp_path / "people.parquet")
    schema = Schema.of(quasi=["age"], sensitive=["ill"])
    release = algorithm.anonymize(Table.read(tmp_path / "people.parquet", schema), DistinctLDiversity(l=2))
    path = release.write(tmp_path / "release.parquet")
    assert "__index_level_0__" not in pq.read_schema(path).names
    named = Schema.of(quasi=["age", "__index_level_0__"], sensitive=["ill"])
    release = Mondrian().anonymize(Table.read(tmp_path / "people.parquet", named), DistinctLDiversity(l=2))
    assert "__index_level_0__" in pq.read_schema(release.write(tmp_path / "release.parquet")).names


def test_a_named_index_is_known_by_what_pandas_says(tmp_path: Path) -> None:
    _of_people().rename_axis("row").to_parquet(tmp_path / "range.parquet")
    _of_people().set_axis([f"p{place:03}" for place in range(40)]).rename_axis("who").to_parquet(
        tmp_path / "who.parquet"
    )
    schema = Schema.of(quasi=["age"], sensitive=["ill"])
    for name in ("range", "who"):
        table = Table.read(tmp_path / f"{name}.parquet", schema)
        assert table.source.columns == ("age", "ill")


FOLLOWING = {
    "rising": list(range(40)),
    "falling": list(range(40, 0, -1)),
    "padded": [f"r{place:04}" for place in range(40)],
    "not padded": [f"P{place}" for place in range(40)],
    "decimal comma": [f" {place},5" for place in range(40)],
    "two values": ["m"] * 20 + ["f"] * 20,
    "days": pd.date_range("2020-01-01", periods=40).tolist(),
    "one swapped pair": [1, 0, *range(2, 40)],
    "two files": [*range(25), *range(15)],
    "missing values": [None if place % 4 == 0 else place for place in range(40)],
    "between other numbers": [f"{place * 17 % 41}-{place:05}-{place * 23 % 37}" for place in range(40)],
}


@pytest.mark.parametrize("numbers", FOLLOWING.values(), ids=FOLLOWING)
def test_shuffled_records_have_no_column_that_says_where_they_were(numbers: list, tmp_path: Path) -> None:
    frame = _of_people().assign(line=numbers)
    frame.to_csv(tmp_path / "people.csv", index=False)
    schema = Schema.of(quasi=["age"], sensitive=["ill"])
    for table in (Table.read(tmp_path / "people.csv", schema), Table.from_frame(frame, schema)):
        release = Anatomy().anonymize(table, DistinctLDiversity(l=2))
        with pytest.raises(DataError, match="column 'line' has no role, and its values rise or fall with the order"):
            release.write(tmp_path / "release.csv")
        with pytest.raises(DataError, match="column 'line' has no role"):
            release.frame()
    assert not (tmp_path / "release.csv").exists()
    shuffled = frame.assign(line=[place * 7 % 40 for place in range(40)])
    release = Anatomy().anonymize(Table.from_frame(shuffled, schema), DistinctLDiversity(l=2))
    assert sorted(release.frame()["line"]) == list(range(40))


def test_shuffled_records_have_no_durations_that_say_where_they_were() -> None:
    frame = _of_people().assign(line=pd.to_timedelta(range(40), unit="min"))
    table = Table.from_frame(frame, Schema.of(quasi=["age"], sensitive=["ill"]))
    with pytest.raises(DataError, match="column 'line' has no role, and its values rise or fall with the order"):
        Anatomy().anonymize(table, DistinctLDiversity(l=2)).frame()


NESTED = {
    "struct": pa.array([{"line": place} for place in range(40)]),
    "list": pa.array([[place] for place in range(40)]),
    "map": pa.array([[("line", place)] for place in range(40)], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("values", NESTED.values(), ids=NESTED)
def test_nested_values_beside_shuffled_records_are_refused_unless_they_have_a_role(
    values: pa.Array, tmp_path: Path
) -> None:
    frame = pa.table(_of_people()).append_column("visit", values)
    pq.write_table(frame, tmp_path / "people.parquet")
    schema = Schema.of(quasi=["age"], sensitive=["ill"])
    for table in (Table.read(tmp_path / "people.parquet", schema), Table.from_frame(frame, schema)):
        release = Anatomy().anonymize(table, DistinctLDiversity(l=2))
        with pytest.raises(DataError, match="column 'visit' has no role and holds nested values"):
            release.write(tmp_path / "release.parquet")
        with pytest.raises(DataError, match="column 'visit' has no role and holds nested values"):
            release.frame()
    assert not (tmp_path / "release.parquet").exists()
    dropped = Schema.of(quasi=["age"], sensitive=["ill"], identifiers=["visit"])
    release = Anatomy().anonymize(Table.from_frame(frame, dropped), DistinctLDiversity(l=2))
    assert "visit" not in release.frame().column_names
    decided = Schema((*schema.columns, Column(name="visit", role=Role.PLAIN)))
    release = Anatomy().anonymize(Table.from_frame(frame, decided), DistinctLDiversity(l=2))
    assert "visit" in release.frame().column_names
    release = Mondrian().anonymize(Table.from_frame(frame, schema), DistinctLDiversity(l=2))
    assert release.frame().column("visit").to_pylist() == values.to_pylist()


CATEGORIES = ["canary", "z", "m", "f"]


def _of_categories() -> pd.DataFrame:
    """Records of which one, with categories of its own, was left out."""
    frame = pd.DataFrame(
        {
            "town": pd.Categorical([*"zmzmzmzm", "canary"], CATEGORIES, ordered=True),
            "age": [30, 30, 40, 40, 30, 30, 40, 40, 30],
            "ill": pd.Categorical([*"fmfmfmfm", "canary"], CATEGORIES),
            "note": pd.Categorical([*"ffffmmm", None, "canary"], CATEGORIES, ordered=True),
        }
    )
    return frame[frame["note"] != "canary"]


BY_CATEGORY = Schema.of(quasi=["town", "age"], sensitive=["ill"])


def test_categories_of_pandas_are_those_of_published_records() -> None:
    frame = _of_categories()
    release = Mondrian().anonymize(Table.from_frame(frame, BY_CATEGORY), KAnonymity(k=2))
    applied = release.apply(frame[frame["town"] == "z"])
    for found, towns, notes in ((release.frame(), ["z", "m"], ["m", "f"]), (applied, ["z"], ["m", "f"])):
        assert found["town"].cat.categories.tolist() == towns
        assert found["note"].cat.categories.tolist() == notes
        assert (found["town"].cat.ordered, found["ill"].cat.ordered, found["note"].cat.ordered) == (True, False, True)
    assert release.frame()["ill"].cat.categories.tolist() == ["m", "f"]
    assert applied["ill"].cat.categories.tolist() == ["f"]
    assert release.frame().astype(object).equals(frame.astype(object))
    assert frame["town"].cat.categories.tolist() == CATEGORIES


@pytest.mark.parametrize("levels", [["town"], ["town", "note"]])
def test_an_index_of_categories_has_those_of_published_records(levels: list[str]) -> None:
    frame = _of_categories().set_index(levels)
    table = Table.from_frame(frame, Schema.of(quasi=["age"], sensitive=["ill"]))
    index = Mondrian().anonymize(table, KAnonymity(k=2)).frame().index
    assert index.names == levels
    assert index.tolist() == frame.index.tolist()
    assert b"canary" not in pickle.dumps(index)


def _enums(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("town", "ill", "note").cast(pl.String).cast(pl.Enum(CATEGORIES)))


@pytest.mark.parametrize("typed", [_enums, lambda frame: frame], ids=["enum", "categorical"])
def test_categories_of_polars_are_those_of_published_records(typed: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    frame = typed(pl.from_pandas(_of_categories()))
    release = Mondrian().anonymize(Table.from_frame(frame, BY_CATEGORY), KAnonymity(k=2))
    found, applied = release.frame(), release.apply(frame.filter(pl.col("town") == "z"))
    assert found.with_columns(pl.col("town", "ill", "note").cast(pl.String)).rows() == frame.rows()
    assert b"canary" not in pickle.dumps(found) + pickle.dumps(applied)
    assert [type(kind) for kind in found.dtypes] == [type(kind) for kind in frame.dtypes]
    if typed is _enums:
        assert found.schema["town"] == pl.Enum(["z", "m"])
        assert found.schema["ill"] == found.schema["note"] == pl.Enum(["m", "f"])
        assert (applied.schema["town"], applied.schema["ill"]) == (pl.Enum(["z"]), pl.Enum(["f"]))


def test_nested_categories_are_published_as_texts() -> None:
    frame = _enums(pl.from_pandas(_of_categories())).with_columns(
        many=pl.concat_list("note", "ill"), pair=pl.struct("ill", "age"), other=pl.struct("age")
    )
    found = Mondrian().anonymize(Table.from_frame(frame, BY_CATEGORY), KAnonymity(k=2)).frame()
    assert found.schema["many"] == pl.List(pl.String)
    assert found.schema["pair"] == pl.Struct({"ill": pl.String, "age": pl.Int64})
    assert found.rows() == frame.rows()
    assert b"canary" not in pickle.dumps(found)


@pytest.mark.parametrize("algorithm", [Mondrian(), Anatomy()], ids=str)
def test_dictionaries_of_arrow_have_only_values_of_published_records(algorithm: Any, tmp_path: Path) -> None:
    frame = _of_categories()
    coded = pa.Table.from_pandas(frame, preserve_index=False)
    stored = frame.astype({"note": pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string(), ordered=True))})
    for kind in (coded, stored):
        release = algorithm.anonymize(Table.from_frame(kind, BY_CATEGORY), DistinctLDiversity(l=2))
        found = release.frame()
        found = found if isinstance(found, pa.Table) else pa.Table.from_pandas(found, preserve_index=False)
        for name in found.column_names:
            dictionaries = [
                getattr(chunk, "dictionary", pa.array([])).to_pylist() for chunk in found.column(name).chunks
            ]
            assert "canary" not in str(dictionaries)
        assert Counter(found.column("note").to_pylist()) == {"f": 4, "m": 3, None: 1}
        path = release.write(tmp_path / "release.parquet")
        assert b"canary" not in path.read_bytes()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_centroids_of_dates_that_are_stored_as_texts_are_texts(ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"day": ["2020-10-21", "2020-10-23", "2021-01-01", "2021-01-05"], "x": ["1", "2", "3", "4"]})
    schema = Schema.of(quasi=["day", "x"], kinds={"day": "date", "x": "number"})
    path = tmp_path / f"days.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    tables = [Table.from_frame(frame, schema), Table.read(path, schema)]
    for table in tables:
        release = Mdav().anonymize(table, KAnonymity(k=2))
        release.write(tmp_path / "release.parquet")
        found = pq.read_table(tmp_path / "release.parquet").to_pydict()
        assert sorted(set(found["day"])) == ["2020-10-22", "2021-01-03"]


def test_a_missing_value_in_the_only_column_is_no_blank_line(tmp_path):
    """Readers such as pandas skip blank lines, so the records would be lost."""
    (tmp_path / "t.csv").write_text('age,id\n20,1\n,2\n20,3\n"",4\n')
    schema = Schema.of(quasi=["age"], identifiers=["id"])
    release = Mondrian().anonymize(Table.read(tmp_path / "t.csv", schema), KAnonymity(k=2))
    release.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == 'age\n20\n""\n20\n""\n'
    assert pd.read_csv(tmp_path / "r.csv")["age"].isna().tolist() == [False, True, False, True]
    again = Table.read(tmp_path / "r.csv", Schema.of(quasi=["age"]))
    assert (again.records, again.domain("age").texts) == (4, ("20", None))


PAID = [f"{1 + place % 4}.{place:03},{50 + place % 2}" for place in range(40)]


@pytest.fixture
def payments(tmp_path: Path) -> Table:
    """Quasi, sensitive and target columns in other notations than the standard one."""
    days = [f"{1 + place % 28:02}.03.{1950 + place % 20}" for place in range(len(PAID))]
    lines = [f"{day};{paid};{1 + place % 3}/2020" for place, (day, paid) in enumerate(zip(days, PAID, strict=True))]
    (tmp_path / "payments.csv").write_text("\n".join(["born;paid;last", *lines]) + "\n")
    return Table.read(tmp_path / "payments.csv", Schema.of(quasi=["born"], sensitive=["paid"], target=["last"]))


def test_numbers_and_dates_are_published_in_the_standard_notation(payments: Table, tmp_path: Path) -> None:
    release = Mondrian().anonymize(payments, KAnonymity(k=4))
    release.write(tmp_path / "release.csv")
    rows = list(csv.DictReader((tmp_path / "release.csv").read_text().splitlines(), delimiter=";"))
    expected = [f"{float(paid.replace('.', '').replace(',', '.')):g}" for paid in PAID]
    assert [row["paid"] for row in rows] == expected
    assert [row["last"] for row in rows] == [f"2020-{1 + place % 3:02}" for place in range(40)]
    assert all(re.fullmatch(r"\[\d{4}-\d\d-\d\d, \d{4}-\d\d-\d\d]", row["born"]) for row in rows)
    again = Audit.of_file(tmp_path / "release.csv", quasi=["born"], sensitive=["paid"])
    assert again.smallest == release.groups.sizes.min()


@pytest.mark.parametrize("algorithm", [Anatomy(), Permutation()])
def test_buckets_have_values_in_the_standard_notation(payments: Table, tmp_path: Path, algorithm: Any) -> None:
    release = algorithm.anonymize(payments, DistinctLDiversity(l=4))
    release.write(tmp_path / "release.csv")
    text = "".join(path.read_text() for path in tmp_path.glob("release*.csv"))
    assert "1000.5" in text
    assert "1.000,50" not in text


def test_another_frame_is_read_in_the_notation_of_the_release(payments: Table) -> None:
    release = Mondrian().anonymize(payments, KAnonymity(k=4))
    other = pa.table({"born": ["07.03.1956"], "paid": ["1.000,50"], "last": ["2/2020"]})
    (row,) = release.apply(other).to_pylist()
    assert (row["paid"], row["last"]) == ("1000.5", "2020-02")
    low, high = row["born"].strip("[]").split(", ")
    assert low <= "1956-03-07" <= high
