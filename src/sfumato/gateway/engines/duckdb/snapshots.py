"""Masked rows that are kept in an engine, and of which state of their source they are.

The state of a source is its epoch, any value that stays equal only while nothing changes. An epoch is read before rows
are, so rows are of that epoch or later, never earlier.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from sfumato.errors import DataError, SfumatoError

MAX_CHANGED = 50_000
"""After so many exchanged rows a table is built anew: what was taken out still takes room, and shows in statistics."""

Build = Callable[[], pa.RecordBatchReader]
Changed = Callable[[Any], tuple[pa.Array, pa.Table] | None]


class TableHolder(Protocol):
    """What holds masked tables: a child, or a crew of them."""

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Makes or replaces a table."""

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Exchanges rows."""

    def drop(self, name: str) -> None:
        """Forgets a table."""


@dataclass(frozen=True)
class _LoadedState:
    epoch: Any
    changed: int


@dataclass(frozen=True)
class _Recipe:
    build: Build
    key: str | None


class Snapshots:
    """Which epoch every masked relation is of; brings it up to date before a question is asked.

    Who needs the same relation waits until it is up to date, others go on. When anything fails on the way, the relation
    counts as not there, and is built anew the next time.
    """

    def __init__(self, holder: TableHolder) -> None:
        self._holder = holder
        self._loaded: dict[str, _LoadedState] = {}
        self._recipes: dict[str, _Recipe] = {}
        self._failed: set[str] = set()
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def ensure(
        self,
        relation: str,
        epoch: Hashable,
        build: Build,
        changed: Changed | None = None,
        *,
        key: str | None = None,
    ) -> None:
        """Afterwards the relation is of this epoch or a later one.

        `changed` is given the epoch that is kept and answers which keys have changed since and what their rows are
        now, or None where it cannot tell or there are too many. Then, or without it or a key, all is built anew.
        """
        if self._is_of(relation, epoch):
            return
        with self._lock_of(relation):
            if not self._is_of(relation, epoch):
                self._failed.discard(relation)
                self._recipes[relation] = _Recipe(build, key)  # first: a child that starts meanwhile needs it too
                state = self._refresh(relation, epoch, changed, self._loaded.pop(relation, None))
                if relation not in self._failed:
                    self._loaded[relation] = state

    def epoch(self, relation: str) -> Any:
        """The epoch that is kept; None if there is none."""
        loaded = self._loaded.get(relation)
        return None if loaded is None else loaded.epoch

    def forget(self, relation: str) -> None:
        """The relation is needed no longer."""
        with self._lock_of(relation):
            self._recipes.pop(relation, None)
            self._loaded.pop(relation, None)
            self._holder.drop(relation)

    def reload(self, worker: TableHolder) -> None:
        """Loads into a child that is new what the others hold.

        What cannot be built now counts as not there, so whoever asks for it next is told why.
        """
        for relation, recipe in list(self._recipes.items()):
            try:
                worker.load(relation, recipe.build(), key=recipe.key)
            except SfumatoError:
                self._failed.add(relation)
                self._loaded.pop(relation, None)

    def _refresh(
        self, relation: str, epoch: Hashable, changed: Changed | None, loaded: _LoadedState | None
    ) -> _LoadedState:
        recipe = self._recipes[relation]
        if changed is not None and loaded is not None and recipe.key is not None and loaded.changed < MAX_CHANGED:
            difference = changed(loaded.epoch)
            if difference is not None and self._replace_changed(relation, recipe.key, *difference):
                return _LoadedState(epoch, loaded.changed + len(difference[0]))
        self._holder.load(relation, recipe.build(), key=recipe.key)
        return _LoadedState(epoch, 0)

    def _replace_changed(self, relation: str, key: str, gone: pa.Array, rows: pa.Table) -> bool:
        """Whether rows could be exchanged; not where they no longer have the columns of those that are there."""
        try:
            self._holder.change(relation, gone, rows, key)
        except DataError:
            return False
        return True

    def _is_of(self, relation: str, epoch: Hashable) -> bool:
        loaded = self._loaded.get(relation)
        return loaded is not None and bool(loaded.epoch == epoch)

    def _lock_of(self, relation: str) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(relation, threading.Lock())
