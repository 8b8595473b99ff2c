"""The gateway's handle on one worker process: starts it, sends it masked rows and queries, and ends it."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.gateway.engines.duckdb.confinement import bytes_of
from sfumato.gateway.engines.duckdb.wire import Channel, from_bytes, small_batches, to_bytes
from sfumato.gateway.engines.failure_messages import FATAL_PREFIX, error_for

_GRACE = 1.0
_MAX_THREADS = 256
_START_SECONDS, _LOAD_SECONDS = 30.0, 600.0
_PASSED_ENVIRONMENT = ("LD_LIBRARY_PATH",)  # some Pythons do not start without it; nothing else is passed on


class WorkerHandle:
    """A process with a DuckDB instance of its own that holds masked rows and nothing else.

    It reads no files and has a memory limit. A query has a time limit; a worker that exceeds it is killed. It runs one
    query at a time; other threads wait. `ended` is None while it runs, otherwise the reason why it ended.

    >>> with WorkerHandle.start(memory="64MB") as worker:
    ...     worker.load("people", pa.table({"id": [1, 2], "income.lo": [20000, None]}), key="id")
    ...     worker.ask('SELECT "income.lo" FROM people WHERE id = ?', [1], seconds=5).to_pylist()
    [{'income.lo': 20000}]
    """

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel) -> None:
        self._process, self._channel = process, channel
        self._lock = threading.RLock()
        self.ended: str | None = None

    @classmethod
    def start(cls, memory: str = "512MB", threads: int = 1) -> WorkerHandle:
        """Start a process and wait until it is ready."""
        memory_bytes = bytes_of(memory)
        if not 1 <= threads <= _MAX_THREADS:
            raise ParameterError(f"threads must be between 1 and {_MAX_THREADS}; got {threads}.")
        own_end, other_end = socket.socketpair()
        with other_end:
            arguments = [str(other_end.fileno()), memory, str(threads), str(os.getpid())]
            try:
                process = _starter_thread(os.getpid()).submit(_spawn, arguments, other_end.fileno()).result()
            except OSError:
                own_end.close()
                raise error_for("start") from None
        worker = cls(process, Channel(own_end, longest=4 * memory_bytes))
        worker._reply(_START_SECONDS, timeout_kind="start")
        return worker

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.ended is None and self._process.poll() is None

    def ask(self, sql: str, parameters: Sequence[Any] = (), *, seconds: float, rows: int | None = None) -> pa.Table:
        """Run one SELECT; refused if it takes longer than `seconds` or has more than `rows` rows.

        The parsed statement is cached by its text, so values that vary belong into `parameters`.
        """
        with self._lock:
            # The worker interrupts the query itself; the grace is for the case that it does not, and is killed.
            wait_seconds = seconds + _GRACE
            self._send(
                "ask", wait_seconds=wait_seconds, sql=sql, parameters=tuple(parameters), seconds=seconds, rows=rows
            )
            answer = self._reply(wait_seconds)
        found = _validated_rows(answer)
        if found is None:
            raise error_for("digits")
        return found

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Create or replace a table; a query sees either the old rows or the new ones.

        The column `key` is looked up quickly and identifies the rows that `change` replaces.
        """
        self.load_packed(name, batches.schema, (to_bytes(batch) for batch in small_batches(batches)), key=key)

    def load_packed(self, name: str, schema: pa.Schema, bodies: Iterable[pa.Buffer], *, key: str | None = None) -> None:
        """The same with serialized batches, which several workers share."""
        with self._lock:
            self._send("load", schema.serialize(), table=name, name=name, key=key)
            try:
                for body in bodies:
                    self._send_part(b"batch", body)
            except BaseException:
                self._send_part(b"abort")  # reading the rows failed: the old table stays
                with suppress(Exception):
                    self._reply(_LOAD_SECONDS, table=name)
                raise
            self._send_part(b"end")
            self._reply(_LOAD_SECONDS, table=name)

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Replace the rows with these keys by other rows, in one transaction."""
        keys = to_bytes(pa.table({"key": gone})).to_pybytes()
        with self._lock:
            self._send("change", to_bytes(rows), table=name, name=name, key=key, gone=keys)
            self._reply(_LOAD_SECONDS, table=name)

    def close(self) -> None:
        """End the process; closing twice does no harm."""
        self._end("closed")

    def __enter__(self) -> WorkerHandle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _send(
        self,
        command: str,
        body: Any = b"",
        *,
        table: str | None = None,
        wait_seconds: float = _LOAD_SECONDS,
        **settings: Any,
    ) -> None:
        """Send a command with its settings."""
        if self.ended is not None:
            raise error_for("ended", table)
        self._channel.set_timeout(wait_seconds)
        self._send_part(pickle.dumps((command, settings)), body)

    def _send_part(self, head: bytes, body: Any = b"") -> None:
        """Send one message; a broken connection ends the worker, and the reply reports it."""
        if self.ended is None:
            try:
                self._channel.send(head, body)
            except OSError:
                self._end("gone")

    def _reply(self, seconds: float, *, timeout_kind: str = "time", table: str | None = None) -> pa.Buffer:
        """The body of the reply, or the error of its failure; a worker that takes too long is ended."""
        status, body = self._receive(seconds, timeout_kind)
        if status.startswith(FATAL_PREFIX):
            status = status.removeprefix(FATAL_PREFIX)
            self._end("gone" if status == b"ended" else "unusable")
        if status != b"ok":
            raise error_for(status.decode("ascii", "replace"), table)
        return body

    def _receive(self, seconds: float, timeout_kind: str) -> tuple[bytes, Any]:
        """Status and body of the next message; a timeout or a broken connection ends the worker."""
        if self.ended is not None:
            return b"ended", None
        try:
            self._channel.set_timeout(seconds)
            return self._channel.receive()
        except TimeoutError:
            self._end(timeout_kind)
            return timeout_kind.encode(), None
        except (EOFError, OSError):
            self._end("gone")
            return b"start" if timeout_kind == "start" else b"ended", None

    def _end(self, why: str) -> None:
        """Kill the process, and remember why."""
        if self.ended is None:
            self.ended = why
            self._channel.close()
            self._process.kill()
        self._process.wait()


@cache
def _starter_thread(process: int) -> ThreadPoolExecutor:
    """A thread that starts all workers and lives as long as this process.

    Linux kills a process bound to its parent when the thread that started it ends, so request threads must not start
    workers.
    """
    return ThreadPoolExecutor(1, thread_name_prefix=f"worker-starter-{process}")


def _validated_rows(answer: pa.Buffer) -> pa.Table | None:
    """The rows of a reply; None if they are malformed, because a worker is not trusted.

    A correct worker sends one thing that fails here: an integer of 39 digits, for which Arrow has no type.
    """
    try:
        found = from_bytes(answer)
        # Offsets and indices in rows of a compromised worker could point outside of their buffers.
        found.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        return None
    return found


def _spawn(arguments: list[str], socket_number: int) -> subprocess.Popen[bytes]:
    """Start the process with an almost empty environment and one inherited socket."""
    environment = {name: os.environ[name] for name in _PASSED_ENVIRONMENT if name in os.environ}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sfumato.gateway.engines.duckdb.worker_process", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment,
        pass_fds=[socket_number],
    )
