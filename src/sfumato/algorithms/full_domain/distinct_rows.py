"""The distinct rows of a table under recodings of single columns, and the check of a model in their groups.

`DistinctRows` is the input of a search; `RecodedRows` is the result of one recoding. Searches over levels use both;
searches over subtree cuts use `SplitRows`, whose recodings are strings of splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.loops.recoded_groups import (
    HashSlots,
    PackedColumns,
    hash_slots,
    matrix_of,
    number_keys,
    number_rows,
    pack_columns,
    records_in_small_groups,
    sizes_of,
    suppress_groups,
)
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.models.group_model import GroupModel

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

_CELLS = 1_000_000
"""The largest matrix of groups and values."""
_COMBINATIONS, _FEWEST = 4096, 8
"""Most combinations of values that are packed; in small tables, an eighth of the rows."""


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
    """The distinct rows of a table in a form in which grouping is fast, and the model that must hold in the groups.

    `columns` are those that are recoded. A recoding is a label for every code of each of them, counted from 0 in each
    column, column after column.
    """

    table: Table
    columns: tuple[str, ...]
    model: GroupModel

    @classmethod
    def of(cls, table: Table, columns: tuple[str, ...], model: GroupModel, also: tuple[str, ...] = ()) -> DistinctRows:
        """Rows that differ in one of the columns, in one that the model needs, in the person, or in one of `also`."""
        return cls(distinct_table(table, columns, model, also), columns, model)

    @cached_property
    def codes(self) -> Codes:
        """The codes of the recoded columns, one row per column."""
        return np.stack([self.table.codes[name] for name in self.columns])

    @cached_property
    def domains(self) -> Counts:
        """The number of values of each recoded column."""
        return np.array([len(self.table.domain(name)) for name in self.columns], dtype=np.int64)

    @cached_property
    def offset(self) -> Counts:
        """Where the labels of each column start, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.domains)])

    @cached_property
    def packed(self) -> PackedColumns:
        """The codes of the columns, packed."""
        most = max(_FEWEST, min(_COMBINATIONS, len(self.table) // _FEWEST))
        return pack_columns(self.codes, self.domains, most, self.slots)

    @cached_property
    def histogram(self) -> Counts:
        """The number of records with each value, column after column."""
        return np.concatenate([self.table.histogram(name) for name in self.columns])

    @cached_property
    def slots(self) -> HashSlots:
        """Scratch memory to number rows."""
        return hash_slots(len(self.table))

    def relabel(self, label: Codes, radix: Counts) -> RecodedRows:
        """The rows under a recoding, which has so many labels in each column."""
        return RecodedRows(self, label, radix)

    def merged(self, recoded: RecodedRows) -> Self:
        """One row for all rows that are equal under a recoding of these rows; enough for every coarser recoding."""
        number, groups = recoded.numbering(self.columns)
        number = number.copy()
        # Rows that differ in a column that is not recoded (a sensitive value,
        # the class) must stay apart. Groups are numbered by first occurrence,
        # so the order in which the set yields the columns does not change the result.
        for name in self.table.codes.keys() - set(self.columns):
            domain = len(self.table.domains[name])
            keys = number.astype(np.int64) * domain + self.table.codes[name]
            groups = number_keys(keys, groups * domain, self.slots, number)
        first = np.empty(groups, dtype=np.int64)
        # Any row can represent its group, because all of them have the same labels; this keeps the last one.
        first[number] = np.arange(len(number))
        return replace(self, table=self.table.rows_at(first, sizes_of(number, groups, self.table.counts)))


def distinct_table(table: Table, columns: tuple[str, ...], model: GroupModel, also: tuple[str, ...] = ()) -> Table:
    """The distinct rows of the columns, of those that the model needs, of the person, and of others."""
    person = (table.schema.person,) if table.repeats_persons else ()
    return table.distinct(tuple(dict.fromkeys((*columns, *model.sensitive_columns(table.schema), *person, *also))))[0]


@dataclass(frozen=True, eq=False)
class RecodedRows:
    """The rows under one recoding: the `label` of each code of each column, and the number of labels of each column."""

    rows: DistinctRows
    label: Codes
    radix: Counts
    _known: dict[tuple[str, ...], Numbering] = field(default_factory=dict)
    _small: dict[int, tuple[int, int]] = field(default_factory=dict)

    def label_of(self, column: int) -> Codes:
        """The label of each code of one column."""
        offset = self.rows.offset
        return self.label[offset[column] : offset[column + 1]]

    def questions(self, left: Counts | None = None) -> Iterator[GroupQuestion]:
        """All questions of the model, about the columns that have several labels, or have them in the records left."""
        schema = self.rows.table.schema
        several = self.radix > 1 if left is None else self._varying(left)
        divided = {name for name, varies in zip(self.rows.columns, several, strict=True) if varies}
        for member in self.rows.model.measured():
            known = member.known_columns(schema)
            # A column with one label divides no group. Without it,
            # fewer combinations of known columns remain to be checked.
            columns = tuple(name for name in known.columns if name in divided)
            for some in KnownColumns(columns, known.at_most):
                yield GroupQuestion(member, some, member.sensitive_columns(schema))

    def _varying(self, left: Counts) -> Bits:
        """Which columns have several labels in the records that are left."""
        codes = self.rows.codes[:, left > 0]
        labels = [self.label_of(column)[codes[column]] for column in range(len(codes))]
        return np.array([bool((label != label[:1]).any()) for label in labels])

    def numbering(self, columns: tuple[str, ...]) -> Numbering:
        """The group of each row by the labels in these columns."""
        if columns not in self._known:
            rows, number = self.rows, np.empty(len(self.rows.table), dtype=np.int32)
            chosen = np.array([name in columns for name in rows.columns])
            groups = number_rows(rows.packed, chosen, self.label, self.radix, rows.offset, rows.slots, number)
            self._known[columns] = Numbering(number, groups)
        return self._known[columns]

    def records_in_small_groups(self, least: int) -> tuple[int, int]:
        """The number of records in groups of fewer than so many, by all columns, and the number of groups."""
        if least not in self._small:
            rows = self.rows
            self._small[least] = records_in_small_groups(
                rows.packed, rows.table.counts, self.label, self.radix, rows.offset, rows.slots, least
            )
        return self._small[least]

    def groups(self, question: GroupQuestion, left: Counts | None = None) -> Groups:
        """The groups of a question in the order of their numbers; groups of which no record is `left` are omitted."""
        number, groups = self.numbering(question.columns)
        table, counts = self.rows.table, self.rows.table.counts if left is None else left
        if table.repeats_persons:
            return self._groups_of_persons(number, counts)
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

    def _groups_of_persons(self, number: Codes, counts: Counts) -> Groups:
        """The groups of the persons who are left, numbered in the order of their numbers."""
        here = counts > 0
        return Groups.of_labels(
            self.rows.table.rows_where(here), np.unique(number[here], return_inverse=True)[1].astype(np.int32)
        )

    def sizes(self, left: Counts) -> Counts:
        """The sizes of the groups by all columns of which records are left: of records, or of persons."""
        number, groups = self.numbering(self.rows.columns)
        if self.rows.table.repeats_persons:
            return self._groups_of_persons(number, left).sizes
        sizes = sizes_of(number, groups, left)
        return sizes[sizes > 0]

    def without_failing(self, allowed: int) -> tuple[Counts, int]:
        """The records of each row that remain when failing groups are suppressed until none fails, and how many go.

        If persons have several records, persons are counted; one is gone if any record is.

        It stops as soon as more records are gone than allowed, or all of them.
        """
        # Suppression can make further groups fail: the groups of one question lose
        # records that the groups of another one suppressed, and models with a global
        # distribution see a different table. So the questions are asked again.
        left, gone, questions = self.rows.table.counts, 0, list(self.questions())
        several_sets = len({question.columns for question in questions}) > 1
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
            gone = self._persons_without(left) if self.rows.table.repeats_persons else gone
            if gone > allowed or not left.any():
                return left, gone
            if several_sets:
                # A column that has one label in what is left makes fewer sets of known columns, as in `KnownColumns`.
                questions = list(self.questions(left))

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

    def _persons_without(self, left: Counts) -> int:
        """The number of persons with a record that is gone."""
        return len(np.unique(self.rows.table.codes[self.rows.table.schema.person][left == 0]))

    def _matrix(self, name: str, number: Codes, groups: int, counts: Counts) -> Counts:
        """The number of records with each value of a column in each group."""
        table = self.rows.table
        return matrix_of(number, groups, counts, table.codes[name], len(table.domains[name]))
