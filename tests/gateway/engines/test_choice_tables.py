from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.choice_tables import ChoiceTables

COLUMNS = ["age.choice", "zip.choice"]


@pytest.fixture
def con() -> Iterator[Any]:
    with duckdb.connect() as con:
        yield con


def keep(con: Any, rows: pa.Table) -> None:
    con.register("sfumato: rows", rows)
    ChoiceTables(con).set("hr.people", "id", "INTEGER", rows, COLUMNS)
    con.unregister("sfumato: rows")


def test_choices_are_kept_column_by_column(con: Any) -> None:
    assert ChoiceTables(con).columns("hr.people") == []
    keep(con, pa.table({"id": [1, 2], "age.choice": [1, 2]}))
    keep(con, pa.table({"zip.choice": [3], "id": [2]}))
    keep(con, pa.table({"id": [1, 3], "age.choice": pa.array([None, 0], pa.int8())}))
    assert ChoiceTables(con).columns("hr.people") == COLUMNS
    found = con.execute('SELECT id, "age.choice", "zip.choice" FROM sfumato_choices."hr.people" ORDER BY id').fetchall()
    assert found == [(1, None, None), (2, 2, 3), (3, 0, None)]


@pytest.mark.parametrize("names", [["id"], ["age.choice"], ["id", "age"], ["id", "age.choice", "income.choice"]])
def test_other_columns_are_refused(con: Any, names: list[str]) -> None:
    with pytest.raises(DataError, match=r"'age\.choice'"):
        keep(con, pa.table({name: [1] for name in names}))
