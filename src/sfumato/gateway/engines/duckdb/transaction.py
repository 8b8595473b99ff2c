"""Transactions of a worker: each one is ended whatever happens in it; if that fails, the worker is not used again."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from sfumato.gateway.engines.failure_messages import UnusableEngine, failure_kind

READ_ONLY = "BEGIN TRANSACTION READ ONLY"
_NO_TRANSACTION = "no transaction is active"


class Transaction:
    """A block of statements that is rolled back at its end, unless it was committed.

    If BEGIN, COMMIT or ROLLBACK fails, a transaction may still be open. Every later query would run inside it, so the
    engine counts as unusable. One exception: a COMMIT that fails but has ended the transaction. If nothing else went
    wrong, the failure is "ended", so that the query is retried on another worker.

    >>> import duckdb
    >>> con = duckdb.connect()
    >>> with Transaction(con):
    ...     _ = con.execute("CREATE TABLE kept AS SELECT 7 AS x")
    >>> con.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
    (0,)
    """

    def __init__(self, con: Any, begin: str = "BEGIN TRANSACTION") -> None:
        self._con, self._begin = con, begin
        self._commit_tried = self._committed = False

    def commit(self) -> None:
        """Commit the changes."""
        self._commit_tried = True
        self._con.execute("COMMIT")
        self._committed = True

    def __enter__(self) -> Transaction:
        try:
            self._con.execute(self._begin)
        except Exception:  # whatever the error, a transaction may be open
            raise UnusableEngine("ended") from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._committed:
            return
        try:
            self._con.execute("ROLLBACK")
        except Exception as failure:  # whatever the error, the transaction may be open
            if self._commit_tried and _NO_TRANSACTION in str(failure):
                return
            raise UnusableEngine("ended" if error is None else failure_kind(error)) from None
