from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from sfumato.errors import DataError, LockedError, PolicyError, StatementError
from sfumato.gateway.engines.duckdb import private_database
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.duckdb.snapshots import Snapshots
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.runtime import file_identity

KEYS, CHOICES = {"people": "id"}, {"people": ["age", "zip"]}
PEOPLE = "CREATE TABLE people AS SELECT * FROM (VALUES (1, 30, 'a'), (2, 40, 'b'), (3, 50, 'c')) t(id, age, zip)"


@pytest.fixture(params=["memory", "file", "connection"])
def private(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PrivateDuckDb]:
    own = duckdb.connect() if request.param == "connection" else None
    source = {"memory": None, "file": tmp_path / "private.duckdb", "connection": own}[request.param]
    with PrivateDuckDb(source, keys=KEYS, choices=CHOICES) as private:
        private.change("people", PEOPLE)
        yield private
    if own is not None:
        assert own.execute("SELECT 1").fetchall() == [(1,)]
        own.close()


def rows(private: PrivateDuckDb, table: str = "people") -> list[tuple[Any, ...]]:
    query = exp.select("*").from_(private.raw(table)).sql("duckdb")
    return sorted(tuple(row.values()) for row in private.stream(query).read_all().to_pylist())


def some(private: PrivateDuckDb, keys: pa.Array, kind: str = "INTEGER") -> list[tuple[Any, ...]]:
    found = private.rows_with_keys("people", kind, keys, 'SELECT * FROM "raw"')
    return sorted(tuple(row.values()) for row in found.to_pylist())


def test_tables_and_types_are_told(private: PrivateDuckDb) -> None:
    private.change("people", "CREATE SCHEMA hr; CREATE TABLE hr.staff (id UUID, pay DECIMAL(9, 2), born DATE)")
    private.change("people", "CREATE VIEW seen AS SELECT id FROM people")
    private.set_choices("people", pa.table({"id": [1], "age.choice": [1]}))
    assert private.tables() == ["hr.staff", "people", "seen"]
    assert private.types("hr.staff") == {"id": "UUID", "pay": "DECIMAL(9,2)", "born": "DATE"}
    assert private.types("people") == {"id": "INTEGER", "age": "INTEGER", "zip": "VARCHAR"}
    with pytest.raises(DataError, match="does not exist"):
        private.types("nobody")


def test_rows_come_with_what_was_chosen(private: PrivateDuckDb) -> None:
    assert rows(private) == [(1, 30, "a", None, None), (2, 40, "b", None, None), (3, 50, "c", None, None)]
    private.set_choices("people", pa.table({"id": [1, 9], "age.choice": [1, 1]}))
    private.set_choices("people", pa.table({"id": [1, 2], "zip.choice": [2, 2]}))
    assert rows(private) == [(1, 30, "a", 1, 2), (2, 40, "b", None, 2), (3, 50, "c", None, None)]
    assert some(private, pa.array([1, 3])) == [(1, 30, "a", 1, 2), (3, 50, "c", None, None)]


def test_rows_are_found_by_key_whatever_changed_before(private: PrivateDuckDb) -> None:
    assert some(private, pa.array([1])) == [(1, 30, "a", None, None)]
    private.set_choices("people", pa.table({"id": [1], "zip.choice": [2]}))
    assert some(private, pa.array([1])) == [(1, 30, "a", None, 2)]
    private.change("people", "UPDATE people SET age = 31 WHERE id = 1")
    private.set_choices("people", pa.table({"id": [1], "age.choice": [1]}))
    assert some(private, pa.array([1, 9])) == [(1, 31, "a", 1, 2)]
    private.change("people", "INSERT INTO people SELECT i, i, 'z' FROM range(100, 200) t(i)")
    assert len(some(private, pa.array(range(100, 200)))) == 100
    private.change("people", "ALTER TABLE people ADD COLUMN day DATE DEFAULT DATE '2020-02-29'")
    assert some(private, pa.array([2]))[0][3] == date(2020, 2, 29)


