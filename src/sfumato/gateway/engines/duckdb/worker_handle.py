"""The gateway's handle on a child: starts it, sends masked rows and questions, and ends it."""

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
_PASSED_ENVIRONMENT = ("LD_LIBRARY_PATH",)  # some Pythons do not start without it; a child knows nothing else of ours


class WorkerHandle:
    """A process with a DuckDB instance of its own that holds masked rows and nothing else.

    It reads no files and keeps to a limit of memory. A question has a time limit; a child that does not keep to it is
    killed. One question at a time: who asks from several threads waits.

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
        """A new process; ready when this returns."""
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
        """The number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self.ended is None and self._process.poll() is None

    def ask(self, sql: str, parameters: Sequence[Any] = (), *, seconds: float, rows: int | None = None) -> pa.Table:
        """The answer to one SELECT; refused where it takes longer, or has more rows.

        A statement is read once and remembered, so what changes from question to question belongs into `parameters`.
        """
        with self._lock:
            wait_seconds = seconds + _GRACE
            self._send(
                "ask", wait_seconds=wait_seconds, sql=sql, parameters=tuple(parameters), seconds=seconds, rows=rows
            )
            answer = self._reply(wait_seconds)
        found = _valid(answer)
        if found is None:
            raise error_for("digits")
        return found

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Makes a table, or replaces it: a question sees the old rows or the new ones.

        The column `key` is looked up quickly, and names the rows that `change` exchanges.
        """
        self.load_packed(name, batches.schema, (to_bytes(batch) for batch in small_batches(batches)), key=key)

    def load_packed(self, name: str, schema: pa.Schema, bodies: Iterable[pa.Buffer], *, key: str | None = None) -> None:
        """The same with batches that are packed already, because several children get them."""
        with self._lock:
            self._send("load", schema.serialize(), table=name, name=name, key=key)
            try:
                for body in bodies:
                    self._send_part(b"batch", body)
            except BaseException:
                self._send_part(b"abort")  # the rows could not be read to their end: what was there stays
                with suppress(Exception):
                    self._reply(_LOAD_SECONDS, table=name)
                raise
            self._send_part(b"end")
            self._reply(_LOAD_SECONDS, table=name)

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Takes the rows with these keys away and puts others in, at once."""
        keys = to_bytes(pa.table({"key": gone})).to_pybytes()
        with self._lock:
            self._send("change", to_bytes(rows), table=name, name=name, key=key, gone=keys)
            self._reply(_LOAD_SECONDS, table=name)

    def drop(self, name: str) -> None:
        """Forgets a table, if there is one."""
        with self._lock:
            self._send("drop", table=name, name=name)
            self._reply(_LOAD_SECONDS, table=name)

    def close(self) -> None:
        """Ends the process; closing twice is no mistake."""
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
        if self.ended is not None:
            raise error_for("ended", table)
        self._channel.set_timeout(wait_seconds)
        self._send_part(pickle.dumps((command, settings)), body)

    def _send_part(self, head: bytes, body: Any = b"") -> None:
        if self.ended is None:
            try:
                self._channel.send(head, body)
            except OSError:
                self._end("gone")

    def _reply(self, seconds: float, *, timeout_kind: str = "time", table: str | None = None) -> pa.Buffer:
        """What comes back within this time; a child that takes longer is ended."""
        status, body = self._receive(seconds, timeout_kind)
        if status.startswith(FATAL_PREFIX):
            status = status.removeprefix(FATAL_PREFIX)
            self._end("gone" if status == b"ended" else "unusable")
        if status != b"ok":
            raise error_for(status.decode("ascii", "replace"), table)
        return body

    def _receive(self, seconds: float, timeout_kind: str) -> tuple[bytes, Any]:
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
        if self.ended is None:
            self.ended = why
            self._channel.close()
            self._process.kill()
        self._process.wait()


@cache
def _starter_thread(process: int) -> ThreadPoolExecutor:
    """One thread of this process that starts all children, and lives as long as the process.

    Linux ends a child that is bound to its parent when the thread ends that started it.
    """
    return ThreadPoolExecutor(1, thread_name_prefix=f"worker-starter-{process}")


def _valid(answer: pa.Buffer) -> pa.Table | None:
    """The rows; None where they are not what they say they are, for a child is not trusted.

    What a sound child gets wrong is a whole number of 39 digits, which Arrow has no type for.
    """
    try:
        found = from_bytes(answer)
        found.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        return None
    return found


def _spawn(arguments: list[str], socket_number: int) -> subprocess.Popen[bytes]:
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
