"""A child: a process with a DuckDB instance that only ever receives masked rows, and answers questions about them.

It reads no file, loads no extension, takes no setting and knows no environment. Of an error it says the kind alone.
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

from sfumato.gateway.engines.duckdb.query_timeout import Alarm
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.small_results import few_rows, finish, values_of
from sfumato.gateway.engines.duckdb.sorted_keys import KeySpans
from sfumato.gateway.engines.duckdb.transaction import READ_ONLY, Transaction
from sfumato.gateway.engines.duckdb.wire import Channel, packed, unpacked
from sfumato.gateway.engines.failure_messages import LAST, Fault, Unsound, fault_of, is_last

_REMEMBERED = 512
_ROWS_A_BATCH = 1 << 16
_COMING, _GONE = "sfumato: rows that come", "sfumato: keys that go"
_SETTINGS: dict[str, Any] = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "python_enable_replacements": "false",  # a name in a question is never a variable of this program
    "temp_directory": "",
}


Statement = tuple[str, list[Any]]
"""A statement and its parameters."""


class Worker:
    """Answers one message after the other."""

    def __init__(self, channel: Channel, *, memory: str, threads: int) -> None:
        settings = {**_SETTINGS, "memory_limit": memory, "threads": str(threads)}
        self._con: Any = duckdb.connect(":memory:", config=settings)
        self._con.execute("SET TimeZone = 'UTC'")
        self._con.execute("SET lock_configuration = true")
        self._alarm = Alarm(self._con.interrupt)
        self._channel = channel
        self._questions: OrderedDict[str, _Question] = OrderedDict()
        self._updates: dict[str, Any] = {}
        self._indexes = 0

    def serve(self) -> None:
        """Until the other end is closed, or the engine is no longer sound."""
        self._channel.send(b"ok")
        while True:
            head, body = self._channel.receive()
            verb, settings = pickle.loads(head)  # the gateway is trusted here; the other way nothing is unpickled
            verbs: dict[str, Callable[..., pa.Buffer | bytes]] = {
                "ask": self._ask, "load": self._load, "change": self._change, "drop": self._drop,
            }  # fmt: skip
            try:
                answer = verbs[verb](body, **settings)
            except Exception as error:
                last = is_last(error)
                self._channel.send((LAST if last else b"") + fault_of(error).encode())
                if last:
                    return
            else:
                self._channel.send(b"ok", answer)

    def close(self) -> None:
        """Gives everything back."""
        self._alarm.stop()
        self._con.close()

    def _ask(self, _: pa.Buffer, *, sql: str, parameters: Sequence[Any], seconds: float, rows: int | None) -> pa.Buffer:
        question = self._question(sql)
        if question.harmless:
            found = self._in_time(question, parameters, seconds, rows)
        else:
            found = self._read_only(question, parameters, seconds, rows)
        return packed(found)

    def _question(self, sql: str) -> _Question:
        """The statement, read once as long as it is asked every now and then."""
        question = self._questions.pop(sql, None) or _Question(self._con, sql)
        self._questions[sql] = question
        if len(self._questions) > _REMEMBERED:
            self._questions.popitem(last=False)
        return question

    def _read_only(
        self, question: _Question, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        """Whether a statement writes is known from its text alone, so it is tried once in a transaction that cannot.

        The transaction ends when the alarm is off: an alarm that rings on would keep it from ending.
        """
        with Transaction(self._con, READ_ONLY):
            found = self._timed(question, parameters, seconds, rows)
        question.harmless = True
        return found

    def _in_time(
        self, question: _Question, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        """What is known not to write; nothing of it is left open where it fails."""
        try:
            return self._timed(question, parameters, seconds, rows)
        except Exception as error:
            self._let_go(error)
            raise

    def _let_go(self, error: Exception) -> None:
        """Close what is left of an answer that broke off, or give the engine up."""
        try:
            finish(self._con)
        except Exception:  # whatever it is, the connection is not free
            raise Unsound(fault_of(error)) from None

    def _timed(
        self, question: _Question, parameters: Sequence[Any], seconds: float, rows: int | None
    ) -> pa.Table | pa.RecordBatch:
        with self._alarm.within(seconds):
            return self._rows(question, parameters, rows)

    def _rows(self, question: _Question, parameters: Sequence[Any], most: int | None) -> pa.Table | pa.RecordBatch:
        """A few rows by the short way; a question that once had more is asked the other way from then on."""
        if question.few:
            found = few_rows(self._con.execute(question.statement, list(parameters)))
            if found is not None:
                return self._within(found, found.num_rows, most)
            question.few = False
            finish(self._con)
        return self._many(question, parameters, most)

    def _many(self, question: _Question, parameters: Sequence[Any], most: int | None) -> pa.Table:
        relation = self._con.sql(question.statement, params=list(parameters))
        reader = relation.to_arrow_reader(_ROWS_A_BATCH)
        batches, count = [], 0
        try:
            for batch in reader:
                batches.append(batch)
                count += batch.num_rows
                self._within(batch, count, most)
        finally:
            reader.close()  # a stream that was left open would keep the connection
        return pa.Table.from_batches(batches, reader.schema)

    @staticmethod
    def _within(found: pa.RecordBatch, count: int, most: int | None) -> pa.RecordBatch:
        if most is not None and count > most:
            raise Fault("rows")
        return found

    def _load(self, body: pa.Buffer, *, name: str, key: str | None) -> bytes:
        schema = ipc.read_schema(body)
        spans = None if key is None else KeySpans(key)
        coming = self._batches()
        try:
            batches = coming if spans is None else spans.noted(coming)
            reader = pa.RecordBatchReader.from_batches(schema, batches)
            self._transact({_COMING: reader}, self._creation(name, key, spans))
        finally:
            with suppress(Fault):
                for _ in coming:  # to the end, whatever happened: what comes next is the next message
                    pass
        return b""

    def _creation(self, name: str, key: str | None, spans: KeySpans | None) -> Iterator[str]:
        """One statement after the other; once the first is done, it is known how the keys lie."""
        yield f"CREATE OR REPLACE TABLE {quoted(name)} AS SELECT * FROM {quoted(_COMING)}"
        if key is None or spans is None or spans.narrow:
            return
        self._indexes += 1
        # not unique: a masked key may be hidden, and a unique one is checked against rows that are just being replaced
        yield f'CREATE INDEX "key {self._indexes}" ON {quoted(name)} ({quoted(key)})'

    def _batches(self) -> Iterator[pa.RecordBatch]:
        while True:
            head, body = self._channel.receive()
            if head == b"end":
                return
            if head == b"abort":
                raise Fault("engine")
            with ipc.open_stream(body) as reader:
                yield from reader

    def _change(self, body: pa.Buffer, *, name: str, key: str, gone: bytes) -> bytes:
        going, coming = unpacked(gone), unpacked(body)
        keys, values = values_of(going), values_of(coming)
        if keys is None or values is None:
            self._exchange(quoted(name), quoted(key), going, coming)
        else:
            self._exchange_few(quoted(name), quoted(key), keys, coming.column_names, values)
        return b""

    def _exchange(self, table: str, key: str, going: pa.Table, coming: pa.Table) -> None:
        statements = [
            f"DELETE FROM {table} WHERE {key} IN (SELECT key FROM {quoted(_GONE)})",
            f"INSERT INTO {table} BY NAME SELECT * FROM {quoted(_COMING)}",
        ]
        self._transact({_GONE: going, _COMING: coming}, statements)

    def _exchange_few(self, table: str, key: str, keys: list[Any], names: list[str], values: list[Any]) -> None:
        """The same for a few rows, of which a table to read them from would cost more than all else."""
        known = [one for one in keys if one is not None]
        if len(known) == 1 and len(values) == len(names) and self._updated(table, key, known[0], names, values):
            return
        deleted = f"DELETE FROM {table} WHERE {key} IN ({', '.join('?' * len(known))})"
        statements: list[Statement] = [(deleted, known)] if known else []
        if values:
            row = f"({', '.join('?' * len(names))})"
            rows = ", ".join([row] * (len(values) // len(names)))
            statements.append((f"INSERT INTO {table} ({', '.join(map(quoted, names))}) VALUES {rows}", values))
        self._transact({}, statements)

    def _updated(self, table: str, key: str, known: Any, names: list[str], values: list[Any]) -> bool:
        """Whether one row could be changed in its place, which is cheaper; not where there is none, or several."""
        coming = {quoted(name): value for name, value in zip(names, values, strict=True)}
        if coming.pop(key) != known or not coming:
            return False
        text = f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in coming)} WHERE {key} = ?"
        if text not in self._updates:
            self._updates = {text: self._con.extract_statements(text)[0]}
        with Transaction(self._con) as transaction:
            (number,) = self._con.execute(self._updates[text], [*coming.values(), known]).fetchone()
            if number == 1:
                transaction.commit()
        return bool(number == 1)

    def _drop(self, _: pa.Buffer, *, name: str) -> bytes:
        self._transact({}, [f"DROP TABLE IF EXISTS {quoted(name)}"])
        return b""

    def _transact(self, seen: dict[str, Any], statements: Iterable[str | Statement]) -> None:
        """All of it or nothing; what is registered is seen meanwhile and no longer."""
        with self._seeing(seen), Transaction(self._con) as transaction:
            for statement in statements:
                self._con.execute(*([statement] if isinstance(statement, str) else statement))
            transaction.commit()

    @contextmanager
    def _seeing(self, seen: dict[str, Any]) -> Iterator[None]:
        failed: Exception | None = None
        try:
            for name, rows in seen.items():
                self._con.register(name, rows)
            yield
        except Exception as error:
            failed = error
            raise
        finally:
            self._forget(seen, failed)

    def _forget(self, seen: Iterable[str], failed: Exception | None) -> None:
        """Nobody sees what was registered any more, or the engine is given up."""
        for name in seen:
            try:
                self._con.unregister(name)
            except Exception as error:  # whatever it is, the rows are still there
                raise Unsound(fault_of(failed or error)) from None


class _Question:
    """A statement that was read, whether it is known not to write, and whether it may have but a few rows."""

    def __init__(self, con: Any, sql: str) -> None:
        statements = con.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Fault("not_a_question")
        self.statement = statements[0]
        self.harmless = False
        self.few = True
