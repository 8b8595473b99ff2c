"""Releases as tables of SQLite, DuckDB and PostgreSQL: written, read back, judged, and swapped in as a whole."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import psycopg
import pytest

from sfumato.engines.databases import postgres_database, sqlite_database
from sfumato.errors import DataError, OutputError, PlanError, SchemaError
from sfumato.plan import Plan
from sfumato.plan.writing import plan_text

RECORDS = 60


@dataclass
class Store:
    """A database of a test: its name in plans, and how its tables are read and changed by its own client."""

    name: str
    connect: Any

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(self.connect()) as connection:
            return [tuple(row) for row in connection.execute(statement).fetchall()]

    def run(self, *statements: str) -> None:
        with closing(self.connect()) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    def tables(self) -> set[str]:
        catalogue = {
            "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
            "duckdb": "SELECT table_name FROM information_schema.tables",
        }.get(self.name.partition(":")[0], "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {name for (name,) in self.rows(catalogue)}


def without_password(conninfo: str) -> str:
    """How a plan names the database: connections with passwords, even empty ones, are refused."""
    return conninfo.replace("password=''", "")


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each kind of database; files are in the folder of the plan."""
    if request.param == "postgresql":
        conninfo = without_password(request.getfixturevalue("postgres"))
        yield Store(f"postgresql:{conninfo}", lambda: psycopg.connect(conninfo))
    elif request.param == "duckdb":
        yield Store("duckdb:x.duckdb", lambda: duckdb.connect(str(tmp_path / "x.duckdb")))
    else:
        yield Store("sqlite:x.db", lambda: sqlite3.connect(tmp_path / "x.db"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draws = random.Random(0)
    pd.DataFrame(
        {
            "number": range(RECORDS),
            "age": [draws.randint(20, 30) for _ in range(RECORDS)],
            "job": [draws.choice("ABC") for _ in range(RECORDS)],
            "pay": [draws.choice([1000.5, 2000.25, None]) for _ in range(RECORDS)],
            "since": [pd.Timestamp(2020, 1, draws.randint(1, 28)).date() for _ in range(RECORDS)],
        }
    ).to_parquet(tmp_path / "in.parquet", index=False)
    return tmp_path


def plan(store: Store, **changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "data": {"path": "in.parquet"},
        "columns": {
            "number": {"role": "identifier"},
            "age": {"role": "quasi"},
            "job": {"role": "quasi", "taxonomy": {"flat": True}},
            "pay": {"role": "sensitive"},
        },
        "models": [{"name": "k_anonymity", "k": 3}],
        "output": {"database": store.name, "table": "release", "certificate": "out.json"},
    }
    return {**given, **changes}


def output(store: Store, **changes: Any) -> dict[str, Any]:
    return {"database": store.name, "table": "release", **changes}


def test_a_table_is_written_and_judged(folder: Path, store: Store) -> None:
    outcome = Plan.of(plan(store), folder).run()
    rows = store.rows("SELECT age, job, pay, since FROM release")
    assert len(rows) == RECORDS
    assert min(Counter((age, job) for age, job, *_ in rows).values()) >= 3
    before = pd.read_parquet(folder / "in.parquet")
    assert [row[2] for row in rows] == [None if pd.isna(pay) else pay for pay in before["pay"]]
    assert [str(row[3]) for row in rows] == [str(day) for day in before["since"]]
    assert outcome.certificate.audit.k >= 3
    assert outcome.to_dict()["tables"] == {"release": "release"}
    assert store.tables() == {"release"}
    assert "sha256" not in json.loads((folder / "out.json").read_text())["output"]


def test_an_earlier_table_is_replaced_as_a_whole(folder: Path, store: Store) -> None:
    Plan.of(plan(store), folder).run()
    pd.read_parquet(folder / "in.parquet")[: RECORDS // 2].to_parquet(folder / "in.parquet", index=False)
    Plan.of(plan(store), folder).run()
    assert len(store.rows("SELECT age FROM release")) == RECORDS // 2
    assert store.tables() == {"release"}


def test_no_table_is_replaced_that_a_publication_did_not_write(folder: Path, store: Store) -> None:
    store.run("CREATE TABLE release (other integer)", "INSERT INTO release VALUES (1)")
    with pytest.raises(OutputError, match="no table that a publication wrote"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT * FROM release") == [(1,)]
    store.run("DROP TABLE release")
    Plan.of(plan(store), folder).run()
    store.run("CREATE VIEW seen AS SELECT 1 AS a")
    with pytest.raises(OutputError, match="no table that a publication wrote"):
        Plan.of(plan(store, output=output(store, table="seen")), folder).run()


def test_buckets_become_two_tables(folder: Path, store: Store) -> None:
    given = plan(store, models=[{"name": "distinct_l_diversity", "l": 2}], algorithm={"name": "anatomy"})
    Plan.of(given, folder).run()
    assert store.tables() == {"release", "release_sensitive"}
    assert len(store.rows("SELECT age FROM release")) == RECORDS
    # every record is in a bucket, and a bucket has as many records as sensitive values
    sizes = Counter(bucket for (bucket,) in store.rows('SELECT "group" FROM release'))
    counted: Counter[Any] = Counter()
    for bucket, often in store.rows('SELECT "group", count FROM release_sensitive'):
        counted[bucket] += often
    assert sizes == counted


def test_suppressed_records_are_rows_of_nulls(folder: Path, store: Store) -> None:
    frame = pd.read_parquet(folder / "in.parquet")
    frame.loc[0, "job"] = "Z"
    frame.to_parquet(folder / "in.parquet", index=False)
    columns = {
        "number": {"role": "identifier"},
        "age": {"role": "quasi", "taxonomy": {"intervals": [20, 26, 31]}},
        "job": {"role": "quasi", "taxonomy": {"flat": True}},
    }
    given = plan(store, columns=columns, suppression={"limit": 0.1}, algorithm={"name": "exhaustive"})
    outcome = Plan.of(given, folder).run()
    lost = [row for row in store.rows("SELECT age, job, pay, since FROM release") if row[0] is None]
    assert len(lost) == outcome.certificate.audit.suppressed > 0
    assert {value for row in lost for value in row} == {None}


def test_a_table_that_the_plan_reads_is_not_replaced(folder: Path, store: Store) -> None:
    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    columns = {"age": {"role": "quasi"}}
    for source in ({"table": "release"}, {"query": "SELECT age FROM (SELECT * FROM release) AS rows"}):
        given = plan(store, data={"database": store.name, **source}, columns=columns)
        with pytest.raises(OutputError, match="'release' is one that the plan reads"):
            Plan.of(given, folder).run()
    assert store.rows("SELECT * FROM release") == before


def test_the_certificate_shows_neither_connections_nor_queries(folder: Path, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    Plan.of(plan(store), folder).run()
    data = {"database": store.name, "query": "SELECT age FROM release WHERE job <> 'canary'"}
    Plan.of(
        plan(
            store,
            data=data,
            columns={"age": {"role": "quasi"}},
            output=output(store, table="second", certificate="out.json"),
        ),
        folder,
    ).run()
    written = (folder / "out.json").read_text()
    shown = json.loads(written)["plan"]
    assert shown["data"] == {"database": "postgresql", "query": "not shown"}
    assert shown["output"]["database"] == "postgresql"
    assert "canary" not in written
    assert "host=" not in written


def test_another_table_of_the_same_database_may_be_read(folder: Path, store: Store) -> None:
    Plan.of(plan(store), folder).run()
    given = plan(store, data={"database": store.name, "table": "release"}, columns={"age": {"role": "quasi"}})
    Plan.of({**given, "output": output(store, table="second")}, folder).run()
    assert store.tables() == {"release", "second"}


def test_a_failing_plan_leaves_the_table_as_it_was(folder: Path, store: Store) -> None:
    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    with pytest.raises(Exception, match="k_anonymity"):
        Plan.of(plan(store, models=[{"name": "k_anonymity", "k": RECORDS + 1}]), folder).run()
    assert store.rows("SELECT * FROM release") == before
    assert store.tables() == {"release"}


def test_a_release_that_is_not_as_decided_is_not_swapped_in(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict comes from what the database stored: rows that it changes are noticed."""
    from sfumato.engines.databases import base

    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    store_as_given = base.StagedTables.store

    def change(self: base.StagedTables, table: str, rows: Path, stored: Path) -> Path:
        frame = pd.read_parquet(rows).astype({"age": str})
        frame.loc[0, "age"] = "99"
        frame.to_parquet(rows, index=False)
        return store_as_given(self, table, rows, stored)

    monkeypatch.setattr(base.StagedTables, "store", change)
    with pytest.raises(OutputError, match="does not satisfy k_anonymity"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT * FROM release") == before
    assert store.tables() == {"release"}


@pytest.mark.parametrize("step", ["_load", "_read_back", "_replace", "_commit", "commit"])
def test_a_process_that_is_killed_leaves_the_old_table(folder: Path, store: Store, step: str) -> None:
    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    (folder / "plan.toml").write_text(plan_text(plan(store)))
    program = f"""
import os, signal
from pathlib import Path
from sfumato.engines.databases import duckdb_database, postgres_database, sqlite_database
from sfumato.plan import Plan
for kind in (duckdb_database.DuckdbTables, postgres_database.PostgresTables, sqlite_database.SqliteTables):
    whole = getattr(kind, {step!r})
    def killed(self, *given, whole=whole):
        if not self._staged and {step!r} in ("_replace",):
            return whole(self, *given)
        if {step!r} not in ("_commit", "commit"):
            whole(self, *given)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(kind, {step!r}, killed)
Plan.read("plan.toml").run()
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert store.rows("SELECT * FROM release") == before
    assert store.tables() == {"release"}


def test_a_file_that_was_new_is_gone_after_a_failure(folder: Path) -> None:
    for name in ("sqlite:new.db", "duckdb:new.duckdb"):
        store = Store(name, None)
        with pytest.raises(Exception, match="k_anonymity"):
            Plan.of(plan(store, models=[{"name": "k_anonymity", "k": RECORDS + 1}]), folder).run()
    assert sorted(path.name for path in folder.iterdir()) == ["in.parquet"]


def test_columns_that_a_table_cannot_hold_are_refused_before_any_work(folder: Path, store: Store) -> None:
    frame = pd.read_parquet(folder / "in.parquet")
    frame["more"] = [[1, 2]] * RECORDS
    frame.to_parquet(folder / "in.parquet", index=False)
    with pytest.raises(SchemaError, match=r"column 'more' holds list.*cannot hold"):
        Plan.of(plan(store), folder).run()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"database": "sqlite:x.db"}, "needs 'path'"),
        ({"table": "t"}, "needs 'path'"),
        ({"path": "x.csv", "database": "sqlite:x.db", "table": "t"}, "needs 'path'"),
        ({"database": "mysql:x", "table": "t"}, "sqlite:FILE, duckdb:FILE"),
        ({"database": "postgresql:password=secret", "table": "t"}, "a plan has no passwords"),
        ({"database": "sqlite:x.db", "table": "t", "certificate": "x.db"}, "would overwrite"),
    ],
)
def test_sections_that_make_no_sense_are_refused(folder: Path, given: dict[str, str], said: str) -> None:
    with pytest.raises(PlanError, match=said) as caught:
        Plan.of({**plan(Store("", None)), "output": given}, folder).run()
    assert "secret" not in str(caught.value)


def test_a_database_in_use_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_database, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(folder / "x.db", isolation_level=None, timeout=0)) as other:
        other.execute("CREATE TABLE t (a)")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OutputError, match="another process writes to it"):
            Plan.of(plan(Store("sqlite:x.db", None)), folder).run()


