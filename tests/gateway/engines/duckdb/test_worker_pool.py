from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import inf

import pyarrow as pa
import pytest

from sfumato.errors import DataError, LimitError, ParameterError
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.gateway.engines.duckdb.worker_pool import WorkerPool
from tests.gateway.engines.stepped import stepping

FOREVER = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool.start(2, memory="128MB") as pool:
        yield pool


def pids(pool: WorkerPool) -> list[int]:
    return [child.pid for child in pool._workers]


def numbers(pool: WorkerPool) -> list[int]:
    return [int(row["id"]) for row in pool.ask("SELECT id FROM people ORDER BY id", seconds=10).to_pylist()]


def numbers_everywhere(pool: WorkerPool) -> list[list[int]]:
    sql = "SELECT id FROM people ORDER BY id"
    return [child.ask(sql, seconds=10).column("id").to_pylist() for child in pool._workers]


def test_every_child_holds_the_same_rows(pool: WorkerPool) -> None:
    pool.load("people", pa.table({"id": [1, 2]}).to_reader(), key="id")
    assert numbers_everywhere(pool) == [[1, 2], [1, 2]]
    pool.change("people", pa.array([1]), pa.table({"id": [3]}), "id")
    assert numbers_everywhere(pool) == [[2, 3], [2, 3]]


def test_questions_are_answered_side_by_side(pool: WorkerPool) -> None:
    pool.load("people", pa.table({"id": [1, 2]}))
    with pool._borrow(inf, None):
        assert numbers(pool) == [1, 2]


def test_who_waits_for_too_long_is_told_so(pool: WorkerPool) -> None:
    with pool._borrow(inf, None):
        with pool._borrow(inf, None), pytest.raises(LimitError, match="busy"):
            pool.ask("SELECT 1", seconds=60, patience=0.05)
        assert pool.ask("SELECT 1 AS a", seconds=60, patience=60).to_pylist() == [{"a": 1}]


def test_a_killed_child_is_replaced_with_its_tables(pool: WorkerPool) -> None:
    def reload(child: WorkerHandle) -> None:
        child.load("people", pa.table({"id": [4, 5]}), key="id")

    pool.reload = reload
    pool.load("people", pa.table({"id": [4, 5]}), key="id")
    before = pids(pool)
    for process in before:
        os.kill(process, signal.SIGKILL)
    assert [numbers(pool) for _ in range(4)] == [[4, 5]] * 4
    pool.change("people", pa.array([4]), pa.table({"id": [6]}), "id")
    assert numbers_everywhere(pool) == [[5, 6], [5, 6]]
    assert not set(pids(pool)) & set(before)


def test_a_child_that_is_killed_in_the_middle_of_a_question_is_replaced(pool: WorkerPool) -> None:
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(
            pool.ask, "SELECT max(a.range + b.range) AS n FROM range(20000) a, range(20000) b", seconds=30
        )
        time.sleep(0.2)
        for process in pids(pool):
            os.kill(process, signal.SIGKILL)
        assert asked.result().to_pylist() == [{"n": 39998}]


def test_a_child_that_cannot_be_loaded_again_is_not_used(pool: WorkerPool) -> None:
    def reload(_: WorkerHandle) -> None:
        raise DataError("the source is away.")

    pool.load("people", pa.table({"id": [1]}))
    pool.reload = reload
    os.kill(pids(pool)[1], signal.SIGKILL)
    while pool._workers[1].alive:
        pass
    with pytest.raises(DataError, match="away"):
        pool.load("people", pa.table({"id": [3]}))
    pool.reload = lambda child: child.load("people", pa.table({"id": [1]}))
    pool.load("people", pa.table({"id": [2]}))
    assert numbers_everywhere(pool) == [[2], [2]]


def test_a_child_of_unknown_state_is_replaced_with_its_tables() -> None:
    with ExitStack() as stack:
        (first, steps), loaded = stack.enter_context(stepping()), []
        pool = WorkerPool([first], lambda: stack.enter_context(stepping())[0])

        def reload(child: WorkerHandle) -> None:
            loaded.append(child)
            child.load("people", pa.table({"id": [4, 5]}), key="id")

        pool.reload = reload
        pool.load("people", pa.table({"id": [4, 5]}), key="id")
        steps.choose(4, "fail before")  # a question that is answered, and whose transaction does not end
        assert numbers(pool) == [4, 5]
        assert (first.ended, len(loaded)) == ("gone", 1)
        assert numbers(pool) == [4, 5]
        assert len(loaded) == 1


def test_many_threads_ask_while_rows_change(pool: WorkerPool) -> None:
    pool.load("people", pa.table({"id": range(1000), "v": [0] * 1000}), key="id")
    stop = threading.Event()
    seen: list[tuple[int, int]] = []

    def ask() -> None:
        while not stop.is_set():
            row = pool.ask("SELECT count(*)::INTEGER AS n, max(v) - min(v) AS spread FROM people", seconds=10)
            seen.append((row.column("n")[0].as_py(), row.column("spread")[0].as_py()))

    with ThreadPoolExecutor(4) as threads:
        asking = [threads.submit(ask) for _ in range(4)]
        for version in range(1, 30):
            rows = pa.table({"id": range(1000), "v": [version] * 1000})
            if version % 2:
                pool.load("people", rows, key="id")
            else:
                pool.change("people", pa.array(range(1000)), rows, "id")
        stop.set()
        for one in asking:
            one.result()
    assert len(seen) > 10
    assert set(seen) == {(1000, 0)}


def test_nothing_is_started_after_the_end() -> None:
    pool = WorkerPool.start(1, memory="64MB")
    pool.close()
    with pytest.raises(LimitError):
        pool.ask("SELECT 1", seconds=1)
    assert not any(child.alive for child in pool._workers)


def test_a_crew_has_somebody() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        WorkerPool.start(0)


def test_if_one_worker_does_not_start_the_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    started, both = [], threading.Barrier(2)
    start = WorkerHandle.start

    def once(memory: str, threads: int) -> WorkerHandle:
        if both.wait() == 0:
            raise DataError("a worker process did not start.")
        started.append(start(memory, threads))
        return started[0]

    monkeypatch.setattr(WorkerHandle, "start", once)
    with pytest.raises(DataError, match="did not start"):
        WorkerPool.start(2, memory="64MB")
    while not started or started[0].ended is None:
        time.sleep(0.01)
    assert not started[0].alive