def test_people_choose_once_at_a_time(private: PrivateDuckDb) -> None:
    for ids in ([1, 1], [1, None], ["1", "01"]):
        with pytest.raises(StatementError, match="a key twice, or none"):
            private.set_choices("people", pa.table({"id": ids, "age.choice": [1, 2]}))
    assert rows(private)[0] == (1, 30, "a", None, None)


def test_all_who_look_at_a_database_notice_what_one_of_them_changes() -> None:
    with duckdb.connect() as own:
        one, other = (PrivateDuckDb(own, keys=KEYS, choices=CHOICES) for _ in range(2))
        one.change("people", PEOPLE)
        before = other.epoch("people")
        assert other.epoch("people") == before
        one.set_choices("people", pa.table({"id": [2], "age.choice": [1]}))
        assert other.epoch("people") != before
        found = other.changed("people", before)
        assert found is not None
        assert found.to_pylist() == [2]


CHANGES: list[tuple[dict[str, Any], set[int] | None]] = [
    ({"statement": "UPDATE people SET age = 31 WHERE id = 1"}, {1}),
    ({"statement": "DELETE FROM people WHERE age > 35"}, {2, 3}),
    ({"statement": "INSERT INTO people VALUES (4, 1, 'd')"}, {4}),
    ({"statement": "UPDATE people SET id = 9 WHERE id = 3"}, None),
    ({"statement": "ALTER TABLE people ADD COLUMN more INTEGER"}, None),
    ({"rows": pa.table({"id": [3, 5], "zip": ["z", "y"], "age": [1, 2]})}, {3, 5}),
    ({"gone": pa.array([1, 2])}, {1, 2}),
    ({"rows": pa.table({"id": [3], "zip": ["z"]}), "gone": pa.array([2])}, {2, 3}),
]


@pytest.mark.parametrize(("change", "keys"), CHANGES)
def test_what_changed_is_known(private: PrivateDuckDb, change: dict[str, Any], keys: set[int] | None) -> None:
    private.change("people", "INSERT INTO people VALUES (0, 0, '')")
    before, old = private.epoch("people"), {row[0]: row for row in rows(private)}
    assert private.epoch("people") == before
    private.change("people", **change)
    assert private.epoch("people") != before
    found = private.changed("people", before)
    assert (None if found is None else set(found.to_pylist())) == keys
    if keys is not None:
        now = {row[0]: row for row in rows(private)}
        assert {key for key in old.keys() | now.keys() if old.get(key) != now.get(key)} <= keys
        since = private.changed("people", private.epoch("people"))
        assert since is not None
        assert len(since) == 0


def test_choices_are_changes_too_and_others_are_not(private: PrivateDuckDb) -> None:
    private.set_choices("people", pa.table({"id": [2], "age.choice": [1]}))
    before = private.epoch("people")
    private.set_choices("people", pa.table({"id": [1, 3], "age.choice": [1, None]}))
    found = private.changed("people", before)
    assert found is not None
    assert sorted(found.to_pylist()) == [1, 3]
    private.touch("people")
    assert private.changed("people", before) is None


def test_what_fails_changes_nothing_and_tells_no_value(private: PrivateDuckDb) -> None:
    before, old = private.epoch("people"), rows(private)
    failing: list[dict[str, Any]] = [
        {"statement": "UPDATE people SET age = CAST(zip || 'canary' AS INTEGER)"},
        {"rows": pa.table({"id": [1], "age": ["canary"]})},
        {"rows": pa.table({"id": [1], "nothing": [1]})},
        {"gone": pa.array(["canary"])},
    ]
    for change in failing:
        with pytest.raises(DataError, match="'people' was not changed") as caught:
            private.change("people", **change)
        told = "".join(traceback.format_exception(caught.value))
        assert "canary" not in told.replace(str(change), "").replace("|| 'canary'", "")
        assert "canary" not in str(caught.value.__context__)
    assert (private.epoch("people"), rows(private)) == (before, old)


