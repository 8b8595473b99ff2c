"""Exact aggregates for a caller who may see no rows, each audited together with those answered before.

The steps: find the selected rows by hashes, have the accounts admit the aggregates, measure them, check that the
measured rows are the audited ones, and give earlier answers again where they exist.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import DataError, DeniedError, LimitError, SfumatoError, StatementError
from sfumato.gateway.answers.row_order import normalize_numbers, sorted_by_values
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.bounded_aggregates import bounded_results
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.sql.kinds import family
from sfumato.gateway.sql.outputs import NamedQuery, Output, unscaled_decimals
from sfumato.gateway.statistics.accounts import Accounts, AnswerName, Answers, set_name
from sfumato.gateway.statistics.aggregate_queries import ANSWERED, AggregateQuery, Measure
from sfumato.gateway.statistics.auditors import AuditedAggregate
from sfumato.gateway.statistics.hashing import group_hash, stable_hash
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers, UnseenRecords
from sfumato.gateway.statistics.stored_values import fits, from_plain, to_plain
from sfumato.gateway.views.views import PurposeView, ViewColumn

if TYPE_CHECKING:
    import pyarrow as pa

Compile = Callable[[exp.Expr], CompiledQuery]
"""Compiles a parsed query."""
Ask = Callable[[str], "pa.Table"]
"""Runs SQL at the source."""

_MAX_GROUPS = 1000
"""Every group is compared with everything that was answered before, so there must not be too many."""

_SETTINGS: dict[str, Any] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "temp_directory": "",
    "threads": 1,
}
"""Settings of the in-process DuckDB that evaluates the outer part of a query."""


@dataclass(frozen=True)
class QueryContext:
    """Who asks for aggregates, on which day, and how to compile and run the parts of the query.

    `ledger_name` is the name of the data in their ledger; `parameters` are the values of the query's parameters.
    `compile` allows only the columns of the permission. `compile_all` allows all, because auditing needs the key and
    all columns that are open to selection.
    """

    accounts: tuple[str, ...]
    ledger_name: str
    purpose: str
    day: date
    engine: str
    parameters: tuple[Any, ...] = field(repr=False)
    compile: Compile
    compile_all: Compile
    ask: Ask


@dataclass(frozen=True)
class ExactAnswer:
    """The rows and columns of an answer; `repeated` if some numbers are those of an earlier answer."""

    flat: pa.Table = field(repr=False)
    outputs: tuple[Output, ...]
    uncertain: bool
    repeated: bool


def answer_exactly(
    query: AggregateQuery, context: QueryContext, accounts: Accounts, policy: Policy, constraints: Constraints
) -> ExactAnswer:
    """Answer a query for aggregates, or refuse it with the one message for answers that could reveal too few people.

    The decision depends on the text of the query, on columns that are open to selection, and on earlier queries and
    answers. The query is charged before anything is measured.
    """
    if any(measure.function == "quantile" for measure in query.measures):
        raise StatementError("medians and quantiles are answered with noise only, which this permission does not have.")
    # All refusals up to `admit` depend on the text of the query, the policy and the open columns. None of them
    # depends on a measured value, so a refusal reveals nothing about one.
    measured = context.compile(query.measuring_query())
    view = measured.views[0]
    columns = [_column(measure, view) for measure in query.measures]
    _demand_measures(query, columns, policy, view.table, constraints)
    rows = _rows(query, columns, context, policy, measured, constraints)
    admitted = accounts.admit(context.accounts, context.ledger_name, rows.key_description, rows.unseen, rows.aggregates)
    # The query is charged now, whether measuring succeeds or not.
    # Otherwise failures could be used to test values for free.
    found = context.ask(_measuring_sql(measured, rows, columns, context.engine))
    # The rows were selected and the numbers measured in two statements. If the table changed in between, the numbers
    # would be about a set of records that was never audited.
    numbers = _checked_numbers(normalize_numbers(found), measured, rows, admitted, context.day)
    # The same question about the same records gets its earlier answer. Otherwise two answers over time would reveal
    # how the value of whoever changed in between has changed.
    since = context.day - timedelta(days=policy.sections.auditing.keeps_answers - 1)
    settled, repeated = accounts.settle_answers(context.accounts, context.ledger_name, numbers.answers(), since)
    whole = normalize_numbers(
        numbers.with_answers(settled), unscaled=unscaled_decimals(measured.outputs, context.engine)
    )
    flat, outputs = _evaluate_outer(query, measured, whole)
    return ExactAnswer(flat, outputs, measured.uncertain, repeated)


def _column(measure: Measure, view: PurposeView) -> ViewColumn | None:
    """The measured column; the compiler has already found it."""
    if measure.column is None:
        return None
    name = measure.column.name.lower()
    exact = [column for column in view.columns if column.name == measure.column.name]
    return (exact or [column for column in view.columns if column.name.lower() == name])[0]


def _demand_measures(
    query: AggregateQuery,
    columns: Sequence[ViewColumn | None],
    policy: Policy,
    table: str,
    constraints: Constraints,
) -> None:
    """Refuse aggregates that could fail on a value, or reveal one whatever the set of records is."""
    kinds: dict[str, str] = {}
    for measure, column in zip(query.measures, columns, strict=True):
        if column is None:
            continue
        if {Access.FULL, Access.CONDITIONAL} <= column.access:
            raise StatementError(
                f"aggregates of {column.name!r} are not offered for this purpose: values of some people are shown as "
                "they are and those of others in a weaker form, and a sum of both could reveal one of them."
            )
        if column.type.kind == "other" or (measure.function in ("sum", "avg") and not _is_number(column.type.kind)):
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: it is {column.type.words}, and some values "
                "could make it fail. Aggregates take numbers, dates and timestamps; texts can be counted."
            )
        if column.transform is not None and not column.transform.is_total(column.type):
            raise StatementError(
                f"aggregates of {column.name!r} are not offered for this purpose: its weaker form hides some values "
                "because of what they are, and refusals would reveal whose these are."
            )
        if measure.function in ("min", "max") and column.name in constraints.distinct:
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: its values are unique in the database, "
                "and two equal answers would reveal who has the value."
            )
        if measure.function in ("min", "max") and family(column.type.kind) not in ("number", "time"):
            raise StatementError(
                f"{measure.function} takes numbers, dates and timestamps here; a text could name somebody."
            )
        # The auditors judge each measure by itself, so one query
        # must not combine a sum with an extreme of the same people.
        kind = "sum" if measure.function == "avg" else measure.function
        if kind != "count" and kinds.setdefault(column.name, kind) != kind:
            raise StatementError(f"only one of sum, min and max of {column.name!r} is answered about the same people.")
        may_miss = column.can_be_missing or column.name not in constraints.never_missing
        if may_miss and not _is_open(policy, table, column):
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: values may be missing or hidden, and who has "
                'one is a secret; the policy can set missing = "open" for the column.'
            )


def _is_number(kind: str) -> bool:
    return family(kind) == "number" or kind == "boolean"


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that a query selects, as hashes of their group, person and record.

    `present` has for every measure which rows have a value; None if all rows count. `population` is the number of
    people in the table, `groups` the hashes of the groups in order. `sql` returns these rows; whether hashes are
    `signed` depends on the engine. `key_description` says which columns identify people and rows. `all_people` and
    `all_records` are the hashes of all rows of the table; None if records are people.
    """

    sql: str
    signed: bool
    measures: tuple[Measure, ...]
    names: tuple[str | None, ...]
    forms: tuple[str | None, ...]
    key_description: str
    population: int
    groups: NDArray[np.uint64]
    group: NDArray[np.int64]
    person: NDArray[np.uint64]
    record: NDArray[np.uint64]
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
        found = {}
        for name, kept in self.hashed_subsets().items():
            sums = np.zeros((2, len(self.groups)), np.int64)
            for place, half in enumerate((high, low)):
                np.add.at(sums[place], self.group[kept], half[kept].astype(np.int64))
            found[name] = [(int(one) << 32) + int(other) for one, other in sums.T]
        return found

    def hashed_subsets(self) -> dict[str, NDArray[np.bool_]]:
        """Which records' hashes are summed: all, and those with a value of each measure that may be missing."""
        valued = {f"hash_sum{place}": one for place, one in enumerate(self.present) if one is not None}
        return {"hash_sum": np.ones(len(self.record), bool), **valued}

    def unseen(self, records: RecordNumbers) -> UnseenRecords:
        """People and records that were not seen before, and records anywhere in the table that changed their owner."""
        return records.unseen(self.person, self.record, self.all_people, self.all_records)

    def aggregates(self, records: RecordNumbers) -> list[AuditedAggregate]:
        """The aggregates to audit, once all records have numbers."""
        numbers = records.numbers(self.record)
        return [
            AuditedAggregate(
                function=measure.function,
                column=name,
                form=form,
                population=self.population,
                records=records,
                sets=tuple(self._sets(numbers, present)),
            )
            for measure, name, form, present in zip(self.measures, self.names, self.forms, self.present, strict=True)
        ]

    def _sets(self, numbers: NDArray[np.int64], present: NDArray[np.bool_] | None) -> list[RecordSet]:
        """The records of every group, in the order of the groups."""
        kept = np.ones(len(numbers), bool) if present is None else present
        group, chosen = self.group[kept], numbers[kept]
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(len(self.groups) + 1))
        return [RecordSet.of(chosen[order[start:end]]) for start, end in pairwise(ends)]


