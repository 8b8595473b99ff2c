from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sfumato.errors import DataError, LimitError, SfumatoError, StatementError
from sfumato.gateway.engines.duckdb import worker
from sfumato.gateway.engines.duckdb import worker_handle as handle_module
from sfumato.gateway.engines.duckdb.wire import Channel, from_bytes
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.gateway.engines.failure_messages import EngineFailure
from tests.gateway.engines.stepped import WAYS, Steps, stepping

CANARY = "canary-7316"


@pytest.fixture(scope="module")
def child() -> Iterator[WorkerHandle]:
    with WorkerHandle.start(memory="256MB") as child:
        child.load("people", pa.table({"id": [1, 2], "income.lo": [20000, None]}), key="id")
        yield child


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outside") / "secret.csv"
    path.write_text(f"a\n{CANARY}\n", encoding="utf-8")
    return path


READING = [
    "SELECT * FROM read_csv('{}')",
    "SELECT * FROM read_text('{}')",
    "SELECT * FROM read_blob('{}')",
    "SELECT * FROM read_parquet('{}')",
    "SELECT * FROM '{}'",
    "SELECT * FROM glob('{}*')",
    "SELECT * FROM sniff_csv('{}')",
    "SELECT * FROM query('SELECT * FROM read_text(''{}'')')",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_extensions()",
]
DOING = [
    "COPY people TO '{}'",
    "COPY people FROM '{}'",
    "EXPORT DATABASE '{}'",
    "IMPORT DATABASE '{}'",
    "ATTACH '{}' AS other",
    "INSTALL httpfs",
    "LOAD json",
    "SET memory_limit = '100GB'",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA threads = 8",
    "PRAGMA enable_profiling",
    "USE memory",
    "CALL enable_logging()",
    "BEGIN TRANSACTION",
    "DROP TABLE people",
    "CREATE TABLE other AS SELECT 1",
    "CREATE SECRET (TYPE s3)",
    "INSERT INTO people VALUES (3, 4) RETURNING *",
    "UPDATE people SET id = 9",
    "DELETE FROM people",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT 1; SELECT 2",
    "",
]


@pytest.mark.parametrize("sql", READING + DOING)
def test_nothing_outside_is_read_and_nothing_is_done(child: WorkerHandle, file: Path, sql: str) -> None:
    with pytest.raises(StatementError) as caught:
        child.ask(sql.format(file), seconds=5)
    assert CANARY not in str(caught.value)
    assert file.name not in str(caught.value)
    assert child.ask("SELECT count(*) AS n, sum(id)::INTEGER AS s FROM people", seconds=5).to_pylist() == [
        {"n": 2, "s": 3}
    ]


def test_a_question_that_writes_on_the_way_is_refused_every_time(child: WorkerHandle) -> None:
    for _ in range(2):
        with pytest.raises(StatementError):
            child.ask("WITH new AS (INSERT INTO people VALUES (3, 4) RETURNING *) SELECT * FROM new", seconds=5)
    assert child.ask("SELECT id FROM people ORDER BY id", seconds=5).column("id").to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("enable_external_access", "false"),
        ("autoload_known_extensions", "false"),
        ("autoinstall_known_extensions", "false"),
        ("allow_community_extensions", "false"),
        ("lock_configuration", "true"),
        ("temp_directory", ""),
        ("threads", "1"),
        ("memory_limit", "244.1 MiB"),
        ("TimeZone", "UTC"),
    ],
)
def test_settings_are_the_strict_ones(child: WorkerHandle, setting: str, value: str) -> None:
    found = child.ask(f"SELECT current_setting('{setting}')::VARCHAR AS value", seconds=5)
    assert found.column("value").to_pylist() == [value]


def test_names_are_never_variables_of_the_program(child: WorkerHandle) -> None:
    for name in ("batches", "relations", "rows", "_SETTINGS"):
        with pytest.raises(StatementError, match="does not exist"):
            child.ask(f"SELECT * FROM {name}", seconds=5)