def test_streams_tell_no_value_either(private: PrivateDuckDb) -> None:
    private.change("people", "UPDATE people SET zip = 'canary' WHERE id = 3")
    with pytest.raises(DataError, match="cannot be read") as caught:
        private.stream("SELECT CAST(zip AS DATE) FROM people WHERE id = 3").read_all()
    assert "canary" not in "".join(traceback.format_exception(caught.value))
    late = "SELECT CASE WHEN i > 500000 THEN error('canary ' || i) ELSE i::VARCHAR END FROM range(1000000) t(i)"
    with pytest.raises(DataError, match="cannot be read") as caught:
        private.stream(late).read_all()
    assert "canary" not in str(caught.value)
    assert "canary" not in str(caught.value.__context__)


def test_a_stream_goes_on_while_something_changes(tmp_path: Path) -> None:
    with PrivateDuckDb(tmp_path / "private.duckdb", keys=KEYS) as private:
        private.change("people", "CREATE TABLE people AS SELECT i AS id, 0 AS v FROM range(500000) t(i)")
        reader = private.stream("SELECT id, v FROM people")
        first = reader.read_next_batch()
        private.change("people", "UPDATE people SET v = 1")
        rest = reader.read_all()
        assert first.num_rows + rest.num_rows == 500_000
        assert set(rest.column("v").to_pylist()) == {0}


def test_choices_and_changes_outlive_the_process(tmp_path: Path) -> None:
    path = tmp_path / "private.duckdb"
    with PrivateDuckDb(path, keys=KEYS, choices=CHOICES) as private:
        private.change("people", PEOPLE)
        private.set_choices("people", pa.table({"id": [2], "age.choice": [1]}))
        number = private.epoch("people")[1]
    with PrivateDuckDb(path, keys=KEYS, choices=CHOICES, read_only=True) as private:
        assert rows(private)[1] == (2, 40, "b", 1, None)
        with pytest.raises(DataError, match="reading only"):
            private.touch("people")
    with PrivateDuckDb(path, keys=KEYS, choices=CHOICES) as private:
        assert private.epoch("people")[1] == number


