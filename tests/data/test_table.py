"""Tables: distinct rows with counts, whatever they were read from, in the order of their values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.datasets.hospital import ROWS
from sfumato.errors import DataError, SchemaError

SCHEMA = Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Disease"])


class Stream:
    """Nothing but the one method that Arrow asks for."""

    def __init__(self, rows: dict[str, list[str]]) -> None:
        self.table = pa.table(rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def records(table: Table) -> list[tuple[str | None, ...]]:
    """Every record as texts, sorted."""
    columns = [[table.domain(name).texts[code] for code in table.codes[name]] for name in table.schema.judged]
    rows = zip(*columns, table.counts.tolist(), strict=True)
    found = [tuple(cells) for *cells, often in rows for _ in range(often)]
    return sorted(found, key=lambda row: tuple("" if cell is None else cell for cell in row))


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, Stream],
    ids=["pandas", "polars", "pyarrow", "anything that streams Arrow"],
)
def test_every_frame_gives_the_same_table(make) -> None:
    table = Table.from_frame(make(ROWS), SCHEMA)
    assert records(table) == records(Table.of_rows(SCHEMA, ROWS))
    assert (len(table), table.records) == (6, 7)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_every_file_gives_the_same_table(name: str, tmp_path: Path) -> None:
    frame, path = pd.DataFrame(ROWS), tmp_path / name
    frame.to_csv(path, index=False) if name.endswith("csv") else frame.to_parquet(path)
    assert records(Table.read(path, SCHEMA)) == records(Table.of_rows(SCHEMA, ROWS))


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1", "2", "10", None])), min_size=1, max_size=12))
def test_counts_are_how_often_a_row_occurs(rows: list[tuple[str, str | None]]) -> None:
    columns = dict(zip(("town", "age"), map(list, zip(*rows, strict=True)), strict=True))
    table = Table.of_rows(Schema.of(quasi=["town", "age"]), columns)
    assert len(table) == len(set(rows))
    assert table.records == len(rows)
    ages = table.domain("age")
    present = [text for text in ages.texts if text is not None]
    assert present == sorted(present, key=int)
    assert table.histogram("age").sum() == len(rows)


def test_a_missing_value_is_a_value_with_the_last_code() -> None:
    """Four, one and four records: whoever drops the missing one reports groups of four."""
    table = Table.of_rows(Schema.of(quasi=["q"]), {"q": ["1"] * 4 + [None] + ["2"] * 4})
    assert table.domain("q").texts == ("1", "2", None)
    assert sorted(np.bincount(table.group_numbers(["q"]), weights=table.counts).tolist()) == [1, 4, 4]


def test_numbers_written_differently_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("age\n007\n7\n7.0\n8\n")
    table = Table.read(path, Schema.of(quasi=["age"]))
    assert table.domain("age").texts == ("7", "8")
    assert table.counts.tolist() == [3, 1]


def test_codes_cannot_be_swapped_under_it() -> None:
    with pytest.raises(TypeError):
        hospital().codes["Sex"] = np.zeros(6, dtype=np.int32)  # type: ignore[index]


def test_rows_can_be_left_out_and_put_in_another_order() -> None:
    table = hospital()
    assert table.rows_where(table.counts > 1).records == 2
    back = table.rows_at(np.arange(len(table))[::-1])
    assert records(back) == records(table)


def test_what_cannot_be_a_table_is_refused() -> None:
    with pytest.raises(SchemaError, match="no column 'Jub'; did you mean 'Job'"):
        Table.from_frame(pd.DataFrame(ROWS), Schema.of(quasi=["Jub"]))
    with pytest.raises(SchemaError, match="nothing to protect"):
        Table.from_frame(pd.DataFrame(ROWS), Schema.of(identifiers=["Job"]))
    with pytest.raises(DataError, match="holds no records"):
        Table.from_frame(pd.DataFrame(ROWS).head(0), SCHEMA)
