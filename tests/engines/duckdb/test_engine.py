"""The engine's verbs over files and frames, against plain counting in Python."""

import datetime
import traceback
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.kinds import Kind
from sfumato.engines.base import Encoding
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.errors import DataError, SchemaError
from tests.examples import examples

TEXTS = st.text(alphabet="ab'\"é ,", max_size=3)
WIDE = pa.table(
    {
        "Full Name": ["Ann", "Bob", None, "Ann"],
        "marital-status": ["x", "y", "x", "x"],
        "n": pa.array([3, None, -2, 3], pa.int64()),
        "weight": pa.array([1.5, float("nan"), None, 1.5]),
        "born": pa.array([datetime.date(2000, 1, 2), None, datetime.date(1999, 12, 31), datetime.date(2000, 1, 2)]),
        "huge": pa.array([10**12, 5, None, 10**12]),
        "flag": pa.array([True, False, None, True]),
        "SELECT": ["1", "1", "2", "1"],
    }
)


def encoding(values):
    """Values whose codes are ten times their places, so that the two cannot be mixed up."""
    return Encoding(values, np.arange(len(values), dtype=np.int32) * 10)


def counted(engine, columns):
    found = engine.count(columns)
    rows = Counter()
    for row, count in enumerate(found.counts):
        rows[tuple(found.raw[name][found.codes[name][row]] for name in columns)] += int(count)
    return rows


def expected(table, columns):
    def text(value):
        if value is None or value != value:
            return None
        return str(value).lower() if isinstance(value, bool) else str(value)

    lists = [table.column(name).to_pylist() for name in columns]
    return Counter(tuple(text(value) for value in row) for row in zip(*lists, strict=True))


@pytest.mark.parametrize("columns", [["n"], ["Full Name", "n"], WIDE.column_names, ["SELECT", "marital-status"]])
def test_counts_distinct_rows_of_any_type_and_name(columns, tmp_path):
    pq.write_table(WIDE, tmp_path / "wide.parquet")
    for engine in (DuckdbEngine.over_frame(WIDE), DuckdbEngine.over_file(tmp_path / "wide.parquet")):
        assert counted(engine, columns) == expected(WIDE, columns)


