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
from sfumato.gateway.engines.duckdb.wire import packed, pieces
from sfumato.gateway.engines.duckdb.worker_handle import Child
from sfumato.gateway.engines.failure_messages import error_of

Answer = TypeVar("Answer")


class Crew:
    """A question goes to whichever child is free; rows go to all of them, many rows to one after the other.

    A child that has ended is replaced when its turn comes. The new one is handed to `reload`, which loads the tables
    that it must hold.

    >>> with Crew.start(2, memory="64MB") as crew:
    ...     crew.load("people", pa.table({"id": [1, 2]}), key="id")
    ...     crew.ask("SELECT count(*) AS n FROM people", seconds=5).to_pylist()
    [{'n': 2}]
    """

    def __init__(self, children: Sequence[Child], replacement: Callable[[], Child]) -> None:
        self._replacement = replacement
        self._children = list(children)
        self._free = list(range(len(children)))
        self._reserved: list[int] = []
        self._changed = threading.Condition()
        self._closed = False
        self._errands = ThreadPoolExecutor(max(1, len(children) - 1), thread_name_prefix="crew")
        self.reload: Callable[[Child], None] = _nothing

    @classmethod
    def start(cls, size: int = 2, *, memory: str = "512MB", threads: int = 1) -> Crew:
        """So many processes, each with so much memory."""
        if size < 1:
            raise ParameterError("a crew has at least one child.")
        children: list[Child] = []
        try:
            children.extend(Child.start(memory, threads) for _ in range(size))
        except BaseException:
            for child in children:
                child.close()
            raise
        return cls(children, lambda: Child.start(memory, threads))

    @property
    def idle(self) -> bool:
        """Whether nobody is being answered."""
        with self._changed:
            return len(self._free) == len(self._children)

    def __len__(self) -> int:
        return len(self._children)

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
        return self._by(lambda child: child.ask(sql, parameters, seconds=seconds, rows=rows), patience=patience)

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Makes or replaces a table in every child."""
        bodies = (packed(batch) for batch in pieces(batches))
        if len(self) == 1:
            self._to_all(lambda child: child.load_packed(name, batches.schema, bodies, key=key), again=False)
        else:
            kept = list(bodies)  # what can be read only once is sent more than once
            self._to_all(lambda child: child.load_packed(name, batches.schema, kept, key=key))

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Exchanges the rows with these keys in every child, at the same time: it takes a moment only."""
        others = [
            self._errands.submit(self._by, lambda child: child.change(name, gone, rows, key), place=place)
            for place in range(1, len(self))
        ]
        try:
            self._by(lambda child: child.change(name, gone, rows, key), place=0)
        finally:
            wait(others)
        for other in others:
            other.result()

    def drop(self, name: str) -> None:
        """Forgets a table in every child."""
        self._to_all(lambda child: child.drop(name))

    def close(self) -> None:
        """Ends all processes."""
        with self._changed:
            self._closed = True
            for child in self._children:
                child.close()
            self._changed.notify_all()
        self._errands.shutdown(wait=False)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _to_all(self, does: Callable[[Child], None], *, again: bool = True) -> None:
        """One child after the other, so that the others go on answering meanwhile."""
        for place in range(len(self)):
            self._by(does, place=place, again=again)

    def _by(
        self,
        does: Callable[[Child], Answer],
        *,
        patience: float = float("inf"),
        place: int | None = None,
        again: bool = True,
    ) -> Answer:
        """Has a child do it; a child may turn out to be gone when it is spoken to, then another one does it, once."""
        with self._one(time.monotonic() + patience, place) as child:
            try:
                return does(child)
            except LimitError:
                if not again or child.ended != "gone":
                    raise
        with self._one(time.monotonic() + patience, place) as child:
            return does(child)

    @contextmanager
    def _one(self, due: float, place: int | None) -> Iterator[Child]:
        """A child of one's own for a while: any that is free, or the one at a certain place."""
        taken = self._taken(due, place)
        try:
            # whoever asks any child notices soon enough that it is gone, and asks again
            if self._children[taken].ended is not None or (place is not None and not self._children[taken].alive):
                self._children[taken] = self._revived(self._children[taken])
            yield self._children[taken]
        finally:
            with self._changed:
                self._free.append(taken)
                # one of those who take any is enough; the one who wants this one may stand anywhere in the row
                if self._reserved:
                    self._changed.notify_all()
                else:
                    self._changed.notify()

    def _taken(self, due: float, place: int | None) -> int:
        """Who wants a certain child comes before those who take any, or under many questions would wait for ever."""
        with self._changed, self._reserving(place):
            while not self._closed:
                others = [one for one in self._free if one not in self._reserved]
                suitable = others if place is None else [one for one in self._free if one == place]
                if suitable:
                    self._free.remove(suitable[-1])
                    return suitable[-1]
                left = due - time.monotonic()
                if left <= 0:
                    raise error_of("busy")
                self._changed.wait(min(left, threading.TIMEOUT_MAX))
        raise error_of("ended")

    @contextmanager
    def _reserving(self, place: int | None) -> Iterator[None]:
        if place is not None:
            self._reserved.append(place)
        try:
            yield
        finally:
            if place is not None:
                self._reserved.remove(place)

    def _revived(self, ended: Child) -> Child:
        """Another process for the one that ended, with its tables; as long as it has not got them it is not used."""
        ended.close()
        child = self._replacement()
        try:
            self.reload(child)
        except BaseException:
            child.close()
            raise
        return child


def _nothing(child: Child) -> None:
    """There are no tables to load again, as long as nobody says so."""
