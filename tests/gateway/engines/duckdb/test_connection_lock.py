from __future__ import annotations

import gc

import duckdb

from sfumato.gateway.engines.duckdb import connection_lock as turns
from sfumato.gateway.engines.duckdb.connection_lock import lock_of


def test_all_on_one_connection_take_turns() -> None:
    with duckdb.connect() as one, duckdb.connect() as other:
        assert lock_of(one) is lock_of(one)
        assert lock_of(one) is not lock_of(other)
        assert lock_of(None) is not lock_of(None)


def test_a_connection_that_is_gone_is_forgotten() -> None:
    gc.collect()
    before = len(turns._locks)
    con = duckdb.connect()
    lock_of(con)
    con.close()
    del con
    gc.collect()
    assert len(turns._locks) == before
