"""The worker: a DuckDB instance in a process of its own that receives masked rows and answers queries about them.

It reads no file, loads no extension, takes no setting and sees no environment. Of an error it sends only the kind.
`worker_process` runs it; the gateway talks to it through a `WorkerHandle`.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import ipc

from sfumato.gateway.engines.duckdb.query_timeout import QueryTimeout
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import discard_rest, plain_values, small_result
from sfumato.gateway.engines.duckdb.sorted_keys import KeyRanges
from sfumato.gateway.engines.duckdb.transaction import READ_ONLY, Transaction
from sfumato.gateway.engines.duckdb.wire import Channel, from_bytes, to_bytes
from sfumato.gateway.engines.failure_messages import (
    FATAL_PREFIX,
    EngineFailure,
    UnusableEngine,
    failure_kind,
    makes_unusable,
)

_MAX_PREPARED = 512
"""Parsed statements that a worker keeps."""
_BATCH_ROWS = 1 << 16
_NEW_ROWS, _OLD_KEYS = "sfumato: rows that come", "sfumato: keys that go"
_SETTINGS: dict[str, Any] = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "python_enable_replacements": "false",  # a name in a query never means a variable of this program
    "temp_directory": "",
}


Statement = tuple[str, list[Any]]
"""A statement and its parameters."""


class Worker:
    """Handles one message after the other."""

    def __init__(self, channel: Channel, *, memory: str, threads: int) -> None:
        settings = {**_SETTINGS, "memory_limit": memory, "threads": str(threads)}
        self._con: Any = duckdb.connect(":memory:", config=settings)
        self._con.execute("SET TimeZone = 'UTC'")
        # Last, since no setting can be changed after it, not even by this program.
        self._con.execute("SET lock_configuration = true")
        self._timeout = QueryTimeout(self._con.interrupt)
        self._channel = channel
        self._queries: OrderedDict[str, _PreparedQuery] = OrderedDict()
        self._updates: dict[str, Any] = {}
        self._indexes = 0

    def serve(self) -> None:
        """Handle messages until the other end is closed or the engine becomes unusable."""
        self._channel.send(b"ok")
        while True:
            head, body = self._channel.receive()
            command, settings = pickle.loads(head)  # a worker trusts the gateway; the gateway unpickles nothing
            commands: dict[str, Callable[..., pa.Buffer | bytes]] = {
                "ask": self._ask,
                "load": self._load,
                "change": self._change,
            }
            try:
                answer = commands[command](body, **settings)
            except Exception as error:
                # Only the kind is sent; the message of the engine may quote a row.
                last = makes_unusable(error)
                self._channel.send((FATAL_PREFIX if last else b"") + failure_kind(error).encode())
                if last:
                    return
            else:
                self._channel.send(b"ok", answer)

    def close(self) -> None:
        """Stop the timeout thread and close the database."""
        self._timeout.stop()
        self._con.close()

    def _ask(self, _: pa.Buffer, *, sql: str, parameters: Sequence[Any], seconds: float, rows: int | None) -> pa.Buffer:
        """Run a query.

        The first run is in a read-only transaction, later ones without, because it is known not to write.
        """
        query = self._prepared_query(sql)
        if query.known_read_only:
            found = self._ask_known(query, parameters, seconds, rows)
        else:
            found = self._ask_read_only(query, parameters, seconds, rows)
        return to_bytes(found)

    def _prepared_query(self, sql: str) -> _PreparedQuery:
        """The parsed statement, from the cache of recently used ones."""
        query = self._queries.pop(sql, None) or _PreparedQuery(self._con, sql)
        self._queries[sql] = query
        if len(self._queries) > _MAX_PREPARED:
            self._queries.popitem(last=False)
        return query

    def _ask_read_only(
        self, query: _PreparedQuery, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        """Run a query in a read-only transaction, in which a statement that writes fails.

        Whether a statement writes depends on its text alone, so one success is enough. The transaction ends after the
        timeout is off, because an interrupt would keep it from ending.
        """
        with Transaction(self._con, READ_ONLY):
            found = self._ask_timed(query, parameters, seconds, rows)
        # Only after the transaction has ended without an error.
        query.known_read_only = True
        return found

    def _ask_known(
        self, query: _PreparedQuery, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        """Run a query that is known not to write; if it fails, release the connection."""
        try:
            return self._ask_timed(query, parameters, seconds, rows)
        except Exception as error:
            self._release(error)
            raise

    def _release(self, error: Exception) -> None:
        """Discard what is left of an interrupted result; if that fails too, the engine is unusable."""
        try:
            discard_rest(self._con)
        except Exception:  # whatever the error, the connection is not free
            raise UnusableEngine(failure_kind(error)) from None

    def _ask_timed(
        self, query: _PreparedQuery, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        """Run a query within its time limit."""
        with self._timeout.limit_to(seconds):
            return self._fetch(query, parameters, rows)

    def _fetch(self, query: _PreparedQuery, parameters: Sequence[Any], limit: int | None) -> pa.Table | pa.RecordBatch:
        """Fetch few rows as Python values; a query that once had more rows is fetched as Arrow from then on."""
        if query.small:
            found = small_result(self._con.execute(query.statement, list(parameters)))
            if found is not None:
                return self._demand_at_most(found, found.num_rows, limit)
            query.small = False
            discard_rest(self._con)
        return self._fetch_batches(query, parameters, limit)

    def _fetch_batches(self, query: _PreparedQuery, parameters: Sequence[Any], limit: int | None) -> pa.Table:
        """Fetch batches of Arrow rows, and stop when there are too many."""
        relation = self._con.sql(query.statement, params=list(parameters))
        reader = relation.to_arrow_reader(_BATCH_ROWS)
        batches, count = [], 0
        try:
            for batch in reader:
                batches.append(batch)
                count += batch.num_rows
                self._demand_at_most(batch, count, limit)
        finally:
            reader.close()  # an open stream would block the connection
        return pa.Table.from_batches(batches, reader.schema)

    @staticmethod
    def _demand_at_most(found: pa.RecordBatch, count: int, limit: int | None) -> pa.RecordBatch:
        """The rows, if the count so far is within the limit."""
        if limit is not None and count > limit:
            raise EngineFailure("rows")
        return found

    def _load(self, body: pa.Buffer, *, name: str, key: str | None) -> bytes:
        """Create or replace a table from the batches that follow the message."""
        schema = ipc.read_schema(body)
        ranges = None if key is None else KeyRanges(key)
        new_rows = self._batches()
        try:
            batches = new_rows if ranges is None else ranges.observe_all(new_rows)
            reader = pa.RecordBatchReader.from_batches(schema, batches)
            self._transact({_NEW_ROWS: reader}, self._creation(name, key, ranges))
        finally:
            with suppress(EngineFailure):
                for _ in new_rows:  # read all batches even after a failure, so that the next message is read as such
                    pass
        return b""

    def _creation(self, name: str, key: str | None, ranges: KeyRanges | None) -> Iterator[str]:
        """The statements that create a table, as a generator.

        After the first of them has read all rows, it is known whether the keys are sorted and need no index.
        """
        yield f"CREATE OR REPLACE TABLE {quoted(name)} AS SELECT * FROM {quoted(_NEW_ROWS)}"
        if key is None or ranges is None or ranges.is_sorted:
            return
        self._indexes += 1
        # not UNIQUE: masked keys may be hidden, and uniqueness is checked against rows that are being replaced
        yield f'CREATE INDEX "key {self._indexes}" ON {quoted(name)} ({quoted(key)})'

    def _batches(self) -> Iterator[pa.RecordBatch]:
        """The batches that the gateway sends after a load message."""
        while True:
            head, body = self._channel.receive()
            if head == b"end":
                return
            if head == b"abort":
                raise EngineFailure("engine")
            with ipc.open_stream(body) as reader:
                yield from reader

    def _change(self, body: pa.Buffer, *, name: str, key: str, gone: bytes) -> bytes:
        """Replace the rows with certain keys by new rows."""
        old_keys, new_rows = from_bytes(gone), from_bytes(body)
        keys, values = plain_values(old_keys), plain_values(new_rows)
        if keys is None or values is None:
            self._replace_rows(quoted(name), quoted(key), old_keys, new_rows)
        else:
            self._replace_few_rows(quoted(name), quoted(key), keys, new_rows.column_names, values)
        return b""

    def _replace_rows(self, table: str, key: str, old_keys: pa.Table, new_rows: pa.Table) -> None:
        """Replace rows, read from registered Arrow tables."""
        statements = [
            f"DELETE FROM {table} WHERE {key} IN (SELECT key FROM {quoted(_OLD_KEYS)})",
            f"INSERT INTO {table} BY NAME SELECT * FROM {quoted(_NEW_ROWS)}",
        ]
        self._transact({_OLD_KEYS: old_keys, _NEW_ROWS: new_rows}, statements)

    def _replace_few_rows(self, table: str, key: str, keys: list[Any], names: list[str], values: list[Any]) -> None:
        """Replace few rows with values as parameters, which is faster than registering Arrow tables."""
        # A masked key may be hidden, and NULL finds no row.
        known = [one for one in keys if one is not None]
        if len(known) == 1 and len(values) == len(names) and self._update_row(table, key, known[0], names, values):
            return
        deleted = f"DELETE FROM {table} WHERE {key} IN ({', '.join('?' * len(known))})"
        statements: list[Statement] = [(deleted, known)] if known else []
        if values:
            row = f"({', '.join('?' * len(names))})"
            rows = ", ".join([row] * (len(values) // len(names)))
            statements.append((f"INSERT INTO {table} ({', '.join(map(quoted, names))}) VALUES {rows}", values))
        self._transact({}, statements)

    def _update_row(self, table: str, key: str, known: Any, names: list[str], values: list[Any]) -> bool:
        """Update a single row in place, which is faster; False if no row, or several, have the key."""
        new_rows = {quoted(name): value for name, value in zip(names, values, strict=True)}
        if new_rows.pop(key) != known or not new_rows:
            return False
        text = f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in new_rows)} WHERE {key} = ?"
        if text not in self._updates:
            self._updates = {text: self._con.extract_statements(text)[0]}
        with Transaction(self._con) as transaction:
            (number,) = self._con.execute(self._updates[text], [*new_rows.values(), known]).fetchone()
            if number == 1:
                transaction.commit()
        return bool(number == 1)

    def _transact(self, relations: dict[str, Any], statements: Iterable[str | Statement]) -> None:
        """Run statements in one transaction, with relations registered meanwhile."""
        with self._register(relations), Transaction(self._con) as transaction:
            for statement in statements:
                self._con.execute(*([statement] if isinstance(statement, str) else statement))
            transaction.commit()

    @contextmanager
    def _register(self, relations: dict[str, Any]) -> Iterator[None]:
        """Register relations for the block."""
        failed: Exception | None = None
        try:
            for name, rows in relations.items():
                self._con.register(name, rows)
            yield
        except Exception as error:
            failed = error
            raise
        finally:
            self._unregister(relations, failed)

    def _unregister(self, relations: Iterable[str], failed: Exception | None) -> None:
        """Unregister relations; if that fails, queries could read them, so the engine is unusable."""
        for name in relations:
            try:
                self._con.unregister(name)
            except Exception as error:  # whatever the error, the rows are still registered
                raise UnusableEngine(failure_kind(failed or error)) from None


class _PreparedQuery:
    """A parsed SELECT, whether it is known not to write, and whether its results were small so far."""

    def __init__(self, con: Any, sql: str) -> None:
        statements = con.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise EngineFailure("not_a_question")
        self.statement = statements[0]
        self.known_read_only = False
        self.small = True
