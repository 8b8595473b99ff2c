"""The rows that an exact query for aggregates selects, found by hashes, and the aggregates of them to audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import LimitError, StatementError
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery, Measure
from sfumato.gateway.statistics.auditors import AuditedAggregate
from sfumato.gateway.statistics.exact_checks import (
    demand_open_retention,
    demand_open_selection,
    demand_same_rows,
    demand_shown_key,
    is_open,
)
from sfumato.gateway.statistics.hashing import group_hash, stable_hash, unsigned_hashes
from sfumato.gateway.statistics.query_context import QueryContext
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers, UnseenRecords
from sfumato.gateway.views.views import PurposeView, ViewColumn

_MAX_GROUPS = 1000
"""Every group is compared with everything that was answered before, so there must not be too many."""


class HashedSubset(NamedTuple):
    """Records whose hashes are summed.

    `name` is the name of the sum, `present` the column that says which records count (None if all do), and `records`
    has the same for each record.
    """

    name: str
    present: str | None
    records: NDArray[np.bool_]

    @property
    def filter_sql(self) -> str:
        """The clause of an SQL aggregate over these records."""
        return "" if self.present is None else f' FILTER (WHERE "{self.present}")'


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectedRows:
    """The rows that a query selects, as hashes of their group, person and record.

    `columns` and `forms` name for every measure its column and, if weaker values are measured, the purpose that they
    are shown for. `present` has for every measure which rows have a value; None if all rows count. `population` is the
    number of people in the table, `groups` the hashes of the groups in order. `sql` returns these rows; whether hashes
    are `signed` depends on the engine. `records_are_people` says whether the key of people identifies the rows too; if
    not, `all_people` and `all_records` are the hashes of all rows of the table. `key_description` says which columns
    identify people and rows.
    """

    sql: str
    signed: bool
    measures: tuple[Measure, ...]
    columns: tuple[str | None, ...]
    forms: tuple[str | None, ...]
    key_description: str
    population: int
    groups: NDArray[np.uint64]
    group: NDArray[np.int64]
    person: NDArray[np.uint64]
    record: NDArray[np.uint64]
    records_are_people: bool
    present: tuple[NDArray[np.bool_] | None, ...]
    all_people: NDArray[np.uint64] | None
    all_records: NDArray[np.uint64] | None

    def hash_sums(self) -> dict[str, list[int]]:
        """For every group the sums of the hashes of its records, which identify the set of records.

        The first sum is over all records, the others over those with a value of a measure.
        """
        hashes = self.record.view(np.int64) if self.signed else self.record
        # Sums of 64-bit hashes overflow a word. Sums of 32-bit halves do not, up to 2**31 rows; Python's integers
        # join them. The engine sums exactly, in a wider type.
        high, low = (hashes >> hashes.dtype.type(32)), (hashes & hashes.dtype.type(2**32 - 1))
        sums_of = {}
        for subset in self.hashed_subsets():
            sums = np.zeros((2, len(self.groups)), np.int64)
            for place, half in enumerate((high, low)):
                np.add.at(sums[place], self.group[subset.records], half[subset.records].astype(np.int64))
            sums_of[subset.name] = [(int(one) << 32) + int(other) for one, other in sums.T]
        return sums_of

    def hashed_subsets(self) -> list[HashedSubset]:
        """All records, and for each measure that may be missing those with a value of it."""
        return [
            HashedSubset("hash_sum", None, np.ones(len(self.record), bool)),
            *(
                HashedSubset(f"hash_sum{place}", f"present{place}", present)
                for place, present in enumerate(self.present)
                if present is not None
            ),
        ]

    def unseen(self, records: RecordNumbers) -> UnseenRecords:
        """People and records that were not seen before, and records anywhere in the table that changed their owner."""
        return records.unseen(self.person, self.record, self.all_people, self.all_records)

    def aggregates(self, records: RecordNumbers) -> list[AuditedAggregate]:
        """The aggregates to audit, once all records have numbers."""
        numbers = records.numbers(self.record)
        return [
            AuditedAggregate(
                function=measure.function,
                column=column,
                form=form,
                population=self.population,
                records=records,
                sets=tuple(self._sets(numbers, present)),
            )
            for measure, column, form, present in zip(
                self.measures, self.columns, self.forms, self.present, strict=True
            )
        ]

    def _sets(self, numbers: NDArray[np.int64], present: NDArray[np.bool_] | None) -> list[RecordSet]:
        """The records of every group, in the order of the groups."""
        kept = np.ones(len(numbers), bool) if present is None else present
        group, chosen = self.group[kept], numbers[kept]
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(len(self.groups) + 1))
        return [RecordSet.of(chosen[order[start:end]]) for start, end in pairwise(ends)]


def select_rows(
    query: AggregateQuery,
    columns: Sequence[ViewColumn | None],
    context: QueryContext,
    policy: Policy,
    measured: CompiledQuery,
    constraints: Constraints,
) -> SelectedRows:
    """Find the rows that a query selects, using only columns that are open to selection.

    `columns` are the measured columns, one for every measure, and `measured` is the compiled query that measures them.
    """
    view = measured.views[0]
    key = policy.table(view.table).key
    demand_shown_key(view)
    demand_open_selection(context.compile(query.selection_query()), policy)
    demand_same_rows(view, measured)
    demand_open_retention(view, policy)
    row_count, people = _row_and_person_counts(query, context, key)
    # People are counted by `person`, but sums are audited by `record`:
    # a person with two rows can be in a set with one of them only.
    row_key = _row_key(view, key, constraints, one_row_each=row_count == people)
    keys = [("k", _quoted(key))]
    if row_key != (key,):
        keys += [(f"o{place}", _quoted(name)) for place, name in enumerate(row_key)]
    counted = {
        place: column.name
        for place, column in enumerate(columns)
        if column is not None and is_open(policy, view.table, column)
    }
    values = [(f"v{place}", _quoted(name)) for place, name in counted.items()]
    # The key may be hidden from the caller. It only enters hashes here, and hashes are part of no answer.
    selection = context.compile_all(query.selection_query([*keys, *values]))
    sql = _hashing_sql(selection, context.engine, list(counted))
    hashed = context.ask(sql)
    person = unsigned_hashes(hashed, "person")
    groups, group = np.unique(unsigned_hashes(hashed, "of_group"), return_inverse=True)
    if len(groups) > _MAX_GROUPS:
        raise LimitError(f"an answer that is audited has at most {_MAX_GROUPS:,} groups; ask for fewer.")
    if not query.groups:
        # Without GROUP BY there is one group, also if no row is
        # selected; its hash is the constant 0 in both statements.
        groups, group = np.zeros(1, np.uint64), np.zeros(len(person), np.int64)
    present = {place: hashed.column(f"present{place}").to_numpy(zero_copy_only=False).astype(bool) for place in counted}
    all_people, all_records = _all_rows(query, context, keys) if row_key != (key,) else (None, None)
    return SelectedRows(
        sql=sql,
        signed=str(hashed.column("person").type) == "int64",
        measures=query.measures,
        columns=tuple(None if column is None else column.name for column in columns),
        forms=tuple(None if column is None or column.transform is None else view.purpose for column in columns),
        key_description="; rows by ".join(_describe(names, view) for names in dict.fromkeys([(key,), row_key])),
        population=people,
        groups=groups,
        group=group.astype(np.int64),
        person=person,
        record=person if row_key == (key,) else unsigned_hashes(hashed, "record"),
        records_are_people=row_key == (key,),
        present=tuple(present.get(place) for place in range(len(columns))),
        all_people=all_people,
        all_records=all_records,
    )


def _all_rows(
    query: AggregateQuery, context: QueryContext, keys: Sequence[tuple[str, exp.Expr]]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The hashes of people and records of all rows of the table, whose `keys` identify both.

    A query that leaves out rows must notice that they belong to another person now: its difference to an earlier answer
    could be about that person alone.
    """
    everything = replace(query, where=None, groups=())
    hashed = context.ask(_hashing_sql(context.compile_all(everything.selection_query(keys)), context.engine, ()))
    return unsigned_hashes(hashed, "person"), unsigned_hashes(hashed, "record")


