from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError, LimitError, ParameterError, StatementError
from sfumato.gateway.engines.duckdb import worker_handle as handle_module
from sfumato.gateway.engines.duckdb.wire import Channel
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle

CANARY, NUMBER = "canary-7316", 731_600_000_001
FOREVER = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


@pytest.fixture(scope="module")
def child() -> Iterator[WorkerHandle]:
    with WorkerHandle.start(memory="256MB") as child:
        yield child


def asked(child: WorkerHandle, sql: str, *parameters: Any) -> list[dict[str, Any]]:
    return list(child.ask(sql, parameters, seconds=10).to_pylist())


TYPES = [
    "1::TINYINT", "2::UTINYINT", "-3::SMALLINT", "4::USMALLINT", "-5::INTEGER", "6::UINTEGER", "-7::BIGINT",
    "18446744073709551615::UBIGINT", "99999999999999999999999999999999999999::HUGEINT", "1.5::FLOAT", "0.1::DOUBLE",
    "'infinity'::DOUBLE", "12.34::DECIMAL(4, 2)", "0.1::DECIMAL(9, 9)", "1234567890123456789.5::DECIMAL(38, 10)",
    "'é😀'", "''", "TRUE", "NULL", "'\\xAA\\x00'::BLOB", "DATE '2020-02-29'", "DATE '0044-03-15 (BC)'",
    "'infinity'::DATE", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP_S '2020-01-02 03:04:05'",
    "TIMESTAMP_MS '2020-01-02 03:04:05.123'", "TIMESTAMP_NS '2020-01-02 03:04:05.123456789'",
    "TIMESTAMPTZ '2020-01-02 03:04:05+02'", "TIME '12:34:56.789'", "INTERVAL '1 month 2 days 3 seconds'",
    "[1, NULL, 3]", "[[1], [], [NULL]]", "{'a': 1, 'b': {'c': 'x'}}", "MAP {'k': [1]}", "array_value(1, 2, 3)",
    "'x'::ENUM('y', 'x')",
]  # fmt: skip


@pytest.mark.parametrize("value", TYPES)
def test_values_of_every_type_go_in_and_out_unchanged(child: WorkerHandle, value: str) -> None:
    out = child.ask(f"SELECT {value} AS v UNION ALL SELECT NULL", seconds=10)
    child.load("types", out)
    same = asked(
        child,
        f"SELECT count(*) FILTER (v IS NULL) AS nulls, bool_or(v IS NOT DISTINCT FROM {value}) AS same FROM types",
    )
    assert same == [{"nulls": 2 if value == "NULL" else 1, "same": True}]
    back, before = (
        rows.column("v").cast(pa.string()) if pa.types.is_dictionary(rows.column("v").type) else rows.column("v")
        for rows in (child.ask("SELECT v FROM types", seconds=10), out)
    )
    assert back.equals(before)


def test_what_is_no_number_stays_none(child: WorkerHandle) -> None:
    child.load("types", child.ask("SELECT 'nan'::DOUBLE AS v", seconds=10))
    assert asked(child, "SELECT isnan(v) AS v FROM types") == [{"v": True}]


@pytest.mark.parametrize(
    "value",
    [None, True, -5, 2**63, 1.5, "é", b"\x00\xff", Decimal("1.25"), date(2020, 2, 29), datetime(2020, 1, 1, 2, 3, 4, 5),
     timedelta(days=1), [1, 2], {"a": 1}],
)  # fmt: skip
def test_parameters_of_every_type_arrive(child: WorkerHandle, value: Any) -> None:
    assert asked(child, "SELECT ? IS NOT DISTINCT FROM ? AS same", value, value) == [{"same": True}]


def test_a_table_is_replaced_as_a_whole(child: WorkerHandle) -> None:
    child.load("a.b", pa.table({"id": [1, 2]}), key="id")
    child.load("a.b", pa.table({"id": ["x"], "other": [None]}), key="id")
    assert asked(child, 'SELECT * FROM "a.b"') == [{"id": "x", "other": None}]
    child.load("a.b", pa.schema([("id", pa.int32())]).empty_table(), key="id")
    assert asked(child, 'SELECT count(*) AS n FROM "a.b"') == [{"n": 0}]


def test_a_source_that_breaks_off_leaves_what_was_there(child: WorkerHandle) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"id": [7]})
        raise KeyError("source")

    child.load("broken", pa.table({"id": [1]}), key="id")
    with pytest.raises(KeyError, match="source"):
        child.load("broken", pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), batches()), key="id")
    assert asked(child, "SELECT id FROM broken") == [{"id": 1}]


def test_rows_that_cannot_be_kept_leave_what_was_there(child: WorkerHandle) -> None:
    child.load("kept", pa.table({"id": [1]}), key="id")
    with pytest.raises(DataError, match="'kept'"):
        child.load("kept", pa.table({"a": range(400_000)}), key="id")
    with pytest.raises(DataError, match="'kept'"):
        child.change("kept", pa.array([1]), pa.table({"id": [1], "b": [2]}), "id")
    assert asked(child, "SELECT id FROM kept") == [{"id": 1}]


