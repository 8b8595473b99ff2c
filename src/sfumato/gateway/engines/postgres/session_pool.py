"""A pool of sessions that many threads share; every `PostgresEngine` has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from time import monotonic

from sfumato.errors import BusyError, DataError
from sfumato.gateway.engines.postgres.session import Session


class SessionPool:
    """At most `size` sessions, opened on demand; the most recently used one is handed out first.

    A session that broke, or on which a query is still running, is closed instead of kept.
    """

    def __init__(self, open_session: Callable[[], Session], size: int) -> None:
        self._open_session = open_session
        self._free = BoundedSemaphore(size)
        self._lock = Lock()
        self._idle: list[Session] = []
        self._closed = False

    @contextmanager
    def session(self, deadline: float) -> Iterator[Session]:
        """A session for the exclusive use of the block; waiting for one counts towards the deadline."""
        if not self._free.acquire(timeout=max(0.0, deadline - monotonic())):
            raise BusyError("no connection of the gateway was free in time; ask again later.")
        try:
            session = self._pop_idle() or self._open_session()
            try:
                yield session
            finally:
                # After an interrupted query the server may still send its result, which the next query must not get.
                if session.idle:
                    self._give_back(session)
                else:
                    session.abandon()
        finally:
            self._free.release()

    def drop_idle(self) -> None:
        """Close all idle sessions; after a restart of the server all of them are broken."""
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()

    def close(self) -> None:
        """Close all idle sessions now, and the others when they are given back."""
        self._closed = True
        self.drop_idle()

    def _pop_idle(self) -> Session | None:
        """The most recently used idle session; None if there is none."""
        with self._lock:
            if self._closed:
                raise DataError("this engine is closed.")
            return self._idle.pop() if self._idle else None

    def _give_back(self, session: Session) -> None:
        """Keep a session for the next query, or close it if the pool is closed."""
        with self._lock:
            if not self._closed:
                self._idle.append(session)
                return
        session.close()
