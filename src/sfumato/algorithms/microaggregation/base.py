"""The base class of microaggregation algorithms, which group near records and publish the centroid of each group.

It also holds the lookup of these algorithms by name, and the cutting of a large table into blocks of near records.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.algorithms.microaggregation.dissolving import regroup_costliest, squared_errors
from sfumato.algorithms.microaggregation.embedding import embed
from sfumato.algorithms.microaggregation.group_sizes import merge_failing_groups
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UnsuitableError, listed, nearest
from sfumato.models.group_model import GroupModel
from sfumato.operations.microaggregate import microaggregate
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.progress import advance
from sfumato.settings.catalogue import subclasses_of
from sfumato.settings.params import param

Labels = NDArray[np.int32]
Points = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Microaggregation(TableAlgorithm):
    """Base of all microaggregation algorithms; a subclass implements `_partition`.

    Records become points: numbers and dates have one coordinate, categories several that follow from their taxonomy.
    With `standardize` all columns have the same variance. Near points share a group, and all records of a group publish
    the same centroid. A group that fails the privacy model is merged with the group of the nearest centroid.

    `most_rows` is the number of records above which an algorithm that compares all pairs refuses to start, unless
    `patient` or `rows_at_once` is set. It is None where the running time is about proportional to the records.
    """

    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    improvable: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    family: ClassVar[str] = "groups that publish centroids (microaggregation)"
    most_rows: ClassVar[int | None] = None

    centroid: Literal["mean", "median", "mode", "midrange", "geometric_mean"] = param(
        "mean", doc="what a group publishes of its numbers and dates"
    )
    category: Literal["mode", "median"] = param(
        "mode", doc="what it publishes of categories: the commonest, or the one nearest to all by the taxonomy"
    )
    standardize: bool = param(True, doc="scale all columns to the same variance")
    blocks: tuple[tuple[str, ...], ...] = param((), doc="sets of columns grouped separately; none: all together")
    rows_at_once: int | None = param(None, doc="first cut the records into blocks of at most this size", at_least=2)
    patient: bool = param(False, doc="start even where comparing all pairs of records will take very long")

    def __post_init__(self) -> None:
        if isinstance(self.blocks, (list, tuple)):
            # Plans and command lines give lists, but a setting of a frozen dataclass must be hashable.
            nested = tuple(tuple(block) if isinstance(block, list) else block for block in self.blocks)
            object.__setattr__(self, "blocks", nested)
        super().__post_init__()
        named = [name for block in self.blocks for name in block]
        if len(set(named)) < len(named) or not all(self.blocks):
            raise ParameterError("'blocks' must be lists of at least one column, and name no column twice.")

    @property
    def lets_waive(self) -> bool:
        """True: a person who waives protection only shares a group with equal records, whose mean is the own value."""
        return True

    @property
    def truthful(self) -> bool:
        """False: a mean describes a group and need not be the value of any of its records."""
        return False

    @abstractmethod
    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        """The group of every point, numbered from 0 without gaps; if there are k points, every group has at least k."""

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        return self._publish_improved(table, model, random, None)

    def _publish_improved(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> TableCandidate:
        """Publish the centroids of the groups, after local search has improved them if there is one."""
        row = np.repeat(np.arange(len(table)), table.counts)
        parts = [
            (columns, self._labels(table, row, columns, model, random, search))
            for columns in self._column_blocks(table.schema)
        ]
        return microaggregate(table, row, parts, centroid=self.centroid, category=self.category)

    def _labels(
        self,
        table: Table,
        row: NDArray[np.int64],
        columns: Sequence[str],
        model: GroupModel,
        random: np.random.Generator,
        search: LocalSearch | None,
    ) -> Labels:
        """The group of every record in some columns; records that waive protection only share it with equal ones."""
        kept, free = row[~table.waived[row]], table.waived[row]
        points = embed(table, columns, standardize=self.standardize)[kept]
        found = self._group_points(points, model.bounds.least_size(), random)
        # with several blocks, a model applies to the block that has all its columns
        relevant = [one for one in model.measured() if set(one.known_columns(table.schema).columns) <= set(columns)]
        labels = np.empty(len(row), dtype=np.int32)
        labels[~free] = merge_failing_groups(table, kept, found, relevant, points)
        if search is not None:
            # local search starts from the groups before merging; whichever result has the lower squared error is taken
            better = search.of_points(points, found, model.bounds.least_size())
            better = merge_failing_groups(table, kept, better, relevant, points)
            labels[~free] = min(labels[~free], better, key=lambda one: squared_errors(points, one).sum())
        if free.any():
            equal = table.rows_at(row[free], np.ones(int(free.sum()), dtype=np.int64)).group_numbers(columns)
            # Groups of equal records beside the others: their mean
            # is their own value, so they are published unchanged.
            labels[free] = equal + labels[~free].max() + 1
        return labels

    def _group_points(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        """Group all points at once, or one block of rows after the other."""
        if self.rows_at_once is None or len(points) <= self.rows_at_once:
            return self._partition(points, k, random)
        labels, groups, size = np.full(len(points), -1, dtype=np.int32), 0, max(self.rows_at_once, 2 * k)
        for block in row_blocks(points, size):
            advance("grouping records", int((labels >= 0).sum()), len(points))
            # Blocks are numbered one after the other; groups that suffer from a block border are made anew below.
            found = self._partition(np.ascontiguousarray(points[block]), k, random)
            labels[block] = found + groups
            groups += int(found.max()) + 1
        return regroup_costliest(points, labels, size, lambda chosen: self._partition(chosen, k, random))

    def _column_blocks(self, schema: Schema) -> Sequence[tuple[str, ...]]:
        """The sets of columns that are grouped separately."""
        return self.blocks or (schema.quasi,)

    def _limit(self) -> int | None:
        """The number of records up to which the algorithm starts without `patient`."""
        return self.most_rows

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
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

    def _refuse_blocks(self, schema: Schema, model: GroupModel) -> None:
        """Refuse blocks that do not share out the quasi-identifiers, and models about columns of several blocks."""
        if not self.blocks:
            return
        named = [name for block in self.blocks for name in block]
        unknown = [name for name in named if name not in schema.quasi]
        if unknown:
            raise ParameterError(f"'blocks' names {unknown[0]!r}, no quasi column; {nearest(unknown[0], schema.quasi)}")
        missing = [name for name in schema.quasi if name not in named]
        if missing:
            raise ParameterError(f"'blocks' must share out all quasi columns; {listed(missing)} is in none of them.")
        for member in model.measured():
            if not any(set(member.known_columns(schema).columns) <= set(block) for block in self.blocks):
                raise UnsuitableError(
                    f"{self.name()} groups every block of columns on its own, and {member} asks about columns of "
                    "several blocks together; name the blocks as quasi-identifiers and ask the model of each."
                )

    def _provenance(self, table: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        made = super()._provenance(table, model, suppression, seed)
        blocks = [list(columns) for columns in self._column_blocks(table.schema)]
        how = {"standardized": self.standardize, "centroid": self.centroid, "category": self.category}
        return made | {"microaggregated": {"columns": blocks, **how}}


def row_blocks(points: Points, size: int) -> list[NDArray[np.int64]]:
    """Cut points into blocks of at most `size`, so that an algorithm that compares all pairs can work on one at a time.

    A block that is too large is cut where its points are sparse, not too far from the middle. Where there is no such
    place, it is cut at the median of its widest column, and equal values by the order of the points. No block is
    smaller than half of `size` (rounded down), unless there are fewer points than that. A block lists its points in
    ascending order.

    >>> points = np.array([[0.0], [9.0], [1.0], [8.0], [2.0]])
    >>> sorted(block.tolist() for block in row_blocks(points, 3))
    [[0, 2, 4], [1, 3]]
    """
    from sfumato.algorithms.microaggregation.loops.density_blocks import cut_at_gaps, marks_of

    # adding zero turns minus zero into zero, so that equal points have equal bits
    rows, numbers = np.ascontiguousarray(points + 0.0), np.arange(len(points), dtype=np.int32)
    ends = cut_at_gaps(rows, numbers, marks_of(rows.view(np.uint64)), size)
    return [np.sort(block).astype(np.int64) for block in np.split(numbers, ends[:-1])]


def method_named(name: str) -> Microaggregation:
    """The microaggregation algorithm of this name with its default settings.

    >>> str(method_named("mdav"))
    'mdav()'
    """
    known = methods()
    if name not in known:
        raise ParameterError(f"{name!r} is no way of microaggregation; {nearest(name, known)}")
    return known[name]()


def methods() -> dict[str, type[Microaggregation]]:
    """Every microaggregation algorithm that needs no setting, by name."""
    found = subclasses_of("algorithms", Microaggregation)  # type: ignore[type-abstract]
    return {name: thing for name, thing in found.items() if not any(one.required for one in thing.settings())}
