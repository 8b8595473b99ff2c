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

MOST_CHANGED = 50_000
"""After so many exchanged rows a table is built anew: what was taken out still takes room, and shows in statistics."""

Build = Callable[[], pa.RecordBatchReader]
Changed = Callable[[Any], tuple[pa.Array, pa.Table] | None]


class Holder(Protocol):
    """What holds masked tables: a child, or a crew of them."""

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        """Makes or replaces a table."""

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        """Exchanges rows."""

    def drop(self, name: str) -> None:
        """Forgets a table."""


@dataclass(frozen=True)
class _Kept:
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

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._kept: dict[str, _Kept] = {}
        self._recipes: dict[str, _Recipe] = {}
        self._lost: set[str] = set()
        self._turns: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

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
        with self._turn(relation):
            if not self._is_of(relation, epoch):
                self._lost.discard(relation)
                self._recipes[relation] = _Recipe(build, key)  # first: a child that starts meanwhile needs it too
                brought = self._brought(relation, epoch, changed, self._kept.pop(relation, None))
                if relation not in self._lost:
                    self._kept[relation] = brought

    def epoch(self, relation: str) -> Any:
        """The epoch that is kept; None if there is none."""
        kept = self._kept.get(relation)
        return None if kept is None else kept.epoch

    def forget(self, relation: str) -> None:
        """The relation is needed no longer."""
        with self._turn(relation):
            self._recipes.pop(relation, None)
            self._kept.pop(relation, None)
            self._holder.drop(relation)

    def reload(self, child: Holder) -> None:
        """Loads into a child that is new what the others hold.

        What cannot be built now counts as not there, so whoever asks for it next is told why.
        """
        for relation, recipe in list(self._recipes.items()):
            try:
                child.load(relation, recipe.build(), key=recipe.key)
            except SfumatoError:
                self._lost.add(relation)
                self._kept.pop(relation, None)

    def _brought(self, relation: str, epoch: Hashable, changed: Changed | None, kept: _Kept | None) -> _Kept:
        recipe = self._recipes[relation]
        if changed is not None and kept is not None and recipe.key is not None and kept.changed < MOST_CHANGED:
            difference = changed(kept.epoch)
            if difference is not None and self._exchanged(relation, recipe.key, *difference):
                return _Kept(epoch, kept.changed + len(difference[0]))
        self._holder.load(relation, recipe.build(), key=recipe.key)
        return _Kept(epoch, 0)

    def _exchanged(self, relation: str, key: str, gone: pa.Array, rows: pa.Table) -> bool:
        """Whether rows could be exchanged; not where they no longer have the columns of those that are there."""
        try:
            self._holder.change(relation, gone, rows, key)
        except DataError:
            return False
        return True

    def _is_of(self, relation: str, epoch: Hashable) -> bool:
        kept = self._kept.get(relation)
        return kept is not None and bool(kept.epoch == epoch)

    def _turn(self, relation: str) -> threading.Lock:
        with self._guard:
            return self._turns.setdefault(relation, threading.Lock())