@given(st.lists(st.tuples(st.none() | TEXTS, st.none() | st.integers(-5, 5)), min_size=1))
@examples(50)
def test_counting_is_a_group_by_that_keeps_missing_values(rows):
    table = pa.table(
        {"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.int32())}
    )
    assert counted(DuckdbEngine.over_frame(table), ["a", "b"]) == expected(table, ["a", "b"])


def test_many_wide_columns_do_not_overflow_the_key():
    rng = np.random.default_rng(1)
    table = pa.table({f"c{i}": rng.integers(0, 1000, 500) for i in range(12)})
    assert counted(DuckdbEngine.over_frame(table), table.column_names) == expected(table, table.column_names)


def test_sizes_of_groups_are_counts_of_counts(tmp_path):
    rng = np.random.default_rng(2)
    table = pa.table({"a": rng.integers(0, 9, 300), "b": [f"v{n}" for n in rng.integers(0, 9, 300)]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{r['a']},{r['b']}" for r in table.to_pylist()) + "\n")
    wanted = Counter(expected(table, ["a", "b"]).values())
    for name in ("t.parquet", "t.csv"):
        for by_hash in (False, True):
            sizes, how_many, _ = DuckdbEngine.over_file(tmp_path / name).group_sizes(["a", "b"], by_hash=by_hash)
            assert dict(zip(sizes.tolist(), how_many.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("text", ["*", None])
def test_filled_records_are_left_out_and_others_with_missing_values_stay(text, tmp_path):
    table = pa.table({"a": ["x", text, text, "*", None], "b": ["1", text, text, None, "*"], "c": range(5)})
    pq.write_table(table, tmp_path / "t.parquet")
    for engine in (DuckdbEngine.over_frame(table), DuckdbEngine.over_file(tmp_path / "t.parquet")):
        rest = engine.without_filled(["a", "b"], text)
        kept = table.take([0, 3, 4])
        assert engine.filled(["a", "b"], text) == 2
        assert engine.group_sizes(["a", "b"], filled_with=[text, "other"]).filled == (2, 0)
        assert rest.group_sizes(["a", "b"], filled_with=[text]).filled == (0,)
        assert engine.group_sizes(["a", "b"], filled_with=[text], by_hash=True).filled == (2,)
        assert counted(rest, ["a", "b"]) == expected(kept, ["a", "b"])
        assert counted(engine, ["a", "b"]) == expected(table, ["a", "b"])
        assert [batch.plain["c"].to_pylist() for batch in rest.rows({}, plain=["c"])] == [[0, 3, 4]]
        assert rest.filled(["a", "b"], text) == 0


def test_rows_come_in_order_as_places_among_given_values(tmp_path):
    values = [f"v{n % 7}" if n % 11 else None for n in range(300_000)]
    pq.write_table(pa.table({"v": values, "n": range(300_000)}), tmp_path / "t.parquet", row_group_size=10_000)
    given_values = ["v3", None, "v1", "v0", "v2", "v4", "v5"]
    engine = DuckdbEngine.over_file(tmp_path / "t.parquet")
    batches = list(engine.rows({"v": encoding(given_values)}, plain=["n"]))
    assert len(batches) > 1
    numbers = pa.chunked_array([batch.plain["n"] for batch in batches]).to_pylist()
    assert numbers == list(range(300_000))
    places = np.concatenate([batch.codes["v"] for batch in batches])
    place = {value: index for index, value in enumerate(given_values)}
    assert places.tolist() == [place[value] * 10 if value in place else -1 for value in values]


def test_whole_numbers_that_were_not_given_are_told_apart_from_missing_ones():
    engine = DuckdbEngine.over_frame(pa.table({"n": pa.array([5, None, 7, 6, 900], pa.int16())}))
    (batch,) = engine.rows({"n": encoding(["7", "5", None])})
    assert batch.codes["n"].tolist() == [10, 20, 0, -1, -1]
    (batch,) = engine.rows({"n": encoding(["7", "5"])})
    assert batch.codes["n"].tolist() == [10, -1, 0, -1, -1]


def test_kinds(tmp_path):
    engine = DuckdbEngine.over_frame(WIDE)
    kinds = [engine.kind(name) for name in WIDE.column_names]
    number, date, text = Kind.NUMBER, Kind.DATE, Kind.TEXT
    assert kinds == [text, text, number, number, date, number, text, text]
    (tmp_path / "t.csv").write_text("a\n1\n")
    assert DuckdbEngine.over_file(tmp_path / "t.csv").kind("a") is None


def test_categories_are_texts_whatever_they_look_like():
    frame = pa.table({"c": pa.array(["[0, 10)", "LIST", None, "LIST"]).dictionary_encode()})
    engine = DuckdbEngine.over_frame(frame)
    assert engine.kind("c") is Kind.TEXT
    assert counted(engine, ["c"]) == {("[0, 10)",): 1, ("LIST",): 2, (None,): 1}


def test_nested_columns_cannot_be_judged():
    engine = DuckdbEngine.over_frame(pa.table({"secrets": [["canary"]]}))
    with pytest.raises(SchemaError, match="nested") as caught:
        engine.kind("secrets")
    assert "canary" not in str(caught.value)


def test_refuses_over_budget_and_over_the_limit_of_values():
    engine = DuckdbEngine.over_frame(pa.table({"id": range(100)}))
    with pytest.raises(DataError, match="more than 10 distinct combinations"):
        engine.count(["id"], budget=10)
    with pytest.raises(SchemaError, match="more than 10 different values"):
        engine.domains(["id"], limit=10)
    assert len(engine.domains(["id"], limit=100)["id"]) == 100


def test_damaged_files_are_named_but_not_quoted(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("name,age\nAnn,3\ncanary,4,5,6\n" + "Bob,4\n" * 20)
    engine = DuckdbEngine.over_file(path)
    with pytest.raises(DataError, match=r"'broken\.csv' cannot be read") as caught:
        engine.count(["name", "age"])
    assert "canary" not in str(caught.value)
    assert "another number of values" in str(caught.value)
    assert "line 3" in str(caught.value)
    assert "canary" not in "".join(traceback.format_exception(caught.value))
    assert "canary" not in str(caught.value.__context__)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("records", [10, 1000, 200_000])
def test_spread_records_are_from_everywhere_and_in_order(tmp_path, records, kind):
    """Of n records, the places of a random sample are off those of an even one by n / sqrt(records) at most, or so."""
    how_many = 150_000
    frame = pa.table({"place": range(how_many), "value": [str(at) if at % 5 else None for at in range(how_many)]})
    if kind == "csv":
        pa_csv.write_csv(frame, tmp_path / "t.csv")
    else:
        pq.write_table(frame, tmp_path / "t.parquet", row_group_size=20_000)
    over_file = DuckdbEngine.over_file
    engine = DuckdbEngine.over_frame(frame) if kind == "frame" else over_file(tmp_path / f"t.{kind}")
    found = engine.spread(records)
    places = [int(found.raw["place"][code]) for code in found.codes["place"]]
    assert len(places) == min(records, how_many)
    assert places == sorted(set(places))
    even = np.linspace(0, how_many, len(places) + 2)[1:-1]
    assert np.abs(places - even).max() < 1.5 * how_many / len(places) ** 0.5
    values = [str(place) if place % 5 else None for place in places]
    assert [found.raw["value"][code] for code in found.codes["value"]] == values
    again = engine.without(["place"]).spread(records)
    assert list(again.raw) == ["value"]
    assert [again.raw["value"][code] for code in again.codes["value"]] == values
    assert again.counts.tolist() == [1] * len(places)


def test_nested_and_binary_values_are_not_comparable():
    table = pa.table({"text": ["a"], "number": [1], "list": [[1]], "pair": [{"a": 1}], "bytes": [b"a"]})
    engine = DuckdbEngine.over_frame(table)
    assert [name for name in table.column_names if engine.is_comparable(name)] == ["text", "number"]
