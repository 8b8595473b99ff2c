"""The nodes of a lattice: which groups a table has at a node, what must be left out of it, and what it loses.

Rows that are equal at a node are merged, and the nodes above it are made from the merged rows. `exhaustive`,
`optimal_lattice` and other searches over levels use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.distinct_rows import DistinctRows, RecodedRows
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.level_costs import LevelCosts, Mean
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.metrics.base import CellMetric, TableMetric
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_levels
from sfumato.operations.suppress import most_suppressed, suppress_failing
from sfumato.releases.table_candidate import TableCandidate

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

_KEPT_ROWS = 20_000_000
"""Merged rows are kept up to so many together."""
_WORTH, _FEW = 32, 4096
"""Merging rows costs as much as judging several nodes: it is done if few of them are left, and not for few rows."""
_NONE = np.iinfo(np.int64).max


class LevelLabels:
    """The labels of the values of every column of a lattice on each of its levels, numbered from 0."""

    def __init__(self, lattice: Lattice, table: Table) -> None:
        taxonomies = [table.taxonomies[name] for name in lattice.columns]
        numbered = [[np.unique(nodes, return_inverse=True)[1] for nodes in one.nodes] for one in taxonomies]
        self._labels = [[numbers.astype(np.int32) for numbers in levels] for levels in numbered]
        self._radix = [[int(numbers.max(initial=-1)) + 1 for numbers in levels] for levels in numbered]
        # levels are nested, so as many labels are the same groups of values
        self.repeated = [[at for at in range(1, len(radix)) if radix[at] == radix[at - 1]] for radix in self._radix]

    def at(self, levels: Levels) -> tuple[Codes, Counts]:
        """The label of every code at a node, column after column, and the number of labels of each column."""
        label = np.concatenate([labels[level] for labels, level in zip(self._labels, levels, strict=True)])
        radix = [radix[level] for radix, level in zip(self._radix, levels, strict=True)]
        return label, np.array(radix, dtype=np.int64)


@dataclass(frozen=True)
class Node:
    """A node at which the model holds: how many records or persons are suppressed there, and what it loses.

    `loss` is lower for better nodes, also for metrics of which higher numbers are better.
    """

    levels: Levels
    suppressed: int
    loss: float

    @property
    def order(self) -> tuple[float, int, Levels]:
        """What is better comes first; among equals what is less general."""
        return (self.loss, sum(self.levels), self.levels)


class Objective:
    """A metric over the nodes of a lattice; `costs` are those of its levels, if it adds up cells."""

    def __init__(
        self,
        lattice: Lattice,
        table: Table,
        model: GroupModel,
        suppression: float,
        metric: TableMetric,
        mean: Mean = "arithmetic",
    ) -> None:
        self._columns, self._table, self._model, self._suppression = lattice.columns, table, model, suppression
        self.metric = metric
        self.costs = LevelCosts(lattice, table, metric, mean) if isinstance(metric, CellMetric) else None
        self.mergeable = self.costs is None or self.costs.mergeable

    def loss(self, levels: Levels, recoded: RecodedRows, left: Counts) -> float:
        """The loss of a node of which so many records of each row are left; lower is better."""
        if self.costs is not None:
            return self.costs.loss(levels, recoded, left)
        measured = self.metric.measure(_NodeRelease(self._table, recoded, left, lambda: self._candidate(levels)))
        return measured if self.metric.better == "lower" else -measured

    def _candidate(self, levels: Levels) -> TableCandidate:
        candidate = generalize_levels(self._table, dict(zip(self._columns, levels, strict=True)))
        return suppress_failing(candidate, self._model, self._suppression)


class LatticeNodes:
    """The nodes of a lattice over a table, for a model, a limit of suppression and objectives, of which one decides."""

    def __init__(
        self,
        lattice: Lattice,
        table: Table,
        model: GroupModel,
        suppression: float,
        metric: TableMetric,
        mean: Mean = "arithmetic",
        more: Sequence[TableMetric] = (),
        admits: Callable[[Levels, RecodedRows, Counts], bool] | None = None,
    ) -> None:
        """`admits` says of a node and of the records of each row that are left whether it may be published, too."""
        self.lattice, self._table, self._model, self._admits = lattice, table, model, admits
        self.allowed = most_suppressed(table, suppression)
        asked = [metric, *more]
        self.objectives = [Objective(lattice, table, model, suppression, one, mean) for one in asked]
        targets = (table.schema.one_target(),) if any(one.needs_target for one in asked) else ()
        self._kept = [DistinctRows.of(table, lattice.columns, model, targets)]
        self._kept_at = np.zeros((1, len(lattice.columns)), dtype=np.int64)
        self._kept_rows = np.array([len(self._kept[0].table)])
        self._merges = all(one.mergeable for one in self.objectives)
        self._labels = LevelLabels(lattice, table)

    def at(self, levels: Levels) -> RecodedRows:
        """The rows at a node, from the fewest merged rows of a node below it."""
        finer = (self._kept_at <= np.array(levels)).all(axis=1)
        rows = self._kept[int(np.argmin(np.where(finer, self._kept_rows, _NONE)))]
        return rows.relabel(*self._labels.at(levels))

    def keep(self, levels: Levels, recoded: RecodedRows) -> None:
        """Merge the rows of a node, so that nodes above it are made from them, if there are far fewer."""
        rows = recoded.rows.table
        if not self._merges or len(rows) < _FEW or int(self._kept_rows[1:].sum()) > _KEPT_ROWS:
            return
        if recoded.records_in_small_groups(self._least)[1] * _WORTH <= len(rows):
            self._kept.append(recoded.rows.merged(recoded))
            self._kept_at = np.vstack([self._kept_at, levels])
            self._kept_rows = np.append(self._kept_rows, len(self._kept[-1].table))

    def must_be_left_out(self, recoded: RecodedRows) -> int:
        """A number of records that must be suppressed at this node, and at every node below it."""
        if recoded.rows.table.repeats_persons:
            return 0
        if self._least > 1:
            found, _ = recoded.records_in_small_groups(self._least)
            if found > self.allowed or self._only_sizes:
                return found
        by_columns: dict[tuple[str, ...], Counts] = {}
        for question in recoded.questions():
            out = question.member.bounds.left_out(recoded.groups(question), self.allowed)
            by_columns[question.columns] = np.maximum(by_columns.get(question.columns, 0), out)
        # A record may be left out for several reasons, so the numbers of different groupings are not added up.
        return max((int(out.sum()) for out in by_columns.values()), default=0)

    @property
    def repeated_levels(self) -> list[list[int]]:
        """For each column the levels that distinguish the same values as the level below."""
        return self._labels.repeated

    @property
    def costs(self) -> LevelCosts | None:
        """The costs of the levels, by the metric that decides."""
        return self.objectives[0].costs

    def judged(self, levels: Levels, recoded: RecodedRows) -> Node | None:
        """The node, if the model holds there once groups that fail are suppressed within the limit; otherwise None."""
        left, gone = recoded.without_failing(self.allowed)
        if gone > self.allowed or not left.any():
            return None
        if self._admits is not None and not self._admits(levels, recoded, left):
            return None
        return Node(levels, gone, self.objectives[0].loss(levels, recoded, left))

    @property
    def kept_upwards(self) -> bool:
        """Whether the model is known to hold at all nodes above one at which it holds, as nothing is suppressed."""
        # A group that fails is suppressed below, and may spoil the union in which it is above. A person with several
        # records can have one value in each of two groups, and all of them in their union.
        unions_hold = self._model.kept_by_merging and not self._table.repeats_persons
        return self.allowed == 0 and unions_hold and self._admits is None

    def check(self, levels: Levels) -> tuple[Node | None, bool]:
        """The node if the model holds there; if not, None and whether it is known to hold at no node below either."""
        recoded = self.at(levels)
        if self.must_be_left_out(recoded) > self.allowed:
            self.keep(levels, recoded)
            return None, True
        node = self.judged(levels, recoded)
        return node, node is None and self.kept_upwards

    def every(self) -> Iterator[tuple[Levels, Node | None]]:
        """All nodes of the lattice, each with what is made of it; rows are merged column by column."""
        for levels, recoded in self.walk():
            worth = self.must_be_left_out(recoded) <= self.allowed
            yield levels, self.judged(levels, recoded) if worth else None

    def walk(self) -> Iterator[tuple[Levels, RecodedRows]]:
        """All nodes of the lattice, each with its rows; rows are merged column by column."""
        yield from self._below((), self._kept[0])

    def _below(self, fixed: Levels, rows: DistinctRows) -> Iterator[tuple[Levels, RecodedRows]]:
        """The nodes that begin with these levels; the rows are merged at the first of them."""
        free = len(self.lattice.columns) - len(fixed)
        for level in range(self.lattice.heights[len(fixed)] + 1):
            levels = (*fixed, level)
            recoded = rows.relabel(*self._labels.at((*levels, *(0,) * (free - 1))))
            if free == 1:
                yield levels, recoded
                continue
            fewer = recoded.numbering(self.lattice.columns).groups * 2 <= len(rows.table)
            yield from self._below(levels, rows.merged(recoded) if fewer and self._merges else rows)

    @cached_property
    def _least(self) -> int:
        """The least size of a group of records that agree on all quasi columns; 1 if a model groups them otherwise."""
        return max((one.bounds.least_size() for one in self._model.measured() if self._knows_all(one)), default=1)

    @cached_property
    def _only_sizes(self) -> bool:
        """Whether the model asks for nothing but that size."""
        measured = self._model.measured()
        return all(self._knows_all(one) and not one.sensitive_columns(self._table.schema) for one in measured)

    def _knows_all(self, member: GroupModel) -> bool:
        """Whether a model groups records by all quasi columns and no others."""
        known = member.known_columns(self._table.schema)
        return set(known.columns) == set(self.lattice.columns) and known.at_most >= len(known.columns)


class _NodeRelease:
    """A node as metrics measure it: its groups and suppressed records, and all else from a candidate made on demand."""

    def __init__(
        self, original: Table, recoded: RecodedRows, left: Counts, candidate: Callable[[], TableCandidate]
    ) -> None:
        self.original, self._recoded, self._left, self._made = original, recoded, left, candidate

    @property
    def suppressed_records(self) -> int:
        """The number of suppressed records."""
        return int((self._recoded.rows.table.counts - self._left).sum())

    def record_groups(self) -> Groups:
        """The groups of the published records."""
        here = self._left > 0
        number = self._recoded.numbering(self._recoded.rows.columns).number[here]
        table = self._recoded.rows.table.without_persons().rows_where(here)
        return Groups.of_labels(table, np.unique(number, return_inverse=True)[1].astype(np.int32))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._candidate, name)

    @cached_property
    def _candidate(self) -> TableCandidate:
        return self._made()
