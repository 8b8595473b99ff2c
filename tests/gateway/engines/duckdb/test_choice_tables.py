from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.duckdb.choice_tables import ChoiceTables
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord

COLUMNS = ["age.choice", "zip.choice"]


@pytest.fixture
def con() -> Iterator[Any]:
    with duckdb.connect() as con:
        yield con


def keep(con: Any, rows: pa.Table) -> None:
    con.register("sfumato: rows", rows)
    ChoiceTables(con).set("hr.people", "id", "INTEGER", rows, COLUMNS, ChoiceAuthor("ann", "root"))
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


def history(con: Any, key: str) -> list[tuple[str, str, str, str]]:
    found = ChoiceTables(con).history("hr.people", key)
    assert all(isinstance(one, ChoiceRecord) and one.at.tzinfo is UTC for one in found)
    assert [one.at for one in found] == sorted(one.at for one in found)
    return [(one.column, one.choice, one.entered_by, one.login) for one in found]


def test_what_changes_is_kept_as_history(con: Any) -> None:
    assert ChoiceTables(con).history("hr.people", "1") == []
    ChoiceTables(con).keep_names(["all", "some"], write=True)
    keep(con, pa.table({"id": [1, 2], "age.choice": [1, 2]}))
    keep(con, pa.table({"id": [1, 2], "age.choice": [1, 1], "zip.choice": pa.array([None, 9], pa.int16())}))
    keep(con, pa.table({"id": [1], "age.choice": pa.array([None], pa.int16())}))
    keep(con, pa.table({"id": [1], "age.choice": pa.array([0], pa.int16())}))
    assert history(con, "1") == [("age", "all", "ann", "root"), ("age", "", "ann", "root")]
    assert history(con, "2") == [
        ("age", "some", "ann", "root"), ("age", "all", "ann", "root"), ("zip", "9", "ann", "root"),
    ]  # fmt: skip
    assert ChoiceTables(con).history("people", "1") == history(con, "3") == []


def test_history_is_of_the_transaction_of_the_change(con: Any) -> None:
    keep(con, pa.table({"id": [1], "age.choice": [1]}))
    con.execute("BEGIN")
    keep(con, pa.table({"id": [1], "age.choice": [2]}))
    assert len(history(con, "1")) == 2
    con.execute("ROLLBACK")
    assert len(history(con, "1")) == 1