def test_little_is_imported() -> None:
    code = "import sys, sfumato.gateway.engines.duckdb.worker as w\nprint(sorted(set(sys.modules) & set(sys.argv[1:])))"
    heavy = ["numba", "scipy", "sklearn", "pandas", "polars", "sqlglot", "pydantic", "typer", "rich", "fastapi"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[worker.Worker]:
    monkeypatch.setattr(worker, "_MAX_PREPARED", 2)
    here, there = socket.socketpair()
    with here, there:
        made = worker.Worker(Channel(here), memory="64MB", threads=1)
        yield made
        made.close()


def ask(alone: worker.Worker, sql: str, *parameters: Any) -> list[dict[str, Any]]:
    answer = alone._ask(pa.py_buffer(b""), sql=sql, parameters=parameters, seconds=5, rows=None)
    return list(from_bytes(answer).to_pylist())


def test_a_closed_worker_leaves_no_thread() -> None:
    here, there = socket.socketpair()
    with here, there:
        made = worker.Worker(Channel(here), memory="64MB", threads=1)
        watching = made._timeout._thread
        assert watching.is_alive()
        made.close()
        assert not watching.is_alive()


def test_a_statement_is_remembered_until_others_were_asked_more_lately(alone: worker.Worker) -> None:
    assert [ask(alone, "SELECT ? AS a", one) for one in (1, 2)] == [[{"a": 1}], [{"a": 2}]]
    first = alone._prepared_query("SELECT ? AS a")
    ask(alone, "SELECT 2")
    assert alone._prepared_query("SELECT ? AS a") is first
    ask(alone, "SELECT 3")
    assert list(alone._queries) == ["SELECT ? AS a", "SELECT 3"]


def test_what_was_seen_not_to_write_is_asked_without_a_transaction(alone: worker.Worker) -> None:
    assert not alone._prepared_query("SELECT 1").known_read_only
    ask(alone, "SELECT 1")
    assert alone._prepared_query("SELECT 1").known_read_only
    with pytest.raises(EngineFailure, match="not_a_question"):
        alone._prepared_query("CREATE TABLE a (i INTEGER)")


CHANGED: list[tuple[list[int | None], list[tuple[int, str]], list[tuple[int, str]]]] = [
    ([1], [(1, "z")], [(1, "z"), (2, "b"), (3, "c"), (3, "d")]),
    ([9], [(9, "z")], [(1, "a"), (2, "b"), (3, "c"), (3, "d"), (9, "z")]),
    ([3], [(3, "z")], [(1, "a"), (2, "b"), (3, "z")]),
    ([3], [(3, "y"), (3, "z")], [(1, "a"), (2, "b"), (3, "y"), (3, "z")]),
    ([1], [(7, "z")], [(2, "b"), (3, "c"), (3, "d"), (7, "z")]),
    ([1], [], [(2, "b"), (3, "c"), (3, "d")]),
    ([None], [], [(1, "a"), (2, "b"), (3, "c"), (3, "d")]),
    ([1, 2], [(2, "z")], [(2, "z"), (3, "c"), (3, "d")]),
]


@pytest.mark.parametrize(("gone", "coming", "expected"), CHANGED)
@pytest.mark.parametrize("many", [False, True])
def test_rows_are_exchanged_by_their_key_however_few_there_are(
    child: WorkerHandle,
    gone: list[int | None],
    coming: list[tuple[int, str]],
    expected: list[tuple[int, str]],
    many: bool,
) -> None:
    kind = pa.large_string() if many else pa.string()  # the first is none that goes the short way
    child.load("some", pa.table({"id": [1, 2, 3, 3], "x": ["a", "b", "c", "d"]}), key="id")
    rows = pa.table(
        {"id": pa.array([one for one, _ in coming], pa.int64()), "x": pa.array([x for _, x in coming], kind)}
    )
    child.change("some", pa.array(gone, pa.int64()), rows, "id")
    assert child.ask('SELECT id, x FROM "some" ORDER BY ALL', seconds=5).to_pydict() == {
        "id": [one for one, _ in expected],
        "x": [x for _, x in expected],
    }


def test_a_row_whose_columns_are_others_changes_nothing(child: WorkerHandle) -> None:
    child.load("some", pa.table({"id": [1], "x": ["a"]}), key="id")
    with pytest.raises(DataError):
        child.change("some", pa.array([1]), pa.table({"id": [1], "y": ["b"]}), "id")
    child.change("some", pa.array([1]), pa.table({"id": [1], "x": ["b"]}), "id")
    assert child.ask('SELECT x FROM "some"', seconds=5).to_pylist() == [{"x": "b"}]


NEW = count()
KNOWN, MANY = "SELECT x FROM people ORDER BY id", "SELECT i FROM range(70000) AS r(i)"
LONG = pa.table({"id": [1], "x": pa.array(["c"], pa.large_string())})
DOINGS: dict[str, Callable[[WorkerHandle], Any]] = {
    "a new question": lambda child: child.ask(f"SELECT count(*) + {next(NEW)} AS n FROM people", seconds=5),
    "a new question of many rows": lambda child: child.ask(
        f"SELECT i + {next(NEW)} AS i FROM range(70000) AS r(i)", seconds=5
    ),
    "a question that fails": lambda child: child.ask("SELECT CAST(x AS INTEGER) FROM people", seconds=5),
    "a question of too many rows": lambda child: child.ask("SELECT i + 2 FROM range(70000) AS r(i)", seconds=5, rows=9),
    "a remembered question": lambda child: child.ask(KNOWN, seconds=5),
    "a remembered question of many rows": lambda child: child.ask(MANY, seconds=5),
    "a table": lambda child: child.load("more", pa.table({"id": [1]}), key="id"),
    "a table in place of another": lambda child: child.load("people", pa.table({"id": [7], "x": ["a"]}), key="id"),
    "a row": lambda child: child.change("people", pa.array([1]), pa.table({"id": [1], "x": ["c"]}), "id"),
    "a row that comes": lambda child: child.change("people", pa.array([9]), pa.table({"id": [9], "x": ["c"]}), "id"),
    "rows the long way": lambda child: child.change("people", pa.array([1]), LONG, "id"),
}


def sound(child: WorkerHandle) -> None:
    """Everything that can be done with a child works."""
    child.load("after", pa.table({"id": [1, 2], "x": ["a", "b"]}), key="id")
    assert child.ask("SELECT max(id) AS n FROM after", seconds=5).to_pylist() == [{"n": 2}]
    assert child.ask(MANY, seconds=5).num_rows == 70000
    child.change("after", pa.array([1]), pa.table({"id": [1], "x": ["z"]}), "id")
    child.change("after", pa.array([2]), pa.table({"id": [2], "x": pa.array(["z"], pa.large_string())}), "id")
    assert child.ask("SELECT DISTINCT x FROM after", seconds=5).to_pylist() == [{"x": "z"}]
    with pytest.raises(StatementError):
        child.ask("WITH new AS (INSERT INTO after VALUES (3, 'x') RETURNING *) SELECT * FROM new", seconds=5)


def prepare(child: WorkerHandle) -> None:
    """A table, and questions that are remembered."""
    child.load("people", pa.table({"id": [1, 2], "x": ["a", "b"]}), key="id")
    for text in (KNOWN, MANY):
        child.ask(text, seconds=5)


def interrupted(doing: str, way: str, step: int, child: WorkerHandle, steps: Steps) -> bool:
    """Whether a child that is interrupted at one step came as far as that, and is sound afterwards or has ended."""
    prepare(child)
    steps.choose(step, way)
    with suppress(SfumatoError):
        DOINGS[doing](child)
    reached = steps.taken > step
    steps.choose(None)
    if child.ended is None:
        sound(child)
    return reached


@pytest.mark.parametrize("doing", DOINGS)
@pytest.mark.parametrize("way", WAYS)
def test_whichever_step_is_interrupted_a_child_is_sound_or_has_ended(doing: str, way: str) -> None:
    step, more = 0, True
    while more:
        with stepping() as (child, steps):
            while more and child.ended is None:
                more = interrupted(doing, way, step, child, steps)
                step += 1
    assert step >= 3


STEPS = ["extract_statements", "execute", "execute", "fetchmany", "execute"]
"""Of a new question: read, begin, ask, take, roll back."""


@pytest.mark.parametrize(
    ("step", "way", "ended"),
    [(1, "fail before", "gone"), (1, "fail after", "gone"), (4, "fail before", "gone"), (4, "fail after", "gone")],
)
def test_a_transaction_of_unknown_state_is_the_end_of_a_child(step: int, way: str, ended: str) -> None:
    with stepping() as (child, steps):
        steps.choose(step, way)
        with pytest.raises(LimitError, match="ended"):
            child.ask("SELECT 8", seconds=5)
        assert steps.names == STEPS[: step + 1]
        assert (child.ended, child.alive) == (ended, False)


def test_a_question_that_fails_is_told_when_its_transaction_cannot_be_ended() -> None:
    with stepping() as (child, steps):
        prepare(child)
        steps.choose(3, "fail before")
        with pytest.raises(StatementError, match="converted"):
            child.ask("SELECT CAST(x AS INTEGER) AS i FROM people", seconds=5)
        assert child.ended == "unusable"


def test_the_alarm_is_on_while_a_question_is_answered_and_no_longer(alone: worker.Worker) -> None:
    """It rings again and again: a transaction that ends under it would not end."""
    seen: list[tuple[str, bool]] = []

    class Spy:
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def execute(self, statement: Any, *given: Any) -> Any:
            seen.append(
                (statement if isinstance(statement, str) else "the query", alone._timeout._deadline is not None)
            )
            return self._inner.execute(statement, *given)

    engine, alone._con = alone._con, Spy(alone._con)
    ask(alone, "SELECT 42")
    ask(alone, "SELECT 42")
    alone._con = engine
    assert seen == [
        ("BEGIN TRANSACTION READ ONLY", False),
        ("the query", True),
        ("ROLLBACK", False),
        ("the query", True),
    ]


def test_a_question_that_ran_out_of_time_leaves_nothing_behind(
    child: WorkerHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handle_module, "_GRACE", 600.0)
    with pytest.raises(LimitError, match="longer"):
        child.ask("SELECT count(*) AS n FROM range(100000000000) AS r(i) WHERE i % 3 = 1", seconds=0.05)
    assert child.ended is None
    sound(child)
