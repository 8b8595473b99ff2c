"""Functions of the catalogue: which there are, who may call them, and that both ways cancel each other."""

from __future__ import annotations

import psycopg

from sfumato.gateway.engines.postgres.deployment.catalogue_rights import (
    COUNTER_FUNCTIONS,
    FUNCTION_RIGHTS,
    STORAGE_FUNCTIONS,
    grant_to_public,
    revoke_from_public,
)
from tests.postgres import Server


def test_all_of_them_are_there_and_open_at_first(shared_postgres: str) -> None:
    with psycopg.connect(shared_postgres) as connection:
        found = dict(connection.execute(FUNCTION_RIGHTS, [[*STORAGE_FUNCTIONS, *COUNTER_FUNCTIONS]]).fetchall())
    assert {name.split("(")[0].removeprefix("pg_catalog.") for name in found} <= {
        *STORAGE_FUNCTIONS,
        *COUNTER_FUNCTIONS,
    }
    assert "pg_catalog.lo_create(oid)" in found
    assert all(found.values())


def test_closing_and_opening_cancel_each_other(postgres_server: Server) -> None:
    asked = "SELECT proname, a.* FROM pg_proc, LATERAL aclexplode(coalesce(proacl, acldefault('f', proowner))) a"
    with psycopg.connect(postgres_server.admin) as connection:
        names = [name for name, _ in connection.execute(FUNCTION_RIGHTS, [[*STORAGE_FUNCTIONS, *COUNTER_FUNCTIONS]])]
        before = sorted(connection.execute(asked).fetchall())
        for statement in revoke_from_public(names):
            connection.execute(statement)
        assert not any(
            opened for _, opened in connection.execute(FUNCTION_RIGHTS, [[*STORAGE_FUNCTIONS, *COUNTER_FUNCTIONS]])
        )
        for statement in grant_to_public(names):
            connection.execute(statement)
        after = sorted(connection.execute(asked).fetchall())
        connection.rollback()
    assert after == before


def test_whoever_watches_over_the_server_may_still_count() -> None:
    counters, storing = "pg_catalog.pg_stat_get_live_tuples(oid)", "pg_catalog.lo_create(oid)"
    made = [statement.as_string() for statement in revoke_from_public([counters, storing])]
    assert made == [
        f"REVOKE EXECUTE ON FUNCTION {counters}, {storing} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {counters} TO pg_monitor",
    ]
    assert revoke_from_public([]) == grant_to_public([]) == []
