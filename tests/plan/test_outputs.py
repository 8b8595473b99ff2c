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

from sfumato.data.table import Table
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


@pytest.mark.parametrize(
    "column", ["\"a\" TEXT DEFAULT '/* release of sfumato */'", '"(/* release of sfumato */" TEXT']
)
def test_the_mark_of_sqlite_is_no_text_of_a_column(folder: Path, column: str) -> None:
    store = Store("sqlite:x.db", lambda: sqlite3.connect(folder / "x.db"))
    store.run(f'CREATE TABLE "release" ({column})', "INSERT INTO release VALUES ('mine')")
    with pytest.raises(OutputError, match="no table that a publication wrote"):
        Plan.of(plan(store), folder).run()
    assert store.rows("SELECT * FROM release") == [("mine",)]


def test_names_with_quotes_are_replaced_in_sqlite(folder: Path) -> None:
    store = Store("sqlite:x.db", lambda: sqlite3.connect(folder / "x.db"))
    for _ in range(2):
        Plan.of(plan(store, output=output(store, table='a "b" (c')), folder).run()
    assert store.tables() == {'a "b" (c'}


@pytest.mark.parametrize("there", ["a file", "a link to nothing"])
def test_a_folder_in_the_place_of_a_file_is_refused_before_any_work(
    folder: Path, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = plan(Store("", None), output={"path": "out", "certificate": "c.json"})
    if there == "a file":
        (folder / "out").write_text("mine")
    else:
        (folder / "out").symlink_to(folder / "nowhere")
    monkeypatch.setattr(Table, "from_source", lambda *_: pytest.fail("no work may be done"))
    with pytest.raises(OutputError, match=f"out' is {there}, and a table without an ending is written as a folder"):
        Plan.of(given, folder).run()
    assert {path.name for path in folder.iterdir()} <= {"in.parquet", "out"}


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


def anatomy(store: Store, **changes: Any) -> dict[str, Any]:
    models = [{"name": "distinct_l_diversity", "l": 2}]
    return plan(store, models=models, algorithm={"name": "anatomy"}, output=output(store, **changes))


FIRST_SCHEMA = {"sqlite": "main", "duckdb": "main", "postgresql": "public"}


def kind(store: Store) -> str:
    return store.name.partition(":")[0]


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("work", "work"), ("Work", "WORK"), ("work", "temp"), ("work", "system"), ("work", "sfumato_staged"),
        ("sfumato_staged", "sfumato_staged"), ("temp", "temp"), ("temp", "temp_db"), ("main", "main_db"), ("a.b", "a"),
    ],
)  # fmt: skip
def test_the_name_of_a_duckdb_database_in_front_hides_no_table(folder: Path, file: str, first: str) -> None:
    """DuckDB reads `work.people` as a table of the database work, which is how the file work.duckdb is called."""
    store = Store(f"duckdb:{file}.duckdb", lambda: duckdb.connect(str(folder / f"{file}.duckdb")))
    store.run("CREATE TABLE people AS SELECT 1 AS a")
    for table in (f"{first}.people", f"{first}.main.people"):
        with pytest.raises(OutputError, match=r"by its schema and its name|gone with the connection"):
            Plan.of(plan(store, output=output(store, table=table)), folder).run()
    assert store.rows("SELECT a FROM people") == [(1,)]
    assert store.tables() == {"people"}


def test_a_schema_of_duckdb_may_have_the_name_of_the_database(folder: Path) -> None:
    store = Store("duckdb:x.duckdb", lambda: duckdb.connect(str(folder / "x.duckdb")))
    store.run("CREATE SCHEMA x", "CREATE TABLE release AS SELECT 1 AS a")
    for _ in range(2):
        Plan.of(plan(store, output=output(store, table="x.release")), folder).run()
    assert store.rows("SELECT a FROM x.main.release") == [(1,)]
    assert store.rows("SELECT count(*) FROM x.x.release") == [(RECORDS,)]


def test_the_schema_may_be_written_or_not(folder: Path, store: Store) -> None:
    """`persons` and `main.persons` are one table, whatever the upper case is where the database ignores it."""
    names = ["release", f"{FIRST_SCHEMA[kind(store)]}.release"]
    if kind(store) != "postgresql":
        names += ["Main.Release", "MAIN.release", "RELEASE"]
    store.run("CREATE TABLE release (other integer)")
    for name in names:
        with pytest.raises(OutputError, match="no table that a publication wrote"):
            Plan.of(plan(store, output=output(store, table=name)), folder).run()
    store.run("DROP TABLE release")
    for name in names:
        Plan.of(plan(store, output=output(store, table=name)), folder).run()
        assert {table.lower() for table in store.tables()} == {"release"}
        assert store.rows("SELECT count(*) FROM release") == [(RECORDS,)]