def _rows(
    query: AggregateQuery,
    columns: Sequence[ViewColumn | None],
    context: QueryContext,
    policy: Policy,
    measured: CompiledQuery,
    constraints: Constraints,
) -> _Rows:
    """Find the selected rows, using only columns that are open to selection."""
    view = measured.views[0]
    section = policy.table(view.table)
    key = view.by_name.get(section.key)
    if key is None or key.can_be_missing or key.shape != "plain":
        raise DeniedError(
            f"aggregates of {view.table!r} cannot be audited, since its key is not shown for this purpose."
        )
    _demand_open_selection(context.compile(query.selection_query()), policy)
    _demand_same_rows(view, measured)
    _demand_open_retention(view, policy)
    rows, people = _row_and_person_counts(query, context, section.key)
    # People are counted by `person`, but sums are audited by `record`:
    # a person with two rows can be in a set with one of them only.
    row_key = _row_key(view, section.key, constraints, one_row_each=rows == people)
    keys = [("k", _quoted(section.key))]
    if row_key != (section.key,):
        keys += [(f"o{place}", _quoted(name)) for place, name in enumerate(row_key)]
    named = [(place, column) for place, column in enumerate(columns) if column is not None]
    counted = [place for place, column in named if _is_open(policy, view.table, column)]
    values = [(f"v{place}", _quoted(columns[place].name)) for place in counted]  # type: ignore[union-attr]
    # The key may be hidden from the caller. It only enters hashes here, and hashes are part of no answer.
    made = context.compile_all(query.selection_query([*keys, *values]))
    sql = _hashing_sql(made, context.engine, counted)
    found = context.ask(sql)
    person = _unsigned(found, "person")
    record = _unsigned(found, "record") if row_key != (section.key,) else person
    groups, group = np.unique(_unsigned(found, "of_group"), return_inverse=True)
    if len(groups) > _MAX_GROUPS:
        raise LimitError(f"an answer that is audited has at most {_MAX_GROUPS:,} groups; ask for fewer.")
    if not query.groups:
        # Without GROUP BY there is one group, also if no row is
        # selected; its hash is the constant 0 in both statements.
        groups, group = np.zeros(1, np.uint64), np.zeros(len(person), np.int64)
    present = {place: found.column(f"present{place}").to_numpy(zero_copy_only=False).astype(bool) for place in counted}
    return _Rows(
        sql,
        str(found.column("person").type) == "int64",
        query.measures,
        tuple(None if column is None else column.name for column in columns),
        tuple(None if column is None or column.transform is None else view.purpose for column in columns),
        "; rows by ".join(_describe(names, view) for names in dict.fromkeys([(section.key,), row_key])),
        people,
        groups,
        group.astype(np.int64),
        person,
        record,
        tuple(present.get(place) for place in range(len(columns))),
        *(_all_owners(query, context, keys) if row_key != (section.key,) else (None, None)),
    )