@pytest.fixture
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file counts as written just now."""
    monkeypatch.setattr(file_identity, "_CLOCK_STEP", 0)


@pytest.mark.usefixtures("long_ago")
def test_a_database_that_is_replaced_is_opened_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "private.duckdb", tmp_path / "other.duckdb"
    for place, number in ((path, 1), (other, 2)):
        with duckdb.connect(str(place)) as con:
            con.execute(f"CREATE TABLE people AS SELECT {number} AS id")
    with PrivateDuckDb(path, keys=KEYS, read_only=True) as private:
        before = private.epoch("people")
        assert (private.epoch("people"), rows(private)) == (before, [(1,)])
        other.replace(path)
        assert private.epoch("people") != before
        assert private.changed("people", before) is None
        assert rows(private) == [(2,)]


@pytest.mark.usefixtures("long_ago")
def test_files_are_tables_whose_changes_are_noticed(tmp_path: Path) -> None:
    csv, parquet = tmp_path / "people.csv", tmp_path / "visits.parquet"
    csv.write_text("id,age\n1,30\n", encoding="utf-8")
    pq.write_table(pa.table({"id": [1], "day": [7]}), parquet)
    keys, files = {"people": "id", "visits": "id"}, {"people": csv, "visits": parquet}
    with PrivateDuckDb(keys=keys, files=files, choices={"people": ["age"]}) as private:
        assert private.tables() == ["people", "visits"]
        assert private.types("people") == {"id": "BIGINT", "age": "BIGINT"}
        private.set_choices("people", pa.table({"id": [1], "age.choice": [2]}))
        before = [private.epoch(table) for table in keys]
        assert rows(private) == [(1, 30, 2)]
        csv.write_text("id,age,zip\n1,31,x\n", encoding="utf-8")
        after = [private.epoch(table) for table in keys]
        assert (after[0] == before[0], after[1] == before[1]) == (False, True)
        assert private.changed("people", before[0]) is None
        assert rows(private) == [(1, 31, "x", 2)]


def test_names_are_never_variables_of_the_program(tmp_path: Path) -> None:
    people = pa.table({"id": [1]})
    with (
        PrivateDuckDb(tmp_path / "private.duckdb", keys=KEYS) as private,
        pytest.raises(DataError, match="does not exist"),
    ):
        private.types("people")
    assert people.num_rows == 1


def test_a_table_without_a_key_cannot_be_asked(private: PrivateDuckDb) -> None:
    with pytest.raises(PolicyError, match="did you mean 'people'"):
        private.raw("peeple")


def test_a_database_that_is_in_use_is_refused_in_words_of_our_own(tmp_path: Path) -> None:
    path = tmp_path / "private.duckdb"
    code = f"import duckdb, sys\ncon = duckdb.connect({str(path)!r})\nprint('open', flush=True)\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        (other.stdout or sys.stdin).readline()
        with pytest.raises(LockedError, match=r"^'private.duckdb' is open in another process; stop it, or start"):
            PrivateDuckDb(path, keys=KEYS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.duckdb", "'notes.duckdb' is not a DuckDB database"),
        ("nowhere/x.duckdb", "there is no database 'x.duckdb'"),
        ("", "cannot be opened"),
    ],
)
def test_files_that_are_no_database(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "notes.duckdb").write_text("Ann is ill")
    with pytest.raises(DataError, match=said) as raised:
        PrivateDuckDb(tmp_path / name, keys=KEYS)
    assert raised.value.__cause__ is None


def test_tables_that_are_not_there_are_named(private: PrivateDuckDb) -> None:
    private.demand_there("People")
    private.demand_there("main.people")
    with pytest.raises(PolicyError, match="no table 'peeple'; did you mean 'people'"):
        private.demand_there("peeple")


def test_several_threads_may_change_and_read(private: PrivateDuckDb) -> None:
    def change(number: int) -> None:
        private.change("people", f"INSERT INTO people VALUES ({number}, 0, '')")
        assert (number, 0, "", None, None) in rows(private)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(change, range(100, 120)))
    assert len(rows(private)) == 23
    assert private.epoch("people")[1] == 21


def test_a_child_follows_its_private_table(private: PrivateDuckDb) -> None:
    """From the owner's table over choices into a child, row by row: never a row more, never one less."""
    refreshed: list[str] = []

    hidden = 'CASE WHEN "age.choice" = 1 THEN age END AS age'

    def build() -> pa.RecordBatchReader:
        refreshed.append("all")
        return private.stream(exp.select("id", hidden, dialect="duckdb").from_(private.raw("people")).sql("duckdb"))

    def changed(since: Any) -> tuple[pa.Array, pa.Table] | None:
        keys = private.changed("people", since)
        if keys is None:
            return None
        refreshed.append("some")
        return keys, private.rows_with_keys("people", "INTEGER", keys, f'SELECT id, {hidden} FROM "raw"')

    with WorkerHandle.start(memory="64MB") as child:
        kept = Snapshots(child)

        def seen() -> list[tuple[int, int | None]]:
            kept.ensure("m.people", private.epoch("people"), build, changed, key="id")
            found = child.ask('SELECT * FROM "m.people" ORDER BY id', seconds=5).to_pylist()
            return [(row["id"], row["age"]) for row in found]

        assert seen() == [(1, None), (2, None), (3, None)]
        private.set_choices("people", pa.table({"id": [1, 2], "age.choice": [1, 1]}))
        assert seen() == [(1, 30), (2, 40), (3, None)]
        private.change("people", "DELETE FROM people WHERE id = 1")
        private.change("people", "UPDATE people SET age = 41 WHERE id = 2")
        assert seen() == [(2, 41), (3, None)]
        private.set_choices("people", pa.table({"id": [2], "age.choice": [2]}))
        assert seen() == seen() == [(2, None), (3, None)]
    assert refreshed == ["all", "some", "some", "some"]


