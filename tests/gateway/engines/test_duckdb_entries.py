"""The ledger lies with the data: in the database file, or beside the file of a table."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.duckdb_entries import DuckDbEntries
from sfumato.gateway.engines.private_duckdb import PrivateDuckDb
from sfumato.gateway.statistics.ledger import LedgerEntry


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
    with database(path) as private:
        for number in (1, 2, 3):
            with private.entries("t").exclusive() as kept:
                assert len(kept.after(0)) == number - 1
                kept.add(LedgerEntry(number, "ab", b"{}"))
        assert [entry.number for entry in entries(private)] == [1, 2, 3]


def test_the_ledger_of_a_file_lies_beside_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "t.parquet")
    for number in (1, 2):
        with PrivateDuckDb(keys={"t": "id"}, files={"t": tmp_path / "t.parquet"}) as private:
            with private.entries("t").exclusive() as kept:
                kept.add(LedgerEntry(number, "ab", b"{}"))
            assert len(entries(private)) == number
    assert (tmp_path / "t.parquet.ledger").exists()


def test_a_database_that_cannot_be_written_has_no_ledger(path: Path) -> None:
    private = PrivateDuckDb(path, keys={"t": "id"}, read_only=True)
    with private, pytest.raises(DataError, match="open for reading only"):
        private.entries("t")


def test_a_failing_engine_says_nothing_of_its_own(tmp_path: Path) -> None:
    store = DuckDbEntries("nowhere", lambda: duckdb.connect(str(tmp_path)))
    with pytest.raises(DataError, match="the ledger of answered aggregates cannot be kept"), store.exclusive():
        pass
