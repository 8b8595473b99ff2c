"""A model that must hold in every part of a group: among those who agree on what stays tied to the secret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, Kind
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.models.base import PrivacyModel


@dataclass(frozen=True, kw_only=True)
class EveryPart(PrivacyModel):
    """Asks another model about each part of a group, by a column that says part and secret of a record at once."""

    model: PrivacyModel
    secret: str
    column: str
    values: int

    @classmethod
    def of(cls, model: PrivacyModel, table: Table, secret: str, companions: tuple[str, ...]) -> tuple[EveryPart, Table]:
        """The model, and the table with that column; parts agree on all companions."""
        column, values, part = f"parts and {secret}", len(table.domain(secret)), table.agreeing(companions)
        while column in table.codes:
            column += "_"
        cells = (int(part.max(initial=-1)) + 1) * values
        domain = Domain(column, Kind.TEXT, tuple(map(str, range(cells))), None)
        made = cls(model=model, secret=secret, column=column, values=values)
        return made, table.with_column(column, part * np.int32(values) + table.codes[secret], domain)

    @property
    def required(self) -> float:
        """All parts hold."""
        return 1.0

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The share of parts that hold."""
        parts, starts = self._parts(groups)
        held = self.model.holds(parts).astype(np.float64)
        return np.add.reduceat(held, starts[:-1]) / np.diff(starts) if len(groups) else held

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The column of part and secret."""
        return (self.column,)

    def least_size(self) -> int:
        """No group is smaller than a part."""
        return self.model.least_size()

    def room(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """As much as all parts have."""
        parts, starts = self._parts(groups)
        room = self.model.room(parts, least)
        return np.add.reduceat(room, starts[:-1]) if len(groups) else room

    def _parts(self, groups: Groups) -> tuple[Groups, NDArray[np.int64]]:
        """The parts of all groups as groups of their own, and where those of each group begin."""
        cells = groups.histogram(self.column)
        key = cells.group * (len(cells.whole) // self.values) + cells.values // self.values
        first = np.flatnonzero(np.diff(key, prepend=-1))
        starts = np.append(first, len(key))
        sizes = np.add.reduceat(cells.counts, first) if len(first) else cells.counts
        whole, taxonomy = groups.whole(self.secret), groups.table.taxonomies.get(self.secret)
        secrets = Histogram(starts, cells.values % np.int32(self.values), cells.counts, sizes, whole, taxonomy)
        parts = Groups(groups.schema, sizes, groups.table, None, {}, {self.secret: secrets})
        return parts, np.searchsorted(first, cells.starts)