def test_the_owners_own_work_is_not_disturbed() -> None:
    with duckdb.connect() as own:
        own.execute("CREATE TEMP TABLE people AS SELECT 1 AS id")
        private = PrivateDuckDb(own, keys=KEYS, read_only=True)
        assert rows(private) == [(1,)]
        done = threading.Event()
        threading.Thread(target=lambda: (rows(private), done.set())).start()
        assert done.wait(10)
        assert own.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name LIKE 'sfumato%'").fetchall() == [
            (0,)
        ]


def test_only_known_tables_can_be_said_to_have_changed(private: PrivateDuckDb) -> None:
    for name in ("People", "main.people", "persons"):
        with pytest.raises(PolicyError, match="key of table"):
            private.touch(name)


def test_a_statement_about_something_else_may_have_changed_everything() -> None:
    with PrivateDuckDb(keys={**KEYS, "orders": "id"}) as private:
        private.change("people", PEOPLE)
        private.change("orders", "CREATE TABLE orders AS SELECT 1 AS id")
        before = private.epoch("people")
        private.change("orders", "DELETE FROM people WHERE id = 1")
        assert private.epoch("people") != before
        assert private.changed("people", before) is None
        before = private.epoch("people")
        private.change("orders", "INSERT INTO orders VALUES (2)")
        assert private.epoch("people") == before


def test_nobody_reads_in_the_middle_of_a_change() -> None:
    with duckdb.connect() as own:
        one, other = (PrivateDuckDb(own, keys=KEYS, choices=CHOICES) for _ in range(2))
        one.change("people", PEOPLE)
        seen: list[object] = []
        with one._transaction("people"):
            own.execute("UPDATE people SET age = 99")
            reader = threading.Thread(target=lambda: seen.append(other.types("people")))
            reader.start()
            reader.join(0.2)
            assert reader.is_alive()
            assert not seen
        reader.join()
        assert seen


def test_views_change_with_what_they_look_at() -> None:
    with PrivateDuckDb(keys={**KEYS, "old": "id"}) as private:
        private.change("people", PEOPLE)
        private.change("old", "CREATE VIEW old AS SELECT * FROM people WHERE age > 35")
        before = private.epoch("old")
        private.change("people", "UPDATE people SET age = 80 WHERE id = 1")
        after = private.epoch("old")
        assert after != before
        private.change("people", gone=pa.array([1]))
        assert private.epoch("old") != after
        assert private.changed("old", before) is None


@pytest.mark.parametrize("place", ["beside", "memory", "read only"])
def test_what_spills_goes_to_a_private_folder_that_is_gone_afterwards(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, elsewhere = tmp_path / "base", tmp_path / "elsewhere"
    base.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(base)
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    monkeypatch.setitem(private_database._SETTINGS, "memory_limit", "40MB")
    with PrivateDuckDb(base / "private.duckdb", keys=KEYS) as made:
        made.change("people", PEOPLE)
    source = None if place == "memory" else base / "private.duckdb"
    with PrivateDuckDb(source, keys=KEYS, read_only=place == "read only") as private:
        found = private.stream("SELECT range AS n FROM range(3_000_000) ORDER BY hash(range)")
        assert found.read_next_batch().num_rows
        (folder,) = (base if place == "beside" else elsewhere).glob(".sfumato-*")
        assert list(folder.iterdir()) != []
        assert folder.stat().st_mode & 0o077 == 0
        assert not [path for path in base.iterdir() if path.name.endswith(".tmp")]
        del found
    assert [path.name for path in base.iterdir()] == ["private.duckdb"]
    assert list(elsewhere.iterdir()) == []


def test_a_database_opened_twice_in_one_process_has_one_folder(tmp_path: Path) -> None:
    with PrivateDuckDb(tmp_path / "private.duckdb", keys=KEYS) as first:
        first.change("people", PEOPLE)
        with PrivateDuckDb(tmp_path / "private.duckdb", keys=KEYS) as second:
            assert rows(second) == rows(first)
            assert len(list(tmp_path.glob(".sfumato-*"))) == 1
        assert len(list(tmp_path.glob(".sfumato-*"))) == 1
    assert list(tmp_path.glob(".sfumato-*")) == []
