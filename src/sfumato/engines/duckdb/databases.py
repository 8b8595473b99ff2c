"""In-memory databases: one that small sources share, and one for each large source.

`Relation` takes a connection from one of them.
"""

from __future__ import annotations

import ctypes
import os
from threading import Lock
from weakref import WeakSet

import duckdb

from sfumato.runtime.private_folders import PrivateFolder

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "memory_limit": "2GB",
    "preserve_insertion_order": "true",
}
"""Extensions are not downloaded. Records keep the order of the source, which published files follow."""


class Database:
    """An in-memory database, and the private folder that it spills to.

    `usable` is false after a fatal error, which leaves nothing to ask, and in a forked process for a database of its
    parent.
    """

    def __init__(self) -> None:
        self.spill = PrivateFolder()
        self.connection = duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": str(self.spill.path)})
        self.usable = True
        self._process = os.getpid()
        _opened.add(self)

    def close(self) -> None:
        """Close it, and remove its folder; a forked process leaves both to its parent."""
        if self._process == os.getpid():
            self.connection.close()
            self.spill.close()


_opened: WeakSet[Database] = WeakSet()
_lock = Lock()
_shared: list[Database] = []  # at most one


def shared_database() -> Database:
    """The database of small sources; another one is opened if it is not usable any more."""
    with _lock:
        if not _shared or not _shared[0].usable:
            _shared[:] = [Database()]
        return _shared[0]


def _before_fork() -> None:
    """Let go of the shared database, so that it is closed unless a source uses it."""
    # Held during the fork, so that the child never inherits a lock that another thread of the parent holds.
    _lock.acquire()
    _shared.clear()


def _after_fork_in_child() -> None:
    """Neither use nor destroy a database of the parent process, which would wait for threads that a fork does not copy.

    It is kept by one reference too many. DuckDB mentions that when the process ends.
    """
    _lock.release()
    for database in _opened:
        database.usable = False
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(database.connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_lock.release, after_in_child=_after_fork_in_child)