def _all_owners(
    query: AggregateQuery, context: QueryContext, keys: Sequence[tuple[str, exp.Expr]]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The hashes of people and records of all rows of the table, whose `keys` identify both.

    A query that leaves out rows must notice that they belong to another person now: its difference to an earlier answer
    could be about that person alone.
    """
    everything = replace(query, where=None, groups=())
    found = context.ask(_hashing_sql(context.compile_all(everything.selection_query(keys)), context.engine, ()))
    return _unsigned(found, "person"), _unsigned(found, "record")


def _row_key(view: PurposeView, key: str, constraints: Constraints, *, one_row_each: bool) -> tuple[str, ...]:
    """The columns that identify single rows, the same for all purposes.

    If the database declares none, the key of people is used, provided that everyone has one row now and no rows are
    dropped.
    """
    found = constraints.row_key(key)
    if found is None and one_row_each and not view.drops_rows:
        return (key,)
    if found is None:
        raise StatementError(
            f"aggregates of {view.table!r} cannot be audited: people may have several rows in it, and nothing "
            "identifies a row; give the table a PRIMARY KEY, or ask with noise."
        )
    for name in found:
        if name not in view.by_name or view.by_name[name].access != {Access.FULL}:
            raise StatementError(
                f"aggregates of {view.table!r} cannot be audited for this purpose: rows are identified by {name!r}, "
                "which is not shown; the policy can allow it."
            )
    return found


def _demand_open_retention(view: PurposeView, policy: Policy) -> None:
    """Refuse if rows expire by dates that are not open to selection, because refusals would reveal the dates."""
    for limit in view.retention():
        if policy.column(view.table, limit.column).selects is not True:
            raise StatementError(
                f"aggregates of {view.table!r} are not offered for this purpose: rows expire by the dates in "
                f"{limit.column!r}, which is not open to selection. The policy can set selects = true for it."
            )


def _demand_same_rows(view: PurposeView, measured: CompiledQuery) -> None:
    """Refuse a query that could measure other rows than are audited, depending on what is shown."""
    # The selection query reads the open columns only, the measuring query also
    # the measured ones. With this row policy the two could drop different rows.
    hides = any(view.by_name[name].can_hide for name in measured.columns_read.get(view.table, ()))
    if view.row_policy == "drop_if_all_hidden" and hides:
        raise StatementError(
            f"aggregates of {view.table!r} are not offered over columns that may be hidden: its row policy leaves out "
            "rows of which nothing is shown."
        )


def _is_open(policy: Policy, table: str, column: ViewColumn) -> bool:
    """Whether it is public who has a value in a column: by the policy, or because everyone's is open to selection."""
    settings = policy.column(table, column.name)
    return settings.missing == "open" or (settings.selects is True and column.access == {Access.FULL})


def _demand_open_selection(made: CompiledQuery, policy: Policy) -> None:
    """Conditions and groups must be over columns that are open to selection; the compiler says which ones they read.

    Who has a hidden value may follow from columns that are not open, and refusals would reveal it.
    """
    for table, names in made.columns_read.items():
        for name in names:
            if policy.column(table, name).selects is True and not _is_open(policy, table, made.views[0].by_name[name]):
                raise StatementError(
                    f"conditions and groups over {name!r} are not offered for this purpose: some values are hidden, "
                    'and whose is a secret; the policy can set missing = "open" for the column.'
                )
        closed = [name for name in names if policy.column(table, name).selects is not True]
        if closed:
            raise StatementError(
                f"conditions and groups are over columns that are open to selection; {closed[0]!r} is not. The policy "
                "can set selects = true for a column."
            )


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


def _hashing_sql(made: CompiledQuery, engine: str, counted: Sequence[int]) -> str:
    """SQL for the hashes of the selected rows, and for which of them have a value."""
    flat = [(output.name, name) for output in made.outputs for name in output.names]
    row_key = [output.name for output in made.outputs if output.name.startswith("o")]
    parts = [f'{group_hash(made, engine)} AS "of_group"', f'{stable_hash(made, ["k"], engine)} AS "person"']
    if row_key:
        parts.append(f'{stable_hash(made, row_key, engine)} AS "record"')
    for place in counted:
        value = next(name for of, name in flat if of == f"v{place}")
        parts.append(f'{exp.column(value, quoted=True).sql(engine)} IS NOT NULL AS "present{place}"')
    return f'SELECT {", ".join(parts)} FROM ({made.sql}) AS "rows"'


def _measuring_sql(measured: CompiledQuery, rows: _Rows, columns: Sequence[ViewColumn | None], engine: str) -> str:
    """SQL for the numbers of every group and, in the same snapshot, for the hash sums of the records they are over."""
    # One statement reads one snapshot of the table, so the hash sums are of exactly the records that are measured.
    listed = ", ".join(one.sql(engine) for one in _transferable_columns(measured, rows.measures, columns, engine))
    hashed = f'SELECT {listed}, {group_hash(measured, engine)} AS "of_group" FROM ({measured.sql}) AS "measured"'
    record = "person" if rows.record is rows.person else "record"
    kept = {name: f' FILTER (WHERE "present{name.removeprefix("hash_sum")}")' for name in rows.hashed_subsets()}
    kept["hash_sum"] = ""
    sums_sql = ", ".join(f'sum("{record}"){condition} AS "{name}"' for name, condition in kept.items())
    sums = f'SELECT "of_group", {sums_sql} FROM ({rows.sql}) AS "rows" GROUP BY "of_group"'
    as_text = ", ".join(f'CAST("records"."{name}" AS TEXT) AS "{name}"' for name in kept)
    return (
        f'SELECT "numbers".*, {as_text} FROM ({hashed}) AS "numbers" '
        f'LEFT JOIN ({sums}) AS "records" ON "numbers"."of_group" = "records"."of_group"'
    )


def _transferable_columns(
    measured: CompiledQuery, measures: Sequence[Measure], columns: Sequence[ViewColumn | None], engine: str
) -> Iterator[exp.Expr]:
    """The measured columns, converted so that no stored value can keep the engine from sending them."""
    of = {f"m{place}": pair for place, pair in enumerate(zip(measures, columns, strict=True))}
    for output in measured.outputs:
        measure, column = of.get(output.name, (None, None))
        made: list[exp.Expr] = [_quoted(name) for name in output.names]
        if measure is not None and column is not None:
            made = bounded_results(measure.function, made, output.value.kind, column.type, engine)
        yield from (exp.alias_(one, name, quoted=True) for one, name in zip(made, output.names, strict=True))


@dataclass(frozen=True, eq=False)
class _MeasuredNumbers:
    """The measured numbers as they arrived; `places` says in which flat columns and line each answer is.

    Some answers are the same: of groups without values, and of a measure that is written in two ways.
    """

    flat: pa.Table = field(repr=False)
    places: Sequence[tuple[AnswerName, int, tuple[str, ...]]]
    day: date

    def answers(self) -> Answers:
        """The numbers by what they are answers to."""
        columns = {name: self.flat.column(name).to_pylist() for _, _, names in self.places for name in names}
        return {
            answer: (self.day, [to_plain(columns[name][line]) for name in names]) for answer, line, names in self.places
        }

    def with_answers(self, answers: Answers) -> pa.Table:
        """The table with these answers in place of the measured numbers."""
        import pyarrow as pa

        made = self.flat
        columns: dict[str, list[Any]] = {}
        for answer, line, names in self.places:
            for name, kept in zip(names, answers[answer][1], strict=True):
                # A stored answer is given out unchanged or not at all; a
                # conversion could round it and so reveal that it is an old one.
                if not fits(kept, made.schema.field(name).type):
                    raise _type_changed()
                columns.setdefault(name, made.column(name).to_pylist())[line] = from_plain(kept)
        for name, values in columns.items():
            at = made.column_names.index(name)
            try:
                made = made.set_column(at, name, pa.array(values, made.schema.field(at).type))
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                raise _type_changed() from None
        return made


def _type_changed() -> DataError:
    """The error for an earlier answer that does not fit the column's type any more."""
    return DataError(
        "a column has another type than when it was answered before; while that answer is kept, ask for other people "
        "or columns."
    )


def _checked_numbers(
    found: pa.Table, measured: CompiledQuery, rows: _Rows, admitted: Sequence[AuditedAggregate], day: date
) -> _MeasuredNumbers:
    """The measured numbers; refused if they are over other records than were audited."""
    places = {int(one): place for place, one in enumerate(rows.groups.tolist())}
    of_group = [places.get(one, -1) for one in _unsigned(found, "of_group").tolist()]
    sizes = np.bincount(rows.group, minlength=len(rows.groups)).tolist()
    before = rows.hash_sums()
    sums = [[int(one or 0) for one in found.column(name).to_pylist()] for name in before]
    # Group, number of rows and hash sums must all agree. A group that only one of the statements found has place -1
    # or is missing, and then the dictionaries differ as well.
    then = dict(zip(of_group, zip(found.column("n").to_pylist(), *sums, strict=True), strict=True))
    if then != dict(enumerate(zip(sizes, *before.values(), strict=True))):
        raise DataError("the table changed while the question was answered; ask again.")
    outputs = {output.name: output.names for output in measured.outputs}
    return _MeasuredNumbers(
        found,
        [
            (
                (aggregate.function, aggregate.column, aggregate.form, set_name(aggregate.sets[group])),
                line,
                outputs[f"m{place}"],
            )
            for place, aggregate in enumerate(admitted)
            for line, group in enumerate(of_group)
        ],
        day,
    )


def _evaluate_outer(
    query: AggregateQuery, measured: CompiledQuery, whole: pa.Table
) -> tuple[pa.Table, tuple[Output, ...]]:
    """Evaluate the outer part of the query on the measured numbers.

    It runs in an in-process DuckDB, on a connection that sees these numbers and nothing else.
    """
    import duckdb

    from sfumato.gateway.engines.failure_messages import error_for, failure_kind
    from sfumato.gateway.sql.queries import Compiler

    compiler = Compiler("duckdb", _no_table)
    made = compiler.query(query.outer, None, {ANSWERED: NamedQuery(measured.outputs)}, outermost=True)
    names = [item.alias for item in query.outer.expressions]
    outputs = tuple(replace(output, name=name) for output, name in zip(made.outputs, names, strict=True))
    # Each query has its own cursor: a registered relation is visible only to the cursor that registered it.
    con = _instance().cursor()
    failure: SfumatoError | None = None
    try:
        hash_columns = [name for name in whole.column_names if name.startswith("hash_sum")]
        con.register(ANSWERED, whole.drop_columns(["of_group", "n", *hash_columns]))
        found = con.sql(made.sql.sql("duckdb", identify=True)).to_arrow_table()
        return found if made.ordered else sorted_by_values(found), outputs
    except duckdb.Error as error:
        failure = error_for(failure_kind(error))
    finally:
        con.close()
    raise failure  # outside the except block, so that the engine's message is not its context


@cache
def _instance() -> Any:
    """The in-process DuckDB, which holds no data; starting one takes longer than most outer parts."""
    import duckdb

    return duckdb.connect(":memory:", config=_SETTINGS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_instance.cache_clear)  # a forked process that closed it would crash


def _no_table(name: str) -> Any:
    raise StatementError(f"there is no table {name!r} here.")


def _quoted(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _unsigned(found: pa.Table, name: str) -> NDArray[np.uint64]:
    """A column of hashes as unsigned integers; PostgreSQL returns signed ones."""
    column = found.column(name)
    signed = str(column.type) == "int64"
    made: NDArray[np.uint64] = column.to_numpy().astype(np.int64 if signed else np.uint64).view(np.uint64)
    return made