def test_rows_are_exchanged_by_key(child: WorkerHandle) -> None:
    child.load("some.rows", pa.table({"id": [1, 2, 3, None], "v": ["a", "b", "c", "d"]}), key="id")
    changed = pa.table({"v": ["B", "E", "e"], "id": [2, 5, 5]})
    for _ in range(3):  # the same again changes nothing
        child.change("some.rows", pa.array([2, 3, 5]), changed, "id")
    found = asked(child, 'SELECT id, v FROM "some.rows" ORDER BY id NULLS LAST, v')
    assert [(row["id"], row["v"]) for row in found] == [(1, "a"), (2, "B"), (5, "E"), (5, "e"), (None, "d")]


def test_a_million_rows_are_loaded_looked_up_and_changed(child: WorkerHandle) -> None:
    count = 1_000_000
    ids = np.random.default_rng(7).permutation(count)
    rows = pa.table({"id": ids, "v": ids * 2})
    child.load("many", rows, key="id")
    assert asked(child, "SELECT count(*) AS n, sum(v)::BIGINT AS s FROM many") == [
        {"n": count, "s": count * (count - 1)}
    ]
    child.change("many", pa.array([4711]), pa.table({"id": [4711], "v": [-1]}), "id")
    assert asked(child, "SELECT v FROM many WHERE id = ?", 4711) == [{"v": -1}]
    assert asked(child, "SELECT v FROM many WHERE id = ?", 4712) == [{"v": 9424}]
    child.load("many", rows.slice(0, 0))  # frees the memory
    assert asked(child, "SELECT count(*) AS n FROM many") == [{"n": 0}]


def test_batches_may_have_dictionaries_of_their_own(child: WorkerHandle) -> None:
    kind = pa.dictionary(pa.uint8(), pa.string())
    batches = [
        pa.record_batch([pa.array(texts).dictionary_encode().cast(kind)], ["a"]) for texts in (["x"], ["y", "x"])
    ]
    child.load("coded", pa.Table.from_batches(batches))
    assert [row["a"] for row in asked(child, "SELECT a FROM coded")] == ["x", "y", "x"]


@pytest.mark.parametrize(
    "sql",
    [FOREVER, "SELECT range FROM range(100000000000) WHERE range % 1000000007 = 1", "SELECT * FROM range(100000000000)",
     "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t"],
)  # fmt: skip
def test_a_question_ends_when_its_time_is_up_and_the_child_lives(
    child: WorkerHandle, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handle_module, "_GRACE", 600.0)
    process = child.pid
    with pytest.raises(LimitError, match=r"longer|memory"):
        child.ask(sql, seconds=0.2)
    assert asked(child, "SELECT 1 AS a") == [{"a": 1}]
    assert child.pid == process


def test_a_child_that_does_not_keep_to_the_limit_is_ended() -> None:
    with WorkerHandle.start(memory="64MB") as child:
        os.kill(child.pid, signal.SIGSTOP)
        with pytest.raises(LimitError, match="longer"):
            child.ask("SELECT 1", seconds=0.05)
        assert (child.alive, child.ended) == (False, "time")
        with pytest.raises(LimitError):
            child.ask("SELECT 1", seconds=1)


@pytest.mark.parametrize(
    "sql",
    ["SELECT list(range) FROM range(1000000000)", "SELECT repeat('x', 2000000000)",
     "SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(1000000000))",
     "SELECT repeat('x', 20000000) FROM range(1000)"],
)  # fmt: skip
def test_memory_has_a_limit_and_the_child_lives(child: WorkerHandle, sql: str) -> None:
    with pytest.raises(LimitError, match="memory"):
        child.ask(sql, seconds=30)
    assert child.alive
    assert asked(child, "SELECT 1 AS a") == [{"a": 1}]


def test_rows_that_need_too_much_memory_are_not_loaded() -> None:
    with WorkerHandle.start(memory="32MB") as child:
        child.load("small", pa.table({"id": [1]}))
        wide = pa.table({"id": range(200_000), "text": [f"{number:0400}" for number in range(200_000)]})
        with pytest.raises(LimitError, match="'small'"):
            child.load("small", wide)
        assert asked(child, "SELECT id FROM small") == [{"id": 1}]


@pytest.mark.parametrize(("most", "refused"), [(99, True), (100, False), (None, False)])
def test_rows_of_an_answer_have_a_limit(child: WorkerHandle, most: int | None, refused: bool) -> None:
    if refused:
        with pytest.raises(LimitError, match="more rows"):
            child.ask("SELECT * FROM range(100)", seconds=5, rows=most)
    else:
        assert child.ask("SELECT * FROM range(100)", seconds=5, rows=most).num_rows == 100
    assert child.ask("SELECT * FROM range(5)", seconds=5, rows=5).num_rows == 5


def test_numbers_that_arrow_cannot_hold_are_refused(child: WorkerHandle) -> None:
    with pytest.raises(StatementError, match="digits") as caught:
        child.ask("SELECT 170141183460469231731687303715884105727::HUGEINT", seconds=5)
    assert caught.value.__context__ is None


