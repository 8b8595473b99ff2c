"""Keeps masked relations loaded in workers, and tracks which state of the private data each of them shows.

The state of a source is its epoch: any value that stays equal only while nothing changes. The epoch is read before the
rows, so loaded rows are of that epoch or later, never earlier. `EmbeddedSource` has one `Snapshots` per purpose.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from sfumato.errors import DataError, SfumatoError

MAX_CHANGED = 50_000
"""After so many replaced rows a table is rebuilt: deleted rows take space, and show in the engine's statistics."""

Build = Callable[[], pa.RecordBatchReader]
"""Streams all rows of a relation."""
Changed = Callable[[Any], tuple[pa.Array, pa.Table] | None]
"""Given the loaded epoch, the changed keys and their rows now; None if unknown or too many."""


class TableHolder(Protocol):
    """What holds masked tables: a worker, or a pool of workers."""

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Create or replace a table."""

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Replace rows."""


@dataclass(frozen=True)
class _LoadedState:
    """The epoch of a loaded relation, and how many rows were replaced since it was built."""

    epoch: Any
    changed: int


@dataclass(frozen=True)
class _Recipe:
    """How to build a relation, for workers that start later."""

    build: Build
    key: str | None


class Snapshots:
    """The loaded epoch of every masked relation; brings a relation up to date before a query runs.

    Callers that need the same relation wait until it is up to date, others continue. If anything fails, the relation
    counts as not loaded and is rebuilt next time.
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
        """Bring a relation to this epoch or a later one.

        `changed` gets the loaded epoch and returns the keys that changed since, with their rows now, or None if that is
        unknown or there are too many. In that case, or without `changed` or a key, the relation is rebuilt.
        """
        if self._is_loaded_at(relation, epoch):
            return
        with self._lock_of(relation):
            if not self._is_loaded_at(relation, epoch):
                self._failed.discard(relation)
                self._recipes[relation] = _Recipe(build, key)  # first: a worker that starts meanwhile needs it too
                # The relation counts as not loaded while it is refreshed;
                # if this raises, it stays so and is rebuilt next time.
                state = self._refresh(relation, epoch, changed, self._loaded.pop(relation, None))
                if relation not in self._failed:
                    self._loaded[relation] = state

    def reload(self, worker: TableHolder) -> None:
        """Load into a new worker what the others hold.

        A relation that cannot be built now counts as not loaded, so the next query for it gets the reason.
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
        """Replace the changed rows, or rebuild the relation."""
        recipe = self._recipes[relation]
        if changed is not None and loaded is not None and recipe.key is not None and loaded.changed < MAX_CHANGED:
            # The rows are read now and may be newer than `epoch`; then
            # the next query refreshes them again, which does no harm.
            difference = changed(loaded.epoch)
            if difference is not None and self._replace_changed(relation, recipe.key, *difference):
                return _LoadedState(epoch, loaded.changed + len(difference[0]))
        self._holder.load(relation, recipe.build(), key=recipe.key)
        return _LoadedState(epoch, 0)

    def _replace_changed(self, relation: str, key: str, gone: pa.Array, rows: pa.Table) -> bool:
        """Replace rows; False if they no longer have the columns of the loaded table."""
        try:
            self._holder.change(relation, gone, rows, key)
        except DataError:
            return False
        return True

    def _is_loaded_at(self, relation: str, epoch: Hashable) -> bool:
        """Whether the loaded relation is of this epoch."""
        loaded = self._loaded.get(relation)
        return loaded is not None and bool(loaded.epoch == epoch)

    def _lock_of(self, relation: str) -> threading.Lock:
        """The lock of one relation."""
        with self._lock:
            return self._locks.setdefault(relation, threading.Lock())