def _row_key(view: PurposeView, key: str, constraints: Constraints, *, one_row_each: bool) -> tuple[str, ...]:
    """The columns that identify single rows, the same for all purposes.

    If the database declares none, the key of people is used, provided that everyone has one row now and no rows are
    dropped.
    """
    declared = constraints.row_key(key)
    if declared is None and one_row_each and not view.drops_rows:
        return (key,)
    if declared is None:
        raise StatementError(
            f"aggregates of {view.table!r} cannot be audited: people may have several rows in it, and nothing "
            "identifies a row; give the table a PRIMARY KEY, or ask with noise."
        )
    for name in declared:
        if name not in view.by_name or view.by_name[name].access != {Access.FULL}:
            raise StatementError(
                f"aggregates of {view.table!r} cannot be audited for this purpose: rows are identified by {name!r}, "
                "which is not shown; the policy can allow it."
            )
    return declared


def _row_and_person_counts(query: AggregateQuery, context: QueryContext, key: str) -> tuple[int, int]:
    """How many rows and how many people the table has."""
    counts = exp.select(
        exp.alias_(exp.Count(this=exp.Star()), "n"),
        exp.alias_(exp.Count(this=exp.Distinct(expressions=[_quoted(key)])), "p"),
    ).from_(query.source.copy())
    rows, people = (int(column[0].as_py()) for column in context.ask(context.compile_all(counts).sql).columns)
    return rows, people


def _describe(names: Sequence[str], view: PurposeView) -> str:
    """Columns with their types, for the ledger."""
    return ", ".join(f"{name!r} ({view.by_name[name].type.words})" for name in names)


def _hashing_sql(selection: CompiledQuery, engine: str, counted: Sequence[int]) -> str:
    """SQL for the hashes of the selected rows, and for which of them have a value."""
    flat = [(output.name, name) for output in selection.outputs for name in output.names]
    row_key = [output.name for output in selection.outputs if output.name.startswith("o")]
    parts = [f'{group_hash(selection, engine)} AS "of_group"', f'{stable_hash(selection, ["k"], engine)} AS "person"']
    if row_key:
        parts.append(f'{stable_hash(selection, row_key, engine)} AS "record"')
    for place in counted:
        value = next(name for of, name in flat if of == f"v{place}")
        parts.append(f'{exp.column(value, quoted=True).sql(engine)} IS NOT NULL AS "present{place}"')
    return f'SELECT {", ".join(parts)} FROM ({selection.sql}) AS "rows"'


def _quoted(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
