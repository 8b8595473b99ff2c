"""Frames whose records are nearly all different are taken record by record; the answer is the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.algorithms import Mondrian, TopDownRefinement
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.engines.duckdb import dictionaries
from sfumato.engines.duckdb.dictionaries import Dictionaries
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.models import KAnonymity

SCHEMA = Schema.of(quasi=["age", "town", "code"], target=["class"], kinds={"code": "text"})


@pytest.fixture
def frame() -> pa.Table:
    random = np.random.default_rng(2)
    towns = [None if row % 17 == 0 else str(town) for row, town in enumerate(random.integers(0, 30, 400))]
    return pa.table(
        {
            "age": random.integers(0, 90, 400),
            "town": towns,
            "code": [f"0{code}" for code in random.integers(0, 50, 400)],
            "note": [f"note {row}" for row in range(400)],
            "class": random.choice(["x", "y"], 400),
        }
    )


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every frame were large."""
    monkeypatch.setattr(dictionaries, "_ENOUGH", 1)
    monkeypatch.setattr(dictionaries, "_SAMPLE", 200)
    monkeypatch.setattr(dictionaries, "_BATCH", 150)


def counted(table: Table) -> dict[tuple, int]:
    found: dict[tuple, int] = {}
    for row in range(len(table)):
        key = tuple(table.domains[name].texts[codes[row]] for name, codes in table.codes.items())
        found[key] = found.get(key, 0) + int(table.counts[row])
    return found


@pytest.mark.usefixtures("eager")
def test_the_same_table_record_by_record(frame: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = Table.from_frame(frame, SCHEMA)
    assert len(apart) == 400
    monkeypatch.setattr(dictionaries, "_ENOUGH", 10**9)
    together = Table.from_frame(frame, SCHEMA)
    assert len(together) == len(counted(together))
    assert counted(apart) == counted(together)
    assert {name: d.texts for name, d in apart.domains.items()} == {n: d.texts for n, d in together.domains.items()}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("algorithm", [TopDownRefinement(), Mondrian()], ids=str)
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_the_same_release(frame: pa.Table, algorithm, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"arrow": frame, "pandas": frame.to_pandas(), "polars": pl.from_arrow(frame)}[kind]
    one = algorithm.anonymize(Table.from_frame(given, SCHEMA), KAnonymity(k=8)).frame()
    monkeypatch.setattr(dictionaries, "_ENOUGH", 10**9)
    other = algorithm.anonymize(Table.from_frame(given, SCHEMA), KAnonymity(k=8)).frame()
    assert type(one) is type(given)
    same = one.equals(other) if kind != "pandas" else pd.testing.assert_frame_equal(one, other) is None
    assert same


@pytest.mark.usefixtures("eager")
def test_records_that_repeat_are_counted() -> None:
    frame = pa.table({"age": [1, 2] * 300, "town": ["a"] * 600, "code": ["b"] * 600, "class": ["x"] * 600})
    assert len(Table.from_frame(frame, SCHEMA)) == 2


@pytest.mark.usefixtures("eager")
def test_other_types_are_left_to_the_engine(frame: pa.Table) -> None:
    odd = frame.append_column("paid", pa.array(np.linspace(0, 1, 400)))
    assert not Dictionaries(odd).suit(["age", "paid"])
    assert not Dictionaries(odd).mostly_different(["paid"])
    schema = Schema.of(quasi=["paid"])
    assert Table.from_frame(odd, schema).records == 400


@pytest.mark.usefixtures("eager")
def test_a_value_that_was_not_given_has_no_code(frame: pa.Table) -> None:
    engine = DuckdbEngine.over_frame(frame)
    table = Table.from_source(engine, SCHEMA)
    encoding = table.encodings["code"]
    short = type(encoding)(encoding.raw[1:], encoding.codes[1:])
    (codes,) = {tuple(records.codes) for records in engine.rows({"code": short}, plain=["note"])}
    assert codes == ("code",)
    missing = sum(int((records.codes["code"] < 0).sum()) for records in engine.rows({"code": short}))
    assert missing == sum(text == encoding.raw[0] for text in frame["code"].to_pylist())
    notes = [
        note for records in engine.rows({"code": short}, plain=["note"]) for note in records.plain["note"].to_pylist()
    ]
    assert notes == frame["note"].to_pylist()
