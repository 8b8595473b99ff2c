"""A pool of workers that hold the same tables, so that several queries run at once; one pool per purpose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

import pyarrow as pa

from sfumato.errors import LimitError, ParameterError
from sfumato.gateway.engines.duckdb.wire import small_batches, to_bytes
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.gateway.engines.failure_messages import error_for

Answer = TypeVar("Answer")


class WorkerPool:
    """A query goes to any free worker.

    New rows go to all workers: many rows one worker after the other, few at the same time.

    A worker that ended is replaced when it is needed again. `reload` is called with the new one, to load its tables.

    >>> with WorkerPool.start(2, memory="64MB") as pool:
    ...     pool.load("people", pa.table({"id": [1, 2]}), key="id")
    ...     pool.ask("SELECT count(*) AS n FROM people", seconds=5).to_pylist()
    [{'n': 2}]
    """

    def __init__(self, workers: Sequence[WorkerHandle], start_worker: Callable[[], WorkerHandle]) -> None:
        self._start_worker = start_worker
        self._workers = list(workers)
        self._free = list(range(len(workers)))
        self._reserved: list[int] = []
        self._changed = threading.Condition()
        self._closed = False
        self._threads = ThreadPoolExecutor(max(1, len(workers) - 1), thread_name_prefix="worker-pool")
        self.reload: Callable[[WorkerHandle], None] = _load_nothing

    @classmethod
    def start(cls, size: int = 2, *, memory: str = "512MB", threads: int = 1) -> WorkerPool:
        """Start `size` processes at the same time, each with `memory`; if one does not start, the others end."""
        if size < 1:
            raise ParameterError("a worker pool has at least one worker.")
        starters = ThreadPoolExecutor(size, thread_name_prefix="worker-start")
        started = [starters.submit(WorkerHandle.start, memory, threads) for _ in range(size)]
        try:
            workers = [one.result() for one in started]
        except BaseException:
            for one in started:
                one.add_done_callback(_close_started)
            raise
        finally:
            starters.shutdown(wait=False)
        return cls(workers, lambda: WorkerHandle.start(memory, threads))

    @property
    def idle(self) -> bool:
        """Whether no worker is busy."""
        with self._changed:
            return len(self._free) == len(self._workers)

    def __len__(self) -> int:
        return len(self._workers)

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        seconds: float,
        rows: int | None = None,
        patience: float = 10.0,
    ) -> pa.Table:
        """Run a query on the next free worker; refused if none is free for longer than `patience` seconds."""
        return self._run_on(lambda worker: worker.ask(sql, parameters, seconds=seconds, rows=rows), patience=patience)

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Create or replace a table in every worker."""
        bodies = (to_bytes(batch) for batch in small_batches(batches))
        if len(self) == 1:
            self._on_all(lambda worker: worker.load_packed(name, batches.schema, bodies, key=key), retry=False)
        else:
            kept = list(bodies)  # a stream is read once, but sent to several workers
            self._on_all(lambda worker: worker.load_packed(name, batches.schema, kept, key=key))

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Replace the rows with these keys in all workers at the same time, because it takes little time."""
        others = [
            self._threads.submit(self._run_on, lambda worker: worker.change(name, gone, rows, key), index=index)
            for index in range(1, len(self))
        ]
        try:
            self._run_on(lambda worker: worker.change(name, gone, rows, key), index=0)
        finally:
            wait(others)
        for other in others:
            other.result()

    def close(self) -> None:
        """End all processes."""
        with self._changed:
            self._closed = True
            for worker in self._workers:
                worker.close()
            self._changed.notify_all()
        self._threads.shutdown(wait=False)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _on_all(self, task: Callable[[WorkerHandle], None], *, retry: bool = True) -> None:
        """Run a task on one worker after the other, so that the others keep answering."""
        for index in range(len(self)):
            self._run_on(task, index=index, retry=retry)

    def _run_on(
        self,
        task: Callable[[WorkerHandle], Answer],
        *,
        patience: float = float("inf"),
        index: int | None = None,
        retry: bool = True,
    ) -> Answer:
        """Run a task on a worker: any free one, or the one at `index`.

        A worker may turn out to be gone when it is used; then the task is retried once, on another worker.
        """
        with self._borrow(time.monotonic() + patience, index) as worker:
            try:
                return task(worker)
            except LimitError:
                # Only a worker that had died before is worth a retry.
                # A query that ran into a limit would do so again.
                if not retry or worker.ended != "gone":
                    raise
        with self._borrow(time.monotonic() + patience, index) as worker:
            return task(worker)

    @contextmanager
    def _borrow(self, deadline: float, index: int | None) -> Iterator[WorkerHandle]:
        """Exclusive use of a worker for the block: any free one, or the one at `index`."""
        taken = self._take(deadline, index)
        try:
            # a task for any worker notices a dead one when it fails, and is retried, so the check is saved there
            if self._workers[taken].ended is not None or (index is not None and not self._workers[taken].alive):
                self._workers[taken] = self._restart(self._workers[taken])
            yield self._workers[taken]
        finally:
            with self._changed:
                self._free.append(taken)
                # waking one waiter is enough if all take any worker; the one that needs this worker may be any of them
                if self._reserved:
                    self._changed.notify_all()
                else:
                    self._changed.notify()

    def _take(self, deadline: float, index: int | None) -> int:
        """Wait for a worker and take it off the free list.

        A task for a certain worker has priority over tasks for any worker; under many queries it would wait forever
        otherwise.
        """
        with self._changed, self._reservation(index):
            while not self._closed:
                unreserved = [one for one in self._free if one not in self._reserved]
                suitable = unreserved if index is None else [one for one in self._free if one == index]
                if suitable:
                    self._free.remove(suitable[-1])
                    return suitable[-1]
                left = deadline - time.monotonic()
                if left <= 0:
                    raise error_for("busy")
                self._changed.wait(min(left, threading.TIMEOUT_MAX))
        raise error_for("ended")

    @contextmanager
    def _reservation(self, index: int | None) -> Iterator[None]:
        """Reserve the worker at `index` while waiting for it."""
        if index is not None:
            self._reserved.append(index)
        try:
            yield
        finally:
            if index is not None:
                self._reserved.remove(index)

    def _restart(self, ended: WorkerHandle) -> WorkerHandle:
        """Replace a worker that ended; the new one is used only after its tables are loaded."""
        ended.close()
        worker = self._start_worker()
        try:
            self.reload(worker)
        except BaseException:
            worker.close()
            raise
        return worker


def _close_started(worker: Future[WorkerHandle]) -> None:
    """End a worker that did start, because another one did not."""
    if not worker.cancelled() and worker.exception() is None:
        worker.result().close()


def _load_nothing(worker: WorkerHandle) -> None:
    """The default of `reload`: no tables to load."""
