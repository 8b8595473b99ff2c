"""The distinct rows of a table under recodings of single columns, and the check of a model in their groups.

`DistinctRows` is the input of a search; `RecodedRows` is the result of one recoding. `genetic` and
`bottom_up_generalization` use both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.loops.recoded_groups import (
    HashSlots,
    hash_slots,
    labels_of,
    matrix_of,
    number_keys,
    number_rows,
    sizes_of,
    suppress_groups,
)
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.models.group_model import GroupModel

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

_CELLS = 1_000_000
"""The largest matrix of groups and values."""


class Numbering(NamedTuple):
    """The group of each row, numbered from 0, and the number of groups."""

    number: Codes
    groups: int


class GroupQuestion(NamedTuple):
    """What one model needs to know about the groups of one set of columns."""

    member: GroupModel
    columns: tuple[str, ...]
    sensitive: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of a table in a form in which grouping is fast, and the model that must hold in the groups."""

    table: Table
    splits: Splits
    model: GroupModel

    @classmethod
    def of(cls, table: Table, splits: Splits, model: GroupModel, also: tuple[str, ...] = ()) -> DistinctRows:
        """Rows that differ in a quasi column, in a column that the model needs, or in one of the columns `also`."""
        sensitive = model.sensitive_columns(table.schema)
        return cls(table.distinct(tuple(dict.fromkeys((*splits.columns, *sensitive, *also))))[0], splits, model)

    @cached_property
    def codes(self) -> Codes:
        """The codes of the quasi columns, one row per column."""
        return np.stack([self.table.codes[name] for name in self.splits.columns])

    @cached_property
    def histogram(self) -> Counts:
        """The number of records with each value, column after column."""
        return np.concatenate([self.table.histogram(name) for name in self.splits.columns])

    @cached_property
    def slots(self) -> HashSlots:
        """Scratch memory to number rows."""
        return hash_slots(len(self.table))

    def recode(self, bits: Bits) -> RecodedRows:
        """The rows under a legal string of splits."""
        return RecodedRows(self, *labels_of(bits, self.splits.layout))

    def merge_equal(self, bits: Bits) -> DistinctRows:
        """One row for all rows that are equal under a string; enough for every string that divides less."""
        number, groups = self.recode(bits).numbering(self.splits.columns)
        # Rows that differ in a column outside the quasi-identifier (a sensitive
        # value, the class) must stay apart. Groups are numbered by first occurrence,
        # so the order in which the set yields the columns does not change the result.
        for name in self.table.codes.keys() - set(self.splits.columns):
            domain = len(self.table.domains[name])
            keys = number.astype(np.int64) * domain + self.table.codes[name]
            groups = number_keys(keys, groups * domain, self.slots, number)
        first = np.empty(groups, dtype=np.int64)
        # Any row can represent its group, because all of them have the same labels; this keeps the last one.
        first[number] = np.arange(len(number))
        return DistinctRows(
            self.table.rows_at(first, sizes_of(number, groups, self.table.counts)), self.splits, self.model
        )


@dataclass(frozen=True, eq=False)
class RecodedRows:
    """The rows under one recoding: the `label` of each code of each column, and the number of labels of each column."""

    rows: DistinctRows
    label: Codes
    radix: Counts
    _known: dict[tuple[str, ...], Numbering] = field(default_factory=dict)

    def label_of(self, column: int) -> Codes:
        """The label of each code of one column."""
        offset = self.rows.splits.layout.offset
        return self.label[offset[column] : offset[column + 1]]

    def questions(self) -> Iterator[GroupQuestion]:
        """All questions of the model, about the columns that still have several labels."""
        schema = self.rows.table.schema
        divided = {name for name, radix in zip(self.rows.splits.columns, self.radix, strict=True) if radix > 1}
        for member in self.rows.model.measured():
            known = member.known_columns(schema)
            # A column with one label divides no group. Without it,
            # fewer combinations of known columns remain to be checked.
            columns = tuple(name for name in known.columns if name in divided)
            for some in KnownColumns(columns, known.at_most):
                yield GroupQuestion(member, some, member.sensitive_columns(schema))

    def numbering(self, columns: tuple[str, ...]) -> Numbering:
        """The group of each row by the labels in these columns."""
        if columns not in self._known:
            rows, number = self.rows, np.empty(len(self.rows.table), dtype=np.int32)
            places = np.array([rows.splits.columns.index(name) for name in columns], dtype=np.int64)
            offset = rows.splits.layout.offset
            groups = number_rows(rows.codes, places, self.label, self.radix, offset, rows.slots, number)
            self._known[columns] = Numbering(number, groups)
        return self._known[columns]

    def groups(self, question: GroupQuestion, left: Counts | None = None) -> Groups:
        """The groups of a question in the order of their numbers; groups of which no record is `left` are omitted."""
        number, groups = self.numbering(question.columns)
        table, counts = self.rows.table, self.rows.table.counts if left is None else left
        sizes = sizes_of(number, groups, counts)
        present = sizes > 0
        if not question.sensitive:
            return Groups.of_matrices(table, sizes[present], {})
        # Rows are suppressed completely or not at all, so a row with records left still has its original count.
        if left is not None:
            table = table.rows_where(left > 0)
        if groups * max(len(table.domains[name]) for name in question.sensitive) > _CELLS:
            # A dense matrix would be too large here. The cumulative sum renumbers the groups without gaps, and the
            # mask drops the suppressed rows from the labels as they were dropped from the table.
            return Groups.of_labels(table, (np.cumsum(present, dtype=np.int32) - 1)[number[counts > 0]])
        matrices = {name: self._matrix(name, number, groups, counts)[present] for name in question.sensitive}
        return Groups.of_matrices(table, sizes[present], matrices)

    def without_failing(self, allowed: int) -> tuple[Counts, int]:
        """The records of each row that remain when failing groups are suppressed until none fails, and how many go.

        It stops as soon as more records are gone than allowed, or all of them.
        """
        # Suppression can make further groups fail: the groups of one question lose
        # records that the groups of another one suppressed, and models with a global
        # distribution see a different table. So the questions are asked again.
        left, gone, questions = self.rows.table.counts, 0, list(self.questions())
        while True:
            failing = [self._failing(question, left, gone) for question in questions]
            failing = [(columns, groups) for columns, groups in failing if groups.any()]
            if not failing:
                return left, gone
            left = left.copy()
            # A record in failing groups of two questions is counted
            # once, because its count is 0 after the first suppression.
            for columns, groups in failing:
                gone += suppress_groups(self.numbering(columns).number, groups, left)
            if gone > allowed or not left.any():
                return left, gone

    def _failing(self, question: GroupQuestion, left: Counts, gone: int) -> tuple[tuple[str, ...], Bits]:
        """The columns of a question, and which of their groups fail."""
        number, groups = self.numbering(question.columns)
        holds = question.member.holds(self.groups(question, left if gone else None))
        if not gone:
            return question.columns, ~holds
        # `holds` has one entry per group with records left; the others are gone and do not fail.
        failing = sizes_of(number, groups, left) > 0
        failing[failing] = ~holds
        return question.columns, failing

    def _matrix(self, name: str, number: Codes, groups: int, counts: Counts) -> Counts:
        """The number of records with each value of a column in each group."""
        table = self.rows.table
        return matrix_of(number, groups, counts, table.codes[name], len(table.domains[name]))
