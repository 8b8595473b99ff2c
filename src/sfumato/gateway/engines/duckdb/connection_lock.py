"""Whose turn it is on a connection to private data."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import duckdb

_locks: WeakKeyDictionary[duckdb.DuckDBPyConnection, Any] = WeakKeyDictionary()
_guard = threading.Lock()


def lock_of(con: duckdb.DuckDBPyConnection | None) -> Any:
    """One lock for all who use a connection, so that nobody reads in the middle of another's transaction.

    Without a connection it is a lock of one's own.
    """
    if con is None:
        return threading.RLock()
    with _guard:
        return _locks.setdefault(con, threading.RLock())