def test_two_results_are_not_one_table(folder: Path, store: Store) -> None:
    others = ["release", f"{FIRST_SCHEMA[kind(store)]}.release"]
    others += [] if kind(store) == "postgresql" else ["Release", "Main.RELEASE"]
    for other in others:
        with pytest.raises(OutputError, match="are one table in the"):
            Plan.of(anatomy(store, sensitive_table=other), folder).run()
    assert store.tables() == set()


def test_tables_of_postgresql_may_differ_in_upper_case(folder: Path, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    Plan.of(anatomy(store, sensitive_table="Release"), folder).run()
    assert store.tables() == {"release", "Release"}


@pytest.mark.parametrize("table", [".release", "main.", "public.", "release\0"])
def test_empty_names_are_refused(folder: Path, store: Store, table: str) -> None:
    if kind(store) == "sqlite" and table in (".release", "public."):
        return  # a table of SQLite may have this name
    with pytest.raises(OutputError, match=r"a part of the name is empty|no such schema"):
        Plan.of(plan(store, output=output(store, table=table)), folder).run()


@pytest.mark.parametrize("table", ["public..release", "otherdb.public.release", "a.b.c.d"])
def test_names_of_more_than_two_parts_are_refused(folder: Path, postgres: str, table: str) -> None:
    for name in (f"postgresql:{without_password(postgres)}", "duckdb:x.duckdb"):
        store = Store(name, None)
        with pytest.raises(OutputError, match="a table is named by its schema and its name"):
            Plan.of(plan(store, output=output(store, table=table)), folder).run()


def test_a_table_that_would_be_gone_after_the_commit_is_noticed(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever leads a name elsewhere: the catalogue is asked before the rows are, and again before the commit."""
    from sfumato.engines.databases import duckdb_database

    kinds = {
        "sqlite": sqlite_database.SqliteTables,
        "duckdb": duckdb_database.DuckdbTables,
        "postgresql": postgres_database.PostgresTables,
    }
    changed = kinds[kind(store)]
    plain = changed._replace

    before_the_commit: list[bool] = []

    def elsewhere(self: Any, staged: str, table: str) -> None:
        plain(self, staged, table)
        if self._staged or not before_the_commit:
            self._execute(f"CREATE TEMPORARY TABLE lost AS SELECT * FROM {self._quoted(table)}")
            self._execute(f"DROP TABLE {self._quoted(table)}")

    monkeypatch.setattr(changed, "_replace", elsewhere)
    for _ in range(2):
        with pytest.raises(OutputError, match="did not store 'release' as a permanent table"):
            Plan.of(plan(store), folder).run()
        assert store.tables() == set()
        before_the_commit.append(True)
    assert not (folder / "out.json").exists()


@pytest.mark.parametrize("path", ["pg_temp,public", "pg_temp", "pg_catalog,public", "nowhere"])
def test_a_search_path_leads_to_no_table_that_is_lost(
    folder: Path, postgres: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    monkeypatch.setenv("PGOPTIONS", f"-c search_path={path}")
    with pytest.raises(OutputError, match=r"is PostgreSQL's own, or temporary|no schema of its search path"):
        Plan.of(plan(store), folder).run()
    Plan.of(plan(store, output=output(store, table="public.release")), folder).run()
    assert store.rows("SELECT count(*) FROM public.release") == [(RECORDS,)]


def test_the_schemas_of_postgresql_itself_are_refused(folder: Path, shared_postgres: Any, postgres: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", None)
    for schema in ("information_schema", "pg_catalog", "pg_toast", "pg_temp_1"):
        with pytest.raises(OutputError, match="is PostgreSQL's own, or temporary"):
            Plan.of(plan(store, output=output(store, table=f"{schema}.release")), folder).run()


@pytest.mark.parametrize("name", ["sqlite::memory:", "duckdb::memory:", "duckdb::memory:x", "sqlite:file:x.db"])
def test_names_that_mean_memory_are_names_of_files(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second publication finds the file; the libraries would take its name for a database in memory."""
    monkeypatch.chdir(folder)
    given = plan(Store(name, None))
    for _ in range(2):
        Plan.of(given).run()
    file = folder / name.partition(":")[2]
    connect = sqlite3.connect if name.startswith("sqlite") else duckdb.connect
    with closing(connect(str(file))) as connection:
        assert connection.execute("SELECT count(*) FROM release").fetchone() == (RECORDS,)
    Plan.of({**given, "data": {"database": name, "table": "release"}, "columns": {"age": {"role": "quasi"}},
             "output": {"path": "copy.csv"}}).run()  # fmt: skip


@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize("name", ["sqlite:x.db", "duckdb:x.duckdb"])
def test_a_database_file_that_is_removed_meanwhile_is_noticed(
    folder: Path, name: str, removed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection would write to a file that has no name any more."""
    from sfumato.plan import publication

    Plan.of(plan(Store(name, None)), folder).run()
    file, check = folder / name.partition(":")[2], publication._check_written_files
    certificate = (folder / "out.json").read_bytes()

    def meddled(*given: Any) -> Any:
        content = file.read_bytes()
        file.rename(file.with_name("former"))
        if not removed:
            file.write_bytes(content)
        return check(*given)

    monkeypatch.setattr(publication, "_check_written_files", meddled)
    with pytest.raises(OutputError, match="was removed or replaced meanwhile; publish again"):
        Plan.of(plan(Store(name, None)), folder).run()
    assert (folder / "out.json").read_bytes() == certificate


@pytest.mark.parametrize("name", ["sqlite:x", "duckdb:x"])
@pytest.mark.parametrize("content", [b"canary " * 1000, b"other"])
def test_a_file_that_is_no_database_is_called_that(folder: Path, name: str, content: bytes) -> None:
    if content == b"other" and name.startswith("duckdb"):
        with closing(sqlite3.connect(folder / "x")) as connection:
            connection.execute("CREATE TABLE t (a)")
    elif content == b"other":
        duckdb.connect(str(folder / "x")).close()
    else:
        (folder / "x").write_bytes(content)
    before = (folder / "x").read_bytes()
    with pytest.raises(OutputError, match=r"the file is no (SQLite|DuckDB) database"):
        Plan.of(plan(Store(name, None)), folder).run()
    assert (folder / "x").read_bytes() == before


def test_names_that_sqlite_keeps_for_itself(folder: Path) -> None:
    with pytest.raises(OutputError, match="begin with sqlite_ are SQLite's own"):
        Plan.of(plan(Store("sqlite:x.db", None), output={"database": "sqlite:x.db", "table": "sqlite_t"}), folder).run()


def test_a_view_of_duckdb_is_not_taken_for_a_missing_schema(folder: Path) -> None:
    store = Store("duckdb:file.duckdb", lambda: duckdb.connect(str(folder / "file.duckdb")))
    store.run("CREATE VIEW vw AS SELECT 1 AS a")
    for table, said in (("vw", "no table that a publication wrote"), ("file.vw", "no such schema; a table is named")):
        with pytest.raises(OutputError, match=said):
            Plan.of(plan(store, output=output(store, table=table)), folder).run()


def test_a_limit_of_the_system_is_said_for_duckdb(folder: Path) -> None:
    """A limit for files, as a quota is; the error of DuckDB is the same for a file that another process has open."""
    store = Store("duckdb:x.duckdb", lambda: duckdb.connect(str(folder / "x.duckdb")))
    Plan.of(plan(store), folder).run()
    before = store.rows("SELECT * FROM release")
    frame = pd.concat([pd.read_parquet(folder / "in.parquet")] * 3000, ignore_index=True)
    frame.assign(note=[random.Random(place).random() for place in frame.index]).to_parquet(folder / "in.parquet")
    (folder / "plan.toml").write_text(plan_text(plan(store)))
    program = """
import resource
from sfumato.engines.databases.duckdb_database import DuckdbTables
from sfumato.errors import OutputError
from sfumato.plan import Plan
load = DuckdbTables._load
def limited(self, *given):
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
    load(self, *given)
DuckdbTables._load = limited
try:
    Plan.read("plan.toml").run()
except OutputError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, check=False, text=True)
    assert "file too large. Earlier tables are kept" in ended.stdout, ended.stderr
    assert store.rows("SELECT * FROM release") == before


def test_a_duckdb_file_that_another_process_has_open(folder: Path) -> None:
    program = "import duckdb, sys; c = duckdb.connect('x.duckdb'); print(1, flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], cwd=folder, stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(OutputError, match="another process has it open"):
            Plan.of(plan(Store("duckdb:x.duckdb", None)), folder).run()
        other.communicate()


def test_a_server_that_is_not_there_is_not_one_that_ended(folder: Path) -> None:
    name = "postgresql:host=127.0.0.1 port=1 dbname=x connect_timeout=2"
    with pytest.raises(OutputError, match="it cannot be reached, or refuses the connection"):
        Plan.of(plan(Store(name, None)), folder).run()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("CREATE TYPE release AS ENUM ('a')", "something else in it, such as a type"),
        ("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on", "its sessions can only read"),
    ],
)
def test_postgresql_says_what_is_wrong(folder: Path, postgres: str, before: str, said: str) -> None:
    store = Store(f"postgresql:{without_password(postgres)}", lambda: psycopg.connect(postgres))
    store.run(before)
    with pytest.raises(OutputError, match=said):
        Plan.of(plan(store), folder).run()
