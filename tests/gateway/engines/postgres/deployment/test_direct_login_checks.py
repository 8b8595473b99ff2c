"""What everybody can do whom PostgreSQL lets in: each thing is tried, and either refused or told by `gateway reach`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.postgres.deployment import transactions
from sfumato.gateway.engines.postgres.deployment.deployment import undeploy
from sfumato.gateway.engines.postgres.deployment.direct_login_checks import LOGIN_CHECKS
from sfumato.gateway.engines.postgres.deployment.transactions import LOCK, LOCK_TABLE
from sfumato.gateway.engines.postgres.deployment.verification import verify
from tests.gateway.engines.postgres import shop
from tests.gateway.engines.postgres.attacks import WRITING
from tests.gateway.engines.postgres.snapshot import snapshot
from tests.postgres import Server, as_role

LISTED = {
    "EXPLAIN SELECT * FROM customer_flat": "plans with EXPLAIN",
    "EXPLAIN ANALYZE SELECT * FROM letters_flat": "plans with EXPLAIN",
    "SELECT reltuples FROM pg_class WHERE relname = 'customer'": "pg_class",
    "SELECT pg_relation_size('public.customer')": "pg_class",
    "SELECT n_live_tup, n_tup_upd FROM pg_stat_user_tables": "pg_stat_user_tables",
    "SELECT pg_stat_get_live_tuples('public.customer'::regclass)": "pg_stat_get_live_tuples",
    "SELECT tup_updated FROM pg_stat_database WHERE datname = current_database()": "pg_stat_database",
    "SELECT pg_stat_get_db_tuples_updated(oid) FROM pg_database": "pg_stat_get_db_tuples_updated",
    "SELECT pg_logical_emit_message(false, 'x', 'y')": "pg_logical_emit_message",
    "SELECT pg_current_wal_insert_lsn()": "write-ahead log",
    "SELECT query FROM pg_stat_activity WHERE usename = current_user": "pg_stat_activity",
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()":
        "can end their sessions",
    "SELECT pg_get_viewdef('customer_flat'::regclass)": "pg_get_viewdef",
    "SELECT pg_get_viewdef(c.oid) FROM pg_class c WHERE c.relnamespace = 'marketing'::regnamespace": "pg_get_viewdef",
    "SELECT obj_description(oid) FROM pg_namespace": "the catalogue",
    "SELECT name, setting FROM pg_settings": "pg_settings",
    "SET statement_timeout = 0; SET work_mem = '1GB'": "statement_timeout",
    "SET search_path = pg_catalog": "search_path",
    "SET client_encoding = 'LATIN1'": "client_encoding",
    f"{WRITING}SELECT lo_create(0)": "large objects",
    f"{WRITING}SELECT lo_from_bytea(0, 'x')": "large objects",
    f"{WRITING}ALTER ROLE CURRENT_USER PASSWORD 'x'": "its own password",
    f"{WRITING}ALTER ROLE CURRENT_USER SET search_path = pg_catalog": "settings of its own later sessions",
    "BEGIN; SELECT * FROM customer_flat": "keep a transaction open",
    "BEGIN; LOCK TABLE customer_flat IN ACCESS SHARE MODE": "keep a transaction open",
    "SELECT pg_advisory_lock(1)": "pg_advisory_lock",
    "LISTEN talk": "NOTIFY",
    "NOTIFY talk, 'x'": "NOTIFY",
    "SELECT pg_notify('talk', 'x')": "NOTIFY",
    "DO $$ BEGIN PERFORM pg_sleep(0); END $$": "plpgsql",
}  # fmt: skip
REFUSED = [
    "SET log_statement = 'none'",
    "SET temp_file_limit = -1",
    f"{WRITING}ALTER ROLE CURRENT_USER CONNECTION LIMIT 1000",
    f"{WRITING}ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'",
    f"{WRITING}ALTER ROLE CURRENT_USER SET log_statement = 'none'",
    f"{WRITING}CREATE TEMP TABLE t ()",
    f"{WRITING}CREATE TABLE t ()",
    f"{WRITING}CREATE PUBLICATION p",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename ~ '(_marketing|owner)$'",
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename ~ '(_marketing|owner)$'",
    "SELECT nextval('public.tickets')",
    "SELECT last_value FROM public.tickets",
    "SELECT lo_get(4242)",
    "SELECT * FROM pg_largeobject",
    f"BEGIN; LOCK TABLE sfumato.{LOCK_TABLE} IN ACCESS SHARE MODE",
    "BEGIN; LOCK TABLE customer_flat IN ROW SHARE MODE",
    "BEGIN; LOCK TABLE public.customer IN ACCESS SHARE MODE",
    "SELECT * FROM customer_flat FOR SHARE",
    "SELECT pg_stat_reset()",
    "SELECT pg_reload_conf()",
    "SELECT * FROM pg_hba_file_rules",
]


@pytest.fixture(scope="module")
def deployed(postgres_server: Server) -> Iterator[str]:
    """A shop whose owner and gateway are connected meanwhile."""
    with postgres_server.database() as owner:
        shop.fill(owner)
        role = shop.role_prefix(owner)
        shop.deployment(role).deploy(owner)
        shop.choose(owner)
        with psycopg.connect(owner, autocommit=True) as working, psycopg.connect(as_role(owner, f"{role}_marketing")):
            working.execute("SELECT lo_from_bytea(4242, 'canary@object')")
            yield owner


def tool(owner: str) -> str:
    return as_role(owner, f"{shop.role_prefix(owner)}_marketing_bi")


def tried(conninfo: str, statement: str) -> str | None:
    """Why a statement is refused; None where it is not. What it changed of the login is taken back."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        try:
            if statement.startswith(WRITING):
                connection.execute(WRITING)
            connection.execute(statement.removeprefix(WRITING).encode())
        except psycopg.Error as error:
            return error.sqlstate
        if "ALTER ROLE" in statement:
            connection.execute("ALTER ROLE CURRENT_USER RESET ALL")
    return None


