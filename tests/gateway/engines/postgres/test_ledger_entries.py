"""The ledger lies in the database, whichever gateway writes it, and nobody but the owner can read it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest

from sfumato.errors import BusyError, DataError
from sfumato.gateway.engines.postgres.ledger_entries import PostgresEntries
from sfumato.gateway.statistics.ledger import Ledger


def test_several_gateways_write_one_ledger(postgres: str) -> None:
    taken: list[list[int]] = [[], [], []]
    ledgers = [Ledger(PostgresEntries(postgres), lambda fields, mine=mine: mine.append(fields["n"])) for mine in taken]

    def write(place: int) -> None:
        for number in range(10):
            ledgers[place].record(lambda put, number=number: put({"kind": "n", "n": 100 * place + number}))

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(write, range(3)))
    for ledger in ledgers:
        ledger.record(lambda put: None)
    assert sorted(taken[0]) == sorted(100 * place + number for place in range(3) for number in range(10))
    assert taken[0] == taken[1] == taken[2]


def test_gateways_that_start_together_create_one_ledger(postgres: str) -> None:
    for _ in range(10):
        started = Barrier(6)

        def write(place: int, started: Barrier = started) -> None:
            ledger = Ledger(PostgresEntries(postgres), lambda fields: None)
            started.wait()
            ledger.record(lambda put: put({"kind": "n", "n": place}))

        with ThreadPoolExecutor(6) as threads:
            list(threads.map(write, range(6)))
        with psycopg.connect(postgres) as connection:
            connection.execute("DROP SCHEMA sfumato_accounts CASCADE")


def test_cut_entries_are_noticed(postgres: str) -> None:
    ledger = Ledger(PostgresEntries(postgres), lambda fields: None)
    ledger.record(lambda put: put({"kind": "n", "n": 1}))
    with psycopg.connect(postgres) as connection:
        connection.execute("DELETE FROM sfumato_accounts.ledger WHERE number = 2")
    with pytest.raises(DataError, match="entries are missing"):
        ledger.record(lambda put: None)


def test_nobody_but_the_owner_reads_it(postgres: str) -> None:
    from tests.postgres import as_role

    Ledger(PostgresEntries(postgres), lambda fields: None).record(lambda put: put({"kind": "n", "n": 1}))
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE ROLE curious_reader LOGIN")
    for statement in ("SELECT * FROM sfumato_accounts.ledger", "LOCK TABLE sfumato_accounts.ledger"):
        other = psycopg.connect(as_role(postgres, "curious_reader"))
        with other, pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(statement.encode())


def test_who_holds_the_ledger_is_not_waited_for_without_end(postgres: str) -> None:
    store = PostgresEntries(postgres)
    ledger = Ledger(store, lambda fields: None)
    ledger.record(lambda put: put({"kind": "n", "n": 1}))
    with psycopg.connect(postgres) as other:
        other.execute("LOCK TABLE sfumato_accounts.ledger IN EXCLUSIVE MODE")
        store.seconds = 0.05
        with pytest.raises(BusyError, match="waited too long for locks of other sessions; ask again") as refusal:
            ledger.record(lambda put: None)
        assert refusal.value.__cause__ is None
    for store.seconds in (10.0, 1e300, float("inf")):
        ledger.record(lambda put: put({"kind": "n", "n": 2}))


def test_a_database_that_does_not_answer_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def connect(conninfo: str, **settings: object) -> None:
        given.append(settings)
        raise psycopg.errors.ConnectionTimeout("no")

    monkeypatch.setattr(psycopg, "connect", connect)
    store = PostgresEntries("host=/nowhere")
    store.seconds = 2.5
    with pytest.raises(DataError, match="cannot be reached"), store.exclusive():
        pass
    assert given == [{"connect_timeout": 3}]


def test_a_database_that_is_gone_is_said_so_without_its_words() -> None:
    with pytest.raises(DataError, match="cannot be reached") as refusal, PostgresEntries("host=/nowhere").exclusive():
        pass
    assert refusal.value.__cause__ is None
