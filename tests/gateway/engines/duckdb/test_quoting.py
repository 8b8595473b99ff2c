from __future__ import annotations

import duckdb
import pytest

from sfumato.gateway.engines.duckdb.quoting import quoted


@pytest.mark.parametrize("name", ["plain", "a.b", 'with "quotes"', "semi; DROP TABLE x --", "é ü", "select"])
def test_a_quoted_name_is_that_name_and_nothing_else(name: str) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE {quoted(name)} AS SELECT 1 AS {quoted(name)}")
        assert con.execute(f"SELECT * FROM {quoted(name)}").fetchall() == [(1,)]
        assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [(name,)]
