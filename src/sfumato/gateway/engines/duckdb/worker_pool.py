"""Several children that hold the same tables, so that several questions are answered at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
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
    """A question goes to whichever child is free; rows go to all of them, many rows to one after the other.

    A child that has ended is replaced when its turn comes. The new one is handed to `reload`, which loads the tables
    that it must hold.

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
        """So many processes, each with so much memory."""
        if size < 1:
            raise ParameterError("a worker pool has at least one worker.")
        workers: list[WorkerHandle] = []
        try:
            workers.extend(WorkerHandle.start(memory, threads) for _ in range(size))
        except BaseException:
            for worker in workers:
                worker.close()
            raise
        return cls(workers, lambda: WorkerHandle.start(memory, threads))

    @property
    def idle(self) -> bool:
        """Whether nobody is being answered."""
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
        """The answer of the next free child; refused when none is free for longer than `patience` seconds."""
        return self._run_on(lambda worker: worker.ask(sql, parameters, seconds=seconds, rows=rows), patience=patience)

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Makes or replaces a table in every child."""
        bodies = (to_bytes(batch) for batch in small_batches(batches))
        if len(self) == 1:
            self._on_all(lambda worker: worker.load_packed(name, batches.schema, bodies, key=key), retry=False)
        else:
            kept = list(bodies)  # what can be read only once is sent more than once
            self._on_all(lambda worker: worker.load_packed(name, batches.schema, kept, key=key))

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Exchanges the rows with these keys in every child, at the same time: it takes a moment only."""
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

    def drop(self, name: str) -> None:
        """Forgets a table in every child."""
        self._on_all(lambda worker: worker.drop(name))

    def close(self) -> None:
        """Ends all processes."""
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
        """One child after the other, so that the others go on answering meanwhile."""
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
        """Has a child do it; a child may turn out to be gone when it is spoken to, then another one does it, once."""
        with self._borrowed(time.monotonic() + patience, index) as worker:
            try:
                return task(worker)
            except LimitError:
                if not retry or worker.ended != "gone":
                    raise
        with self._borrowed(time.monotonic() + patience, index) as worker:
            return task(worker)

    @contextmanager
    def _borrowed(self, deadline: float, index: int | None) -> Iterator[WorkerHandle]:
        """A child of one's own for a while: any that is free, or the one at a certain place."""
        taken = self._take(deadline, index)
        try:
            # whoever asks any child notices soon enough that it is gone, and asks again
            if self._workers[taken].ended is not None or (index is not None and not self._workers[taken].alive):
                self._workers[taken] = self._restart(self._workers[taken])
            yield self._workers[taken]
        finally:
            with self._changed:
                self._free.append(taken)
                # one of those who take any is enough; the one who wants this one may stand anywhere in the row
                if self._reserved:
                    self._changed.notify_all()
                else:
                    self._changed.notify()

    def _take(self, deadline: float, index: int | None) -> int:
        """Who wants a certain child comes before those who take any, or under many questions would wait for ever."""
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
        if index is not None:
            self._reserved.append(index)
        try:
            yield
        finally:
            if index is not None:
                self._reserved.remove(index)

    def _restart(self, ended: WorkerHandle) -> WorkerHandle:
        """Another process for the one that ended, with its tables; as long as it has not got them it is not used."""
        ended.close()
        worker = self._start_worker()
        try:
            self.reload(worker)
        except BaseException:
            worker.close()
            raise
        return worker


def _load_nothing(worker: WorkerHandle) -> None:
    """There are no tables to load again, as long as nobody says so."""
