"""The contract of microaggregation: groups of near records, of which only what they have in common is published."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.algorithms.microaggregation.embedding import embedded
from sfumato.algorithms.microaggregation.merging import merged_until_held
from sfumato.algorithms.microaggregation.row_blocks import row_blocks
from sfumato.algorithms.microaggregation.torn_groups import regrouped, squared_errors
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UnsuitableError, listed, nearest
from sfumato.models.base import PrivacyModel
from sfumato.operations.microaggregate import microaggregate
from sfumato.releases.candidate import Candidate
from sfumato.settings.params import param

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Algorithm):
    """Base of all ways of microaggregation; an author writes `_partition`.

    Records become points: numbers and dates by their place, categories by their taxonomy, each column as spread out as
    any other where `standardize`. Points that are near share a group, and every record of a group publishes the same
    centroid. Groups that a model does not find safe yet are joined with the nearest.

    Facts: `most_rows` is the number of records above which a way that compares all pairs refuses to start, unless it
    is told to be `patient` or to work on `rows_at_once`; None where it grows about as fast as the table.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"judges_groups_alone"})
    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    improvable: ClassVar[bool] = True
    family: ClassVar[str] = "groups that publish centroids (microaggregation)"
    most_rows: ClassVar[int | None] = None

    centroid: Literal["mean", "median", "mode", "midrange", "geometric_mean"] = param(
        "mean", doc="what a group publishes of its numbers and dates"
    )
    category: Literal["mode", "median"] = param(
        "mode", doc="what it publishes of categories: the commonest, or the one nearest to all by the taxonomy"
    )
    standardize: bool = param(True, doc="let every column count alike, whatever its unit")
    blocks: tuple[tuple[str, ...], ...] = param((), doc="sets of columns to be grouped apart; none: all together")
    rows_at_once: int | None = param(None, doc="cut the records into blocks of at most so many first", at_least=2)
    patient: bool = param(False, doc="start even where comparing all pairs of records will take very long")

    def __post_init__(self) -> None:
        if isinstance(self.blocks, (list, tuple)):
            nested = tuple(tuple(block) if isinstance(block, list) else block for block in self.blocks)
            object.__setattr__(self, "blocks", nested)
        super().__post_init__()
        named = [name for block in self.blocks for name in block]
        if len(set(named)) < len(named) or not all(self.blocks):
            raise ParameterError("'blocks' must be lists of at least one column, and name no column twice.")

    @property
    def lets_waive(self) -> bool:
        """Who waives shares a group with those just like him, whose mean is their own value."""
        return True

    @property
    def truthful(self) -> bool:
        """A mean is true of a group, not of its records."""
        return False

    @abstractmethod
    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        """The group of every point, numbered from 0 without gaps; none of fewer than k, where there are k points."""

    def _publish(self, table: Table, model: PrivacyModel, suppression: float, random: np.random.Generator) -> Candidate:
        return self._publish_improved(table, model, random, None)

    def _publish_improved(
        self, table: Table, model: PrivacyModel, random: np.random.Generator, search: LocalSearch | None
    ) -> Candidate:
        """Publish the centroids of the chosen groups as a search leaves them."""
        row = np.repeat(np.arange(len(table)), table.counts)
        parts = [
            (columns, self._labels(table, row, columns, model, random, search)) for columns in self._apart(table.schema)
        ]
        return microaggregate(table, row, parts, centroid=self.centroid, category=self.category)

    def _labels(
        self,
        table: Table,
        row: NDArray[np.int64],
        columns: Sequence[str],
        model: PrivacyModel,
        random: np.random.Generator,
        search: LocalSearch | None,
    ) -> Labels:
        """The group of every record in some columns; people who waive protection share it with those like them."""
        kept, free = row[~table.waived[row]], table.waived[row]
        points = embedded(table, columns, standardize=self.standardize)[kept]
        found = self._grouped(points, model.least_size(), random)
        asking = [one for one in model.members() if set(one.background(table.schema).columns) <= set(columns)]
        labels = np.empty(len(row), dtype=np.int32)
        labels[~free] = merged_until_held(table, kept, found, asking, points)
        if search is not None:
            better = search.of_points(points, found, model.least_size())
            better = merged_until_held(table, kept, better, asking, points)
            labels[~free] = min(labels[~free], better, key=lambda one: squared_errors(points, one).sum())
        if free.any():
            alike = table.rows_at(row[free], np.ones(int(free.sum()), dtype=np.int64)).agreeing(columns)
            labels[free] = alike + labels[~free].max() + 1
        return labels

    def _grouped(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        """All points at once, or block after block."""
        if self.rows_at_once is None or len(points) <= self.rows_at_once:
            return self._partition(points, k, random)
        labels, groups, size = np.empty(len(points), dtype=np.int32), 0, max(self.rows_at_once, 2 * k)
        for block in row_blocks(points, size):
            found = self._partition(np.ascontiguousarray(points[block]), k, random)
            labels[block] = found + groups
            groups += int(found.max()) + 1
        return regrouped(points, labels, size, lambda torn: self._partition(torn, k, random))

    def _apart(self, schema: Schema) -> Sequence[tuple[str, ...]]:
        return self.blocks or (schema.quasi,)

    def _limit(self) -> int | None:
        """How many records it starts on without being asked to be patient."""
        return self.most_rows

    def _refuse_unsuitable(self, table: Table, model: PrivacyModel) -> None:
        super()._refuse_unsuitable(table, model)
        self._refuse_blocks(table.schema, model)
        at_once = min(table.records, self.rows_at_once or table.records)
        limit = self._limit()
        if limit is not None and at_once > limit and not self.patient:
            raise UnsuitableError(
                f"{self.name()} compares all pairs of records, and {table.records} are more than the {limit} it starts "
                f"on unasked; set rows_at_once = {max(limit // 10, 2)} to work in blocks, patient = true to wait, or "
                "take mdav."
            )

    def _refuse_blocks(self, schema: Schema, model: PrivacyModel) -> None:
        if not self.blocks:
            return
        named = [name for block in self.blocks for name in block]
        strange = [name for name in named if name not in schema.quasi]
        if strange:
            raise ParameterError(f"'blocks' names {strange[0]!r}, no quasi column; {nearest(strange[0], schema.quasi)}")
        left = [name for name in schema.quasi if name not in named]
        if left:
            raise ParameterError(f"'blocks' must share out all quasi columns; {listed(left)} is in none of them.")
        for member in model.members():
            if not any(set(member.background(schema).columns) <= set(block) for block in self.blocks):
                raise UnsuitableError(
                    f"{self.name()} groups every block of columns on its own, and {member} asks about columns of "
                    "several blocks together; name the blocks as quasi-identifiers and ask the model of each."
                )

    def _provenance(self, table: Table, model: PrivacyModel, suppression: float, seed: int) -> dict[str, Any]:
        made = super()._provenance(table, model, suppression, seed)
        blocks = [list(columns) for columns in self._apart(table.schema)]
        how = {"standardized": self.standardize, "centroid": self.centroid, "category": self.category}
        return made | {"microaggregated": {"columns": blocks, **how}}