def test_a_full_disk_leaves_the_old_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store("sqlite:x.db", lambda: sqlite3.connect(folder / "x.db"))
    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    pages = store.rows("PRAGMA page_count")[0][0]
    many = pd.concat([pd.read_parquet(folder / "in.parquet")] * 20)
    many.to_parquet(folder / "in.parquet", index=False)
    begin = sqlite_database.SqliteTables._begin

    def small(self: sqlite_database.SqliteTables) -> None:
        begin(self)
        self._execute(f"PRAGMA max_page_count = {pages + 1}")  # room for an empty table, not for one of all records

    monkeypatch.setattr(sqlite_database.SqliteTables, "_begin", small)
    with pytest.raises(OutputError, match=r"the disk is full\. Earlier tables are kept"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT * FROM release") == before


def test_a_database_that_is_gone_while_it_is_written(folder: Path, postgres: str, monkeypatch: Any) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    Plan.of(plan(store), folder).run()
    load = postgres_database.PostgresTables._load

    def ended(self: postgres_database.PostgresTables, staged: str, rows: Path) -> None:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
        store.run(others + "pg_backend_pid()")
        load(self, staged, rows)

    monkeypatch.setattr(postgres_database.PostgresTables, "_load", ended)
    with pytest.raises(OutputError, match="it ended the connection"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT count(*) FROM release") == [(RECORDS,)]


def test_a_schema_that_is_not_there_is_said_before_any_work(folder: Path, postgres: str) -> None:
    for name in (f"postgresql:{without_password(postgres)}", "duckdb:x.duckdb"):
        store = Store(name, None)
        with pytest.raises(OutputError, match="no such schema"):
            Plan.of(plan(store, output=output(store, table="nowhere.release")), folder).run()


def test_privileges_go_over_to_the_new_table_and_no_more(folder: Path, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    reader, writer = (f"r{os.getpid()}_{random.SystemRandom().getrandbits(32)}" for _ in range(2))
    store.run(f'CREATE ROLE "{reader}"', f'CREATE ROLE "{writer}"')
    Plan.of(plan(store), folder).run()
    store.run(
        f'GRANT SELECT ON release TO "{reader}"',
        f'ALTER DEFAULT PRIVILEGES GRANT SELECT, DELETE ON TABLES TO "{writer}"',
    )
    Plan.of(plan(store), folder).run()
    granted = store.rows(
        "SELECT grantee, privilege_type FROM information_schema.role_table_grants "
        f"WHERE table_name = 'release' AND grantee IN ('{reader}', '{writer}')"
    )
    assert granted == [(reader, "SELECT")]


def test_row_security_and_dependent_views_are_not_lost(folder: Path, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    Plan.of(plan(store), folder).run()
    store.run("ALTER TABLE release ENABLE ROW LEVEL SECURITY")
    with pytest.raises(OutputError, match="row security"):
        Plan.of(plan(store), folder).run()
    store.run("ALTER TABLE release DISABLE ROW LEVEL SECURITY", "CREATE VIEW seen AS SELECT age FROM release")
    with pytest.raises(OutputError, match="depends on the table"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT count(*) FROM seen") == [(RECORDS,)]


def fill(store: Store, table: str) -> None:
    store.run(
        f"CREATE TABLE {table} AS SELECT 20 + i % 10 AS age, CASE WHEN i % 2 = 0 THEN 'm' ELSE 'f' END AS sex "
        "FROM generate_series(1, 100) i"
    )


@pytest.mark.parametrize(
    ("before", "source", "table"),
    [
        (["CREATE TABLE part PARTITION OF v FOR VALUES IN ('m')"], {"table": "v"}, "part"),
        (["CREATE TABLE kid () INHERITS (people)"], {"table": "people"}, "kid"),
        (
            [
                "CREATE FUNCTION f() RETURNS TABLE (age integer, sex text) LANGUAGE plpgsql AS "
                "'BEGIN RETURN QUERY SELECT p.age, p.sex FROM people p; END'"
            ],
            {"query": "SELECT * FROM f()"},
            "people",
        ),
        (["CREATE SCHEMA app", "CREATE TABLE app.people AS FROM people"], {"table": "people"}, "app.people"),
    ],
)
def test_what_a_query_reaches_by_other_ways_is_not_replaced(
    folder: Path, postgres: str, before: list[str], source: dict[str, str], table: str
) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    fill(store, "people")
    store.run("CREATE TABLE v (age integer, sex text) PARTITION BY LIST (sex)")
    store.run(*[one.replace("AS FROM people", "AS SELECT * FROM people") for one in before])
    columns = {"age": {"role": "quasi"}}
    given = plan(store, data={"database": store.name, **source}, columns=columns, output=output(store, table=table))
    with pytest.raises((OutputError, DataError), match=r"no table that a publication wrote|no records"):
        Plan.of(given, folder).run()
    assert store.rows("SELECT count(*) FROM people") == [(100,)]


def test_a_name_without_a_schema_is_one_of_the_first_schema(folder: Path, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    store.run("CREATE SCHEMA app", "CREATE TABLE release (a integer)")
    (database,) = store.rows("SELECT current_database()")[0]
    store.run(f'ALTER DATABASE "{database}" SET search_path = app, public')
    Plan.of(plan(store), folder).run()
    assert store.rows("SELECT count(*) FROM app.release") == [(RECORDS,)]
    assert store.rows("SELECT count(*) FROM public.release") == [(0,)]


@pytest.mark.parametrize("table", ["x" * 64, "pg_temp.release"])
def test_names_that_postgresql_would_change_are_refused(folder: Path, postgres: str, table: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    with pytest.raises(OutputError, match="cannot have a table"):
        Plan.of(plan(store, output=output(store, table=table)), folder).run()


def test_names_in_the_main_schema_of_sqlite_are_one_name(folder: Path) -> None:
    store = Store("sqlite:x.db", lambda: sqlite3.connect(folder / "x.db"))
    Plan.of(plan(store, output=output(store, table="main.release")), folder).run()
    Plan.of(plan(store), folder).run()
    assert store.tables() == {"release"}
    with pytest.raises(OutputError, match="gone with the connection"):
        Plan.of(plan(store, output=output(store, table="temp.release")), folder).run()


def test_rows_that_were_not_judged_are_not_in_a_duckdb_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.plan import publication

    store = Store("duckdb:x.duckdb", lambda: duckdb.connect(str(folder / "x.duckdb")))
    Plan.of(plan(store), folder).run()
    frame = pd.concat([pd.read_parquet(folder / "in.parquet")] * 500)
    frame.assign(note=[f"canary-{place}" for place in range(len(frame))]).to_parquet(folder / "in.parquet")

    def refuse(*_: Any) -> None:
        raise OutputError("refused")

    monkeypatch.setattr(publication, "_check_written_files", refuse)
    with pytest.raises(OutputError, match="refused"):
        Plan.of(plan(store), folder).run()
    assert b"canary" not in (folder / "x.duckdb").read_bytes()
    assert len(store.rows("SELECT age FROM release")) == RECORDS


@pytest.mark.parametrize("name", ["sqlite:new.db", "duckdb:new.duckdb"])
def test_a_file_that_appears_meanwhile_is_not_lost(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two publications make the same new file: the second one is refused, and the first one's release stays."""
    from sfumato.plan import publication

    check, inner = publication._check_written_files, []

    def publish_another_first(*given: Any) -> Any:
        if not inner:
            inner.append(True)
            Plan.of(plan(Store(name, None)), folder).run()
        return check(*given)

    monkeypatch.setattr(publication, "_check_written_files", publish_another_first)
    with pytest.raises(OutputError, match="appeared meanwhile"):
        Plan.of(plan(Store(name, None)), folder).run()
    connect = sqlite3.connect if name.startswith("sqlite") else duckdb.connect
    with closing(connect(str(folder / name.partition(":")[2]))) as connection:
        assert len(connection.execute("SELECT age FROM release").fetchall()) == RECORDS


def test_the_name_of_a_duckdb_database_in_front_hides_no_table(folder: Path) -> None:
    store = Store("duckdb:x.duckdb", lambda: duckdb.connect(str(folder / "x.duckdb")))
    store.run("CREATE TABLE people AS SELECT 1 AS a")
    with pytest.raises(OutputError, match="by its schema and its name"):
        Plan.of(plan(store, output=output(store, table="x.main.people")), folder).run()
    assert store.rows("SELECT a FROM people") == [(1,)]
