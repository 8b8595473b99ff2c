"""An engine that fails at a chosen step: an interruption comes before it or after it, noticed at once or later."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.gateway.engines.duckdb.wire import Channel
from sfumato.gateway.engines.duckdb.worker import Worker
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle

WAYS = ("ring before", "ring after", "fail before", "fail after")
"""`ring` interrupts the engine, which may notice or not; `fail` is a step that notices, before or after it is done."""


@dataclass
class Steps:
    """Counts steps; at the one that is chosen, something comes between."""

    interrupt: Any
    chosen: int | None = None
    way: str = ""
    taken: int = 0
    names: list[str] = field(default_factory=list)

    def choose(self, chosen: int | None, way: str = "") -> None:
        self.chosen, self.way, self.taken = chosen, way, 0
        self.names = []

    def take(self, name: str, step: Any) -> Any:
        mine = self.taken == self.chosen
        self.taken += 1
        self.names.append(name)
        self._between(mine, "before")
        found = step()
        self._between(mine, "after")
        return found

    def _between(self, mine: bool, when: str) -> None:
        if mine and self.way == f"ring {when}":
            self.interrupt()
        if mine and self.way == f"fail {when}":
            raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")


class Stepped:
    """A connection, or what one gives, whose every call is a step."""

    def __init__(self, inner: Any, steps: Steps) -> None:
        self._inner, self._steps = inner, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found) or name == "interrupt":
            return found

        def call(*given: Any, **named: Any) -> Any:
            return self._wrapped(self._steps.take(name, lambda: found(*given, **named)))

        return call

    def __iter__(self) -> Iterator[Any]:
        rows = iter(self._inner)
        while True:
            batch = self._steps.take("next", lambda: next(rows, None))
            if batch is None:
                return
            yield batch

    def _wrapped(self, found: Any) -> Any:
        kinds = (duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation, pa.RecordBatchReader)
        return Stepped(found, self._steps) if isinstance(found, kinds) else found


class Thread:
    """A worker in a thread of this process, for a child that thinks it has a process of its own."""

    pid = 0

    def __init__(self, serve: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=self._run, args=[serve], daemon=True)
        self._thread.start()

    def _run(self, serve: Callable[[], None]) -> None:
        try:
            serve()
        except (EOFError, OSError):
            return

    def poll(self) -> int | None:
        return None if self._thread.is_alive() else 0

    def kill(self) -> None:
        """It ends by itself: its channel is closed."""

    def wait(self) -> None:
        self._thread.join()


@contextmanager
def stepping() -> Iterator[tuple[WorkerHandle, Steps]]:
    """A child whose engine can be interrupted at any step."""
    ours, theirs = socket.socketpair()
    with theirs:
        made = Worker(Channel(theirs), memory="64MB", threads=1)
        steps = Steps(made._con.interrupt)
        engine, made._con = made._con, Stepped(made._con, steps)
        child = WorkerHandle(Thread(made.serve), Channel(ours))  # type: ignore[arg-type]
        try:
            child._reply(5)
            yield child, steps
        finally:
            child.close()
            made._con = engine
            made.close()