FAILING = [
    "SELECT CAST(text AS INTEGER) FROM secrets",
    "SELECT CAST(text AS DATE) FROM secrets",
    "SELECT text::ENUM('x') FROM secrets",
    "SELECT CAST(number AS TINYINT) FROM secrets",
    "SELECT number::BIGINT * number * number FROM secrets",
    "SELECT number / 0 + CAST(text AS DOUBLE) FROM secrets",
    "SELECT regexp_matches('x', '(' || text) FROM secrets",
    "SELECT error(text) FROM secrets",
    "SELECT CASE WHEN number > 0 THEN error('number is ' || number) END FROM secrets",
    "SELECT strptime(text, '%Y') FROM secrets",
    "SELECT text::JSON FROM secrets",
    "SELECT text::UUID FROM secrets",
    "SELECT chr(number::INTEGER) FROM secrets",
    "SELECT (SELECT text FROM secrets UNION ALL SELECT text FROM secrets)",
    "SELECT * FROM query((SELECT text FROM secrets))",
    "SELECT format('{:d}', text) FROM secrets",
    "SELECT date_part(text, DATE '2020-01-01') FROM secrets",
    "SELECT json_extract('{}', '$[' || text) FROM secrets",
    "SELECT repeat(text, 4000000000) FROM secrets",
    "SELECT current_setting(text) FROM secrets",
]


@pytest.mark.parametrize("sql", FAILING)
def test_no_error_carries_a_value(child: WorkerHandle, monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    child.load("secrets", pa.table({"text": [CANARY], "number": [NUMBER]}))
    with pytest.raises((StatementError, LimitError)) as caught:
        child.ask(sql, seconds=5)
    told = "".join(traceback.format_exception(caught.value)).replace(sql, "")
    assert "canary-" not in told
    assert str(NUMBER) not in told
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_the_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", CANARY)
    with WorkerHandle.start(memory="64MB") as child:
        environment = Path(f"/proc/{child.pid}/environ")
        if not environment.exists():
            pytest.skip("there is no /proc here")
        names = {entry.split(b"=")[0] for entry in environment.read_bytes().split(b"\0") if entry}
        opened = {str(entry.readlink()).split(":")[0] for entry in Path(f"/proc/{child.pid}/fd").iterdir()}
    assert names <= {b"PYTHONPATH", b"OPENBLAS_NUM_THREADS", b"LD_LIBRARY_PATH"}
    assert opened == {"/dev/null", "socket"}


def test_a_child_outlives_the_thread_that_started_it() -> None:
    started: list[WorkerHandle] = []
    thread = threading.Thread(target=lambda: started.append(WorkerHandle.start(memory="64MB")))
    thread.start()
    thread.join()
    time.sleep(0.1)
    with started[0] as child:
        assert asked(child, "SELECT 1 AS a") == [{"a": 1}]


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(what: Callable[[], bool]) -> bool:
    due = time.monotonic() + 10
    while time.monotonic() < due:
        if what():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("busy", [False, True])
def test_a_child_ends_with_its_parent(busy: bool) -> None:
    code = (
        "from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle\n"
        "child = WorkerHandle.start(memory='64MB')\nprint(child.pid, flush=True)\n"
        + (f"child.ask('{FOREVER}', seconds=60)" if busy else "input()")
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    with parent:
        process = int((parent.stdout or sys.stdin).readline())
        assert not gone(process)
        parent.kill()
    assert wait_for(lambda: gone(process))


def test_a_killed_child_is_noticed() -> None:
    with WorkerHandle.start(memory="64MB") as child:
        os.kill(child.pid, signal.SIGKILL)
        assert wait_for(lambda: not child.alive)
        with pytest.raises(LimitError, match="ended"):
            child.ask("SELECT 1", seconds=5)
        with pytest.raises(LimitError, match="ended"):
            child.load("people", pa.table({"id": range(1_000_000)}))
        assert child.ended == "gone"


def test_many_threads_may_ask_one_child(child: WorkerHandle) -> None:
    child.load("squares", pa.table({"id": range(1000), "square": [number**2 for number in range(1000)]}), key="id")

    def square(number: int) -> int:
        return int(asked(child, "SELECT square FROM squares WHERE id = ?", number)[0]["square"])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(square, range(200))) == [number**2 for number in range(200)]


@pytest.mark.parametrize("settings", [{"memory": "lots"}, {"threads": 0}, {"threads": 257}])
def test_settings_are_checked_before_anything_starts(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        WorkerHandle.start(**settings)


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_a_child_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(LimitError, match="started"):
        WorkerHandle.start(memory="64MB")


def test_an_answer_that_is_no_answer_is_refused(child: WorkerHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    receive = Channel.receive
    monkeypatch.setattr(Channel, "receive", lambda self: (receive(self)[0], pa.py_buffer(b"\xff\xff\xff\xff" * 9)))
    with pytest.raises(StatementError):
        child.ask("SELECT 1", seconds=5)
    monkeypatch.undo()
    assert asked(child, "SELECT 1 AS a") == [{"a": 1}]
