from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Doubt, Range, Scalar, WeakerText

NONE = exp.null()
OUTPUTS = (
    Output("id", Scalar(NONE, doubt=Doubt.NONE), ("id",)),
    Output("income", Range(NONE, NONE, doubt=Doubt.ABSENCE), ("income.lo", "income.hi")),
    Output("name", WeakerText(NONE, NONE, doubt=Doubt.ABSENCE), ("name", "name.exact")),
    Output("id", Scalar(NONE, doubt=Doubt.NONE), ("id",)),
)


def answer(*rows) -> Answer:
    names = ["id", "income.lo", "income.hi", "name", "name.exact", "id"]
    columns = [pa.array(list(column)) for column in zip(*rows, strict=True)]
    return Answer(pa.table(columns, names=names), OUTPUTS, "Marketing")


def test_weaker_values_are_written_out() -> None:
    found = answer((1, 20, 29, "A", False, 1), (2, 56, 56, "Bob", True, 2), (3, None, None, None, None, 3))
    assert found.rows() == [(1, "20-29", "A", 1), (2, "56", "Bob", 2), (3, None, None, 3)]
    assert found.table.column_names == ["id", "income", "name", "id_2"]
    assert len(found) == 3


def test_a_few_rows_are_the_same_with_and_without_a_table() -> None:
    given = [(1, 20, 29, "A", False, 1), (2, 56, 56, "Bob", True, 2), (3, None, None, None, None, 3)]
    few, through_a_table = answer(*given), answer(*given)
    assert through_a_table.table.num_rows == 3
    assert few.rows() == through_a_table.rows()
    assert few.names == through_a_table.table.column_names
    many = answer(*given * 20)
    assert many.rows() == few.rows() * 20


def test_frames() -> None:
    found = answer((1, 20, 29, "A", False, 1))
    assert found.to_pandas().to_dict("list") == {"id": [1], "income": ["20-29"], "name": ["A"], "id_2": [1]}
    assert found.to_polars().rows() == [(1, "20-29", "A", 1)]


def test_the_type_of_a_column_does_not_depend_on_the_rows() -> None:
    exact, weaker = answer((1, 5, 5, "A", True, 1)), answer((1, 5, 9, "A", True, 1))
    assert exact.table.schema == weaker.table.schema


def test_no_rows() -> None:
    kinds = [pa.int64(), pa.int64(), pa.int64(), pa.string(), pa.bool_(), pa.int64()]
    flat = pa.table([pa.array([], kind) for kind in kinds], names=["a", "b", "c", "d", "e", "f"])
    assert Answer(flat, OUTPUTS, "Marketing").rows() == []
