"""The ledger lies with the data: in the database file, or beside the file of a table."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import BusyError, DataError
from sfumato.gateway.engines.duckdb import ledger_entries as duckdb_entries
from sfumato.gateway.engines.duckdb.ledger_entries import DuckDbEntries
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.entry_store import LedgerEntry


def entries(private: PrivateDuckDb, table: str = "t") -> list[LedgerEntry]:
    with private.entries(table).exclusive() as kept:
        return kept.after(0)


def database(path: Path) -> PrivateDuckDb:
    return PrivateDuckDb(path, keys={"t": "id"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS id")
    return tmp_path / "shop.duckdb"


def test_entries_move_with_the_database(path: Path) -> None:
    entry = LedgerEntry(1, "ab", b'{"n":1}')
    with database(path) as private, private.entries("t").exclusive() as kept:
        kept.add(entry)
        assert kept.after(0) == [entry]
    moved = path.rename(path.with_name("elsewhere.duckdb"))
    with database(moved) as private:
        assert entries(private) == [entry]
        assert private.tables() == ["t"]


def test_a_failure_leaves_nothing(path: Path) -> None:
    with database(path) as private:
        with suppress(KeyError), private.entries("t").exclusive() as kept:
            kept.add(LedgerEntry(1, "ab", b"{}"))
            raise KeyError("no")
        assert entries(private) == []


def test_two_stores_of_one_database_take_turns(path: Path) -> None:
    """The first one is inside while the second one comes, which must see what the first one adds then."""
    inside, came, seen = threading.Event(), threading.Event(), list[int]()

    def first() -> None:
        with private.entries("t").exclusive() as kept:
            seen.append(len(kept.after(0)))
            inside.set()
            came.wait(30)
            entered.wait(0.2)  # more than enough for somebody whom nothing keeps out
            kept.add(LedgerEntry(1, "ab", b"{}"))

    def second() -> None:
        inside.wait(30)
        came.set()
        with private.entries("t").exclusive() as kept:
            entered.set()
            seen.append(len(kept.after(0)))
            kept.add(LedgerEntry(2, "ab", b"{}"))

    entered = threading.Event()
    with database(path) as private, ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(first), pool.submit(second)]:
            one.result(60)
        assert seen == [0, 1]
        assert [entry.number for entry in entries(private)] == [1, 2]


def test_no_number_is_given_twice(path: Path) -> None:
    with database(path) as private:
        with private.entries("t").exclusive() as kept:
            kept.add(LedgerEntry(1, "ab", b"{}"))
        with pytest.raises(DataError), private.entries("t").exclusive() as kept:
            kept.add(LedgerEntry(1, "cd", b"{}"))
        assert entries(private) == [LedgerEntry(1, "ab", b"{}")]


def test_a_table_of_an_earlier_version_is_kept_and_used(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE SCHEMA sfumato_accounts")
        con.execute(
            "CREATE TABLE sfumato_accounts.ledger (number BIGINT NOT NULL, hash VARCHAR NOT NULL, body BLOB NOT NULL)"
        )
        con.execute("INSERT INTO sfumato_accounts.ledger VALUES (1, 'ab', '{}')")
    with database(path) as private:
        with private.entries("t").exclusive() as kept:
            kept.add(LedgerEntry(2, "cd", b"{}"))
        assert [entry.number for entry in entries(private)] == [1, 2]


def test_the_ledger_of_a_file_lies_beside_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "t.parquet")
    for number in (1, 2):
        with PrivateDuckDb(keys={"t": "id"}, files={"t": tmp_path / "t.parquet"}) as private:
            with private.entries("t").exclusive() as kept:
                kept.add(LedgerEntry(number, "ab", b"{}"))
            assert len(entries(private)) == number
    assert (tmp_path / "t.parquet.ledger" / "ledger.duckdb").exists()


def test_the_ledger_of_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "t.parquet")
    with PrivateDuckDb(keys={"t": "id"}, files={"t": tmp_path / "t.parquet"}) as private:
        assert entries(private) == []
    assert (tmp_path / "t.parquet.ledger").stat().st_mode & 0o777 == 0o700


def test_a_file_in_place_of_the_ledger_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "t.parquet")
    (tmp_path / "t.parquet.ledger").touch()
    with (
        PrivateDuckDb(keys={"t": "id"}, files={"t": tmp_path / "t.parquet"}) as private,
        pytest.raises(DataError, match="the ledger of answered aggregates cannot be written"),
    ):
        entries(private)


HOLDS = """
import sys
from pathlib import Path
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
with PrivateDuckDb(keys={"t": "id"}, files={"t": Path(sys.argv[1])}) as private, private.entries("t").exclusive():
    print("inside", flush=True)
    sys.stdin.readline()
"""


def test_another_process_is_waited_for_and_then_said_to_be_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": [1]}), file)
    with (
        subprocess.Popen(
            [sys.executable, "-c", HOLDS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other,
        PrivateDuckDb(keys={"t": "id"}, files={"t": file}) as private,
    ):
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "inside\n"
        store, waits = private.entries("t"), list[float]()
        store.seconds = 0.0
        with pytest.raises(BusyError, match="in use by other questions or another process"), store.exclusive():
            pass

        def pause(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                assert other.stdin is not None
                other.stdin.write("\n")
                other.stdin.flush()
                other.wait(60)

        monkeypatch.setattr(duckdb_entries.time, "sleep", pause)
        store.seconds = 60.0
        with store.exclusive() as kept:
            assert kept.after(0) == []
        assert len(waits) >= 3
        store.seconds = float("inf")
        with store.exclusive() as kept:
            assert kept.after(0) == []


def test_somebody_in_the_same_process_is_not_waited_for_without_end(path: Path) -> None:
    with database(path) as private, private.entries("t").exclusive():
        store = private.entries("t")
        store.seconds = 0.01
        with pytest.raises(BusyError, match="in use by other questions"), store.exclusive():
            pass


def test_a_database_that_cannot_be_written_has_no_ledger(path: Path) -> None:
    private = PrivateDuckDb(path, keys={"t": "id"}, read_only=True)
    with private, pytest.raises(DataError, match="open for reading only"):
        private.entries("t")


def test_a_failing_engine_says_nothing_of_its_own(tmp_path: Path) -> None:
    store = DuckDbEntries("nowhere", lambda: duckdb.connect(str(tmp_path)))
    with pytest.raises(DataError, match="the ledger of answered aggregates cannot be written"), store.exclusive():
        pass
