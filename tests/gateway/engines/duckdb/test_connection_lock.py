from __future__ import annotations

import gc

import duckdb

from sfumato.gateway.engines.duckdb import connection_lock as turns
from sfumato.gateway.engines.duckdb.connection_lock import turn_of


def test_all_on_one_connection_take_turns() -> None:
    with duckdb.connect() as one, duckdb.connect() as other:
        assert turn_of(one) is turn_of(one)
        assert turn_of(one) is not turn_of(other)
        assert turn_of(None) is not turn_of(None)


def test_a_connection_that_is_gone_is_forgotten() -> None:
    gc.collect()
    before = len(turns._turns)
    con = duckdb.connect()
    turn_of(con)
    con.close()
    del con
    gc.collect()
    assert len(turns._turns) == before