@pytest.fixture(scope="module")
def findings(deployed: str) -> list[str]:
    found = verify(tool(deployed), ["marketing_bi"], digest="1f", direct=True)
    assert not [one for one in found if one.grave]
    return [str(one) for one in found]


@pytest.mark.parametrize("statement", LISTED)
def test_what_can_be_done_is_told(deployed: str, findings: list[str], statement: str) -> None:
    assert tried(tool(deployed), statement) is None
    assert [one for one in findings if LISTED[statement] in one]


@pytest.mark.parametrize("statement", REFUSED)
def test_what_is_closed_is_refused(deployed: str, statement: str) -> None:
    assert tried(tool(deployed), statement) in ("42501", "55000", "42P01")


def test_nothing_is_told_of_the_gateways_own_role(deployed: str) -> None:
    role = as_role(deployed, f"{shop.role_prefix(deployed)}_marketing")
    assert not [one for one in verify(role, ["marketing"]) if "the login" in str(one)]


@pytest.mark.parametrize("question", LOGIN_CHECKS, ids=lambda question: question.finding)
def test_every_question_can_be_asked(deployed: str, question) -> None:
    with psycopg.connect(tool(deployed)) as connection:
        connection.execute(question.query, {"schemas": ["marketing_bi"], "through": []})
    assert "{}" in question.finding
    assert question.remedy.endswith(".")


