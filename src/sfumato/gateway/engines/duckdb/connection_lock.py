"""One lock per connection to private data; every `PrivateDuckDb` on a connection of the owner uses the same."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import duckdb

_locks: WeakKeyDictionary[duckdb.DuckDBPyConnection, Any] = WeakKeyDictionary()
_guard = threading.Lock()


def lock_of(con: duckdb.DuckDBPyConnection | None) -> Any:
    """The lock of a connection, the same for everyone who uses it, so that nobody reads inside another's transaction.

    Without a connection, a new lock.
    """
    if con is None:
        return threading.RLock()
    with _guard:
        return _locks.setdefault(con, threading.RLock())
