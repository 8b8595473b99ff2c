"""The DuckDB source: the owner's database in this process, masked relations in worker processes per purpose."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from sfumato.errors import BusyError, DataError
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.duckdb.quoting import quoted
from sfumato.gateway.engines.duckdb.snapshots import Snapshots
from sfumato.gateway.engines.duckdb.worker_pool import WorkerPool
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.source import UNATTRIBUTED, Source
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
    from sfumato.gateway.engines.entry_store import EntryStore

_LOGGER = logging.getLogger(__name__)
_RAW = '"raw"'
_THREADS = min(4, os.cpu_count() or 1)
"""Threads that each worker may use for one query."""

_MAX_PURPOSES = 8
"""Most purposes that have workers at the same time."""

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_TRACKED_KEY_TYPES = frozenset({*_INTEGERS, *(f"U{name}" for name in _INTEGERS), "VARCHAR", "DATE"})
"""Types of keys that are the same in DuckDB, Arrow and Python. With other types a relation is rebuilt when its table
changes."""


@dataclass(frozen=True)
class _PurposeWorkers:
    """The workers of one purpose, and the relations loaded in them."""

    pool: WorkerPool
    snapshots: Snapshots


class EmbeddedSource(Source):
    """Answers from snapshots of masked relations, which are brought up to date before a query if anything changed.

    A worker process holds the masked relations of one purpose only, so a query for one purpose can never reach what is
    shown for another. `children` is the number of workers per purpose.
    """

    engine: ClassVar[str] = "duckdb"

    def __init__(
        self,
        private: PrivateDuckDb,
        *,
        children: int = 2,
        limits: Limits | None = None,
    ) -> None:
        self._private = private
        self._worker_count = children
        self._memory = (limits or Limits()).memory
        self._workers_of: OrderedDict[str, _PurposeWorkers] = OrderedDict()
        self._mask_texts: dict[tuple[str, str], tuple[PurposeView, str]] = {}
        self._lock = threading.Lock()
        self._first_types: dict[str, dict[str, str]] = {}
        self._types = lru_cache(maxsize=256)(self._read_types)
        self._constraints = lru_cache(maxsize=256)(lambda table, columns_epoch: self._private.constraints(table))

    @property
    def parallel_queries(self) -> int:
        """One query per worker, and two more whose requests or answers are being transferred."""
        return self._worker_count + 2

    @property
    def parallel_queries_per_person(self) -> int:
        """All workers but one, which stays free for others."""
        return max(1, self._worker_count - 1)

    def types(self, table: str) -> Mapping[str, ColumnType]:
        """The columns of a table and their types."""
        try:
            return self._types(table, self._private.columns_epoch(table))
        except DataError:
            self._private.demand_there(table)
            raise

    def constraints(self, table: str) -> Constraints:
        """The constraints of a table; none are known of files and views."""
        return self._constraints(table, self._private.columns_epoch(table))

    def ledger_name(self, table: str) -> str:
        """The name in lower case, because DuckDB ignores case; for a table that is a file, the name of the file."""
        return self._private.ledger_name(table)

    def entries(self, table: str) -> EntryStore:
        """The store of the ledger: in the owner's database, or beside the file of the table."""
        return self._private.entries(table)

    def ready(self, views: Sequence[PurposeView]) -> None:
        """Bring the snapshots of these views up to date."""
        for view in views:
            self._refresh_snapshot(view)

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Run a query on a worker that holds the masked relations of the purpose."""
        return self._workers_for(purpose).pool.ask(sql, parameters, seconds=limits.seconds, rows=limits.rows)

    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = UNATTRIBUTED) -> None:
        """Store choices in tables of the owner's database."""
        self._private.set_choices(table, *choices, entered=entered)

    def choice_history(self, table: str, key: str) -> list[ChoiceRecord]:
        """The choices of the person with a key over time, the oldest first."""
        return self._private.choice_history(table, key)

    def close(self) -> None:
        """End all worker processes and close the database."""
        with self._lock:
            for workers in self._workers_of.values():
                workers.pool.close()
            self._workers_of.clear()
        self._private.close()

    def _refresh_snapshot(self, view: PurposeView) -> None:
        """Bring one view up to date. Its rows are those of the view's day, whenever they are loaded."""
        self._private.keep_names(view.policy.choices)
        self._workers_for(view.purpose).snapshots.ensure(
            view.name,
            # The epoch is read before the rows, so that a change in between leads to one refresh too many and never
            # to a stale row. The day is part of it, because retention periods end with days.
            (self._private.epoch(view.table), view.day),
            lambda: self._private.stream(self._masked_query(view)),
            lambda loaded: self._changed(view, loaded),
            key=_key_name(view),
        )

    def _masked_query(self, view: PurposeView) -> str:
        """All masked rows, sorted by key: the order of the owner's table may be that of hidden values."""
        raw = exp.select("*").from_(self._private.raw(view.table)).sql(self.engine, identify=True)
        key = _key_name(view)
        order = "" if key is None or view.referencing else f" ORDER BY {quoted(key)}"
        return f"WITH {_RAW} AS NOT MATERIALIZED ({raw}) {self._mask_sql(view)}{order}"

    def _mask_sql(self, view: PurposeView) -> str:
        """The SELECT that masks raw rows, cached, because writing it takes longer than refreshing few rows."""
        relation = (view.purpose, view.name)
        loaded = self._mask_texts.get(relation)
        # Views are cached objects, so the same object means the same SQL.
        if loaded is None or loaded[0] is not view:
            today = exp.cast(exp.Literal.string(view.day.isoformat()), "date")
            made = view.select(exp.to_table(_RAW), self.engine, today=today)
            self._mask_texts[relation] = loaded = (view, made.sql(self.engine, identify=True))
        return loaded[1]

    def _changed(self, view: PurposeView, loaded: tuple[Any, date]) -> tuple[pa.Array, pa.Table] | None:
        """The keys that changed and their masked rows now; None if the relation must be rebuilt."""
        kind = view.types[self._private.key(view.table)].name
        if loaded[1] != view.day or kind.upper() not in _TRACKED_KEY_TYPES:
            return None
        keys = self._private.changed(view.table, loaded[0])
        if keys is None:
            return None
        return keys, self._private.rows_with_keys(view.table, kind, keys, self._mask_sql(view))

    def _workers_for(self, purpose: str) -> _PurposeWorkers:
        """The workers of a purpose, started on first use."""
        with self._lock:
            if purpose not in self._workers_of:
                if len(self._workers_of) >= _MAX_PURPOSES:
                    self._stop_idle_workers()
                pool = WorkerPool.start(self._worker_count, memory=self._memory, threads=_THREADS)
                snapshots = Snapshots(pool)
                # A worker that replaces a dead one loads the same relations before it answers.
                pool.reload = snapshots.reload
                self._workers_of[purpose] = _PurposeWorkers(pool, snapshots)
            self._workers_of.move_to_end(purpose)
            return self._workers_of[purpose]

    def _stop_idle_workers(self) -> None:
        """End the workers of the idle purpose that was not used for the longest time."""
        for purpose, workers in self._workers_of.items():
            if workers.pool.idle:
                workers.pool.close()
                del self._workers_of[purpose]
                return
        raise BusyError(f"{_MAX_PURPOSES} purposes are in use at once, which is the limit; ask again later.")

    def _read_types(self, table: str, _: object) -> Mapping[str, ColumnType]:
        """The types of a table; cached by the state of its columns."""
        types = self._private.types(table)
        if self._private.has_guessed_types(table):
            self._demand_same_types(table, types)
        for name, kind in types.items():
            if kind == "UHUGEINT":
                raise DataError(
                    f"column {name!r} of {table!r} is UHUGEINT, whose upper half DuckDB exports as negative "
                    "numbers; make it a HUGEINT or a text."
                )
        return {name: ColumnType.of_duckdb(kind) for name, kind in types.items()}

    def _demand_same_types(self, table: str, types: Mapping[str, str]) -> None:
        """Refuse a table whose guessed types changed, because a single hidden value can cause the change.

        The operator's log names the columns; the caller does not learn them.
        """
        first_types = self._first_types.setdefault(table, dict(types))
        changed = [name for name, kind in types.items() if first_types.setdefault(name, kind) != kind]
        if changed:
            _LOGGER.error(
                "columns %s of %r have other types than before; declare the types in [source], or restart the gateway.",
                ", ".join(map(repr, changed)),
                table,
            )
            raise DataError(
                f"table {table!r} cannot be read as it was before; the log of the gateway's operator says why."
            )


def _key_name(view: PurposeView) -> str | None:
    """The key by which masked rows are looked up and replaced; None if it may be hidden or missing."""
    return None if view.shown_key is None else view.shown_key.name