@pytest.mark.parametrize(
    "divided",
    [
        "CREATE TABLE part (id integer, pay integer) PARTITION BY RANGE (pay);"
        "CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (5)",
        "CREATE TABLE part (id integer, pay integer); CREATE TABLE child () INHERITS (part)",
    ],
)
def test_a_table_in_parts_is_grave(postgres: str, divided: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    with psycopg.connect(postgres) as connection:
        connection.execute(divided.encode())
    views = {"part": shop.select('SELECT "id" FROM "public"."part"')}
    shop.deployment(role, purposes=(shop.purpose("Marketing", f"{role}_marketing", views),)).deploy(postgres)
    grave = [str(one) for one in verify(tool(postgres), ["marketing_bi"], digest="1f", direct=True) if one.grave]
    assert [one.split(" has ")[0] for one in grave] == ["public.part"]
    assert not [one for one in verify(as_role(postgres, f"{role}_marketing"), ["marketing"]) if one.grave]


def test_settings_that_the_login_left_are_told_and_taken_back(postgres: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    with psycopg.connect(tool(postgres), autocommit=True) as connection:
        connection.execute(WRITING)
        connection.execute("ALTER ROLE CURRENT_USER SET work_mem = '1GB'")
        connection.execute(f'ALTER ROLE CURRENT_USER IN DATABASE "{role}" SET statement_timeout = 0'.encode())
        connection.execute(f'ALTER ROLE CURRENT_USER IN DATABASE "{role}" SET search_path = pg_catalog'.encode())
    found = [str(one) for one in verify(tool(postgres), ["marketing_bi"], direct=True)]
    assert [one for one in found if "work_mem is set for the login in every database" in one]
    assert [one for one in found if "starts without statement_timeout" in one]
    shop.deployment(role).deploy(postgres)
    with psycopg.connect(tool(postgres)) as connection:
        assert connection.execute("SHOW statement_timeout").fetchall() == [("30s",)]
        assert connection.execute("SHOW search_path").fetchall() == [("marketing_bi, pg_temp",)]


def test_a_login_of_tools_does_not_hold_up_a_deployment(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.fill(postgres)
    deployment = shop.deployment(shop.role_prefix(postgres))
    deployment.deploy(postgres)
    monkeypatch.setattr(transactions, "LOCK_SECONDS", 0.3)
    with psycopg.connect(tool(postgres), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        deployment.deploy(postgres)
        connection.execute("BEGIN; SELECT * FROM customer_flat")
        with pytest.raises(DataError, match="a login that has read a view in a transaction it has not ended"):
            deployment.deploy(postgres)
    deployment.deploy(postgres)


def test_what_a_login_stored_goes_with_it(postgres: str) -> None:
    shop.fill(postgres)
    before = snapshot(postgres)
    shop.deployment(shop.role_prefix(postgres)).deploy(postgres)
    assert tried(tool(postgres), f"{WRITING}SELECT lo_from_bytea(777, 'x')") is None
    undeploy(postgres, forget_choices=True)
    assert snapshot(postgres) == before
    with psycopg.connect(postgres) as connection:
        assert connection.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchall() == [(0,)]


def test_an_administrator_is_told_what_to_run(postgres: str, postgres_server: Server) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    logging, catalogue = (note for note in shop.deployment(role).deploy(postgres).notes if "administrator runs" in note)
    assert f'ALTER ROLE "{role}_marketing_bi" IN DATABASE "{role}" SET log_statement TO \'all\';' in logging
    assert "REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid), " in catalogue
    admin = psycopg.conninfo.make_conninfo(postgres_server.admin, dbname=role)
    with psycopg.connect(admin) as connection:
        for note in (logging, catalogue):
            connection.execute(note.split("administrator runs: ")[1].encode())
    assert not [note for note in shop.deployment(role).deploy(postgres).notes if "administrator" in note]
    for function in (
        "SELECT lo_create(0)",
        "SELECT pg_stat_get_live_tuples(0)",
        "SELECT * FROM pg_stat_user_tables",
        "SELECT * FROM pg_stat_database",
        "SELECT pg_logical_emit_message(false, 'x', 'y')",
        "SELECT pg_logical_emit_message(true, 'x', 'y'::bytea)",
    ):
        assert tried(tool(postgres), f"{WRITING}{function}") == "42501"
    found = [str(one) for one in verify(tool(postgres), ["marketing_bi"], direct=True)]
    gone = ("lo_create", "tuples", "log_statement", "pg_logical_emit_message")
    assert not [one for one in found if any(word in one for word in gone)]


def test_an_administrator_who_deploys_closes_what_can_be_closed(postgres: str, postgres_server: Server) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    admin = psycopg.conninfo.make_conninfo(postgres_server.admin, dbname=role)
    before, rights = snapshot(postgres), function_rights(postgres)
    deployment = shop.deployment(role)
    try:
        assert not [note for note in deployment.deploy(admin).notes if "administrator" in note]
        first = snapshot(postgres), function_rights(postgres)
        deployment.deploy(admin)
        assert (snapshot(postgres), function_rights(postgres)) == first
        assert tried(tool(postgres), f"{WRITING}SELECT lo_create(0)") == "42501"
        with psycopg.connect(tool(postgres)) as connection:
            assert connection.execute("SHOW log_statement").fetchall() == [("all",)]
    finally:
        undeploy(admin, forget_choices=True)
    assert (snapshot(postgres), function_rights(postgres)) == (before, rights)


def test_what_was_closed_for_tools_is_opened_with_the_last_of_them(postgres: str, postgres_server: Server) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    admin = psycopg.conninfo.make_conninfo(postgres_server.admin, dbname=role)
    rights = function_rights(postgres)
    deployment = shop.deployment(role)
    bare = shop.deployment(role, purposes=tuple(shop.without_tools(one) for one in deployment.purposes))
    try:
        deployment.deploy(admin)
        assert function_rights(postgres) != rights
        bare.deploy(admin)
        assert function_rights(postgres) == rights
    finally:
        undeploy(admin, forget_choices=True)


def function_rights(conninfo: str) -> list[tuple[object, ...]]:
    """Who may call which function of the catalogue."""
    asked = """
    SELECT p.oid::regprocedure::text, a.grantee::regrole::text FROM pg_proc p,
    LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND a.privilege_type = 'EXECUTE' ORDER BY 1, 2
    """
    with psycopg.connect(conninfo) as connection:
        return connection.execute(asked).fetchall()


def test_everything_that_tools_ask_is_in_the_log_of_the_server(postgres: str, postgres_server: Server) -> None:
    """An administrator may let somebody set it who is none, and the login itself cannot."""
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    with psycopg.connect(postgres_server.admin, autocommit=True) as admin:
        admin.execute(f'GRANT SET ON PARAMETER log_statement TO "{role}_owner"'.encode())
        try:
            notes = shop.deployment(role).deploy(postgres).notes
            resetting = ("ALTER ROLE CURRENT_USER RESET ALL", f'ALTER ROLE CURRENT_USER IN DATABASE "{role}" RESET ALL')
            for statement in (*resetting, "SELECT 'asked by a tool' AS a FROM marketing_bi.customer_flat"):
                assert tried(tool(postgres), f"{WRITING}{statement}") is None
            assert not [note for note in notes if "are not logged" in note]
            with psycopg.connect(tool(postgres)) as connection:
                assert connection.execute("SHOW log_statement").fetchall() == [("all",)]
            folder = admin.execute("SHOW data_directory").fetchall()[0][0]
        finally:
            admin.execute(f'REVOKE SET ON PARAMETER log_statement FROM "{role}_owner"'.encode())
    assert "asked by a tool" in Path(folder, "log").read_text(errors="replace")
