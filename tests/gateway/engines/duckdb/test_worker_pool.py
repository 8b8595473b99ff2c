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

from sfumato.errors import DataError, LimitError, ParameterError, StatementError
from sfumato.gateway.engines.duckdb.worker_handle import Child
from sfumato.gateway.engines.duckdb.worker_pool import Crew
from tests.gateway.engines.stepped import stepping

FOREVER = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def crew() -> Iterator[Crew]:
    with Crew.start(2, memory="128MB") as crew:
        yield crew


def pids(crew: Crew) -> list[int]:
    return [child.pid for child in crew._children]


def numbers(crew: Crew) -> list[int]:
    return [int(row["id"]) for row in crew.ask("SELECT id FROM people ORDER BY id", seconds=10).to_pylist()]


def numbers_everywhere(crew: Crew) -> list[list[int]]:
    sql = "SELECT id FROM people ORDER BY id"
    return [child.ask(sql, seconds=10).column("id").to_pylist() for child in crew._children]


def test_every_child_holds_the_same_rows(crew: Crew) -> None:
    crew.load("people", pa.table({"id": [1, 2]}).to_reader(), key="id")
    assert numbers_everywhere(crew) == [[1, 2], [1, 2]]
    crew.change("people", pa.array([1]), pa.table({"id": [3]}), "id")
    assert numbers_everywhere(crew) == [[2, 3], [2, 3]]
    crew.drop("people")
    with pytest.raises(StatementError):
        numbers(crew)


def test_questions_are_answered_side_by_side(crew: Crew) -> None:
    crew.load("people", pa.table({"id": [1, 2]}))
    with crew._one(inf, None):
        assert numbers(crew) == [1, 2]


def test_who_waits_for_too_long_is_told_so(crew: Crew) -> None:
    with crew._one(inf, None):
        with crew._one(inf, None), pytest.raises(LimitError, match="busy"):
            crew.ask("SELECT 1", seconds=60, patience=0.05)
        assert crew.ask("SELECT 1 AS a", seconds=60, patience=60).to_pylist() == [{"a": 1}]


def test_a_killed_child_is_replaced_with_its_tables(crew: Crew) -> None:
    def reload(child: Child) -> None:
        child.load("people", pa.table({"id": [4, 5]}), key="id")

    crew.reload = reload
    crew.load("people", pa.table({"id": [4, 5]}), key="id")
    before = pids(crew)
    for process in before:
        os.kill(process, signal.SIGKILL)
    assert [numbers(crew) for _ in range(4)] == [[4, 5]] * 4
    crew.change("people", pa.array([4]), pa.table({"id": [6]}), "id")
    assert numbers_everywhere(crew) == [[5, 6], [5, 6]]
    assert not set(pids(crew)) & set(before)


def test_a_child_that_is_killed_in_the_middle_of_a_question_is_replaced(crew: Crew) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(
            crew.ask, "SELECT max(a.range + b.range) AS n FROM range(20000) a, range(20000) b", seconds=30
        )
        time.sleep(0.2)
        for process in pids(crew):
            os.kill(process, signal.SIGKILL)
        assert asked.result().to_pylist() == [{"n": 39998}]


def test_a_child_that_cannot_be_loaded_again_is_not_used(crew: Crew) -> None:
    def reload(_: Child) -> None:
        raise DataError("the source is away.")

    crew.load("people", pa.table({"id": [1]}))
    crew.reload = reload
    os.kill(pids(crew)[1], signal.SIGKILL)
    while crew._children[1].alive:
        pass
    with pytest.raises(DataError, match="away"):
        crew.drop("people")
    crew.reload = lambda child: child.load("people", pa.table({"id": [1]}))
    crew.load("people", pa.table({"id": [2]}))
    assert numbers_everywhere(crew) == [[2], [2]]


def test_a_child_of_unknown_state_is_replaced_with_its_tables() -> None:
    with ExitStack() as stack:
        (first, steps), loaded = stack.enter_context(stepping()), []
        crew = Crew([first], lambda: stack.enter_context(stepping())[0])

        def reload(child: Child) -> None:
            loaded.append(child)
            child.load("people", pa.table({"id": [4, 5]}), key="id")

        crew.reload = reload
        crew.load("people", pa.table({"id": [4, 5]}), key="id")
        steps.choose(4, "fail before")  # a question that is answered, and whose transaction does not end
        assert numbers(crew) == [4, 5]
        assert (first.ended, len(loaded)) == ("gone", 1)
        assert numbers(crew) == [4, 5]
        assert len(loaded) == 1


def test_many_threads_ask_while_rows_change(crew: Crew) -> None:
    crew.load("people", pa.table({"id": range(1000), "v": [0] * 1000}), key="id")
    stop = threading.Event()
    seen: list[tuple[int, int]] = []

    def ask() -> None:
        while not stop.is_set():
            row = crew.ask("SELECT count(*)::INTEGER AS n, max(v) - min(v) AS spread FROM people", seconds=10)
            seen.append((row.column("n")[0].as_py(), row.column("spread")[0].as_py()))

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        for version in range(1, 30):
            rows = pa.table({"id": range(1000), "v": [version] * 1000})
            if version % 2:
                crew.load("people", rows, key="id")
            else:
                crew.change("people", pa.array(range(1000)), rows, "id")
        stop.set()
        for one in asking:
            one.result()
    assert len(seen) > 10
    assert set(seen) == {(1000, 0)}


def test_nothing_is_started_after_the_end() -> None:
    crew = Crew.start(1, memory="64MB")
    crew.close()
    with pytest.raises(LimitError):
        crew.ask("SELECT 1", seconds=1)
    assert not any(child.alive for child in crew._children)


def test_a_crew_has_somebody() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        Crew.start(0)
