"""The numbers of an exact query for aggregates, measured together with hashes of the records that they are over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlglot import exp

from sfumato.errors import DataError
from sfumato.gateway.sql.bounded_aggregates import bounded_results
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.statistics.accounts import AnswerName, Answers, set_name
from sfumato.gateway.statistics.aggregate_queries import Measure
from sfumato.gateway.statistics.auditors import AuditedAggregate
from sfumato.gateway.statistics.hashing import group_hash, unsigned_hashes
from sfumato.gateway.statistics.selected_rows import SelectedRows
from sfumato.gateway.statistics.stored_values import fits, from_plain, to_plain
from sfumato.gateway.views.views import ViewColumn

if TYPE_CHECKING:
    import pyarrow as pa


class _AnswerCell(NamedTuple):
    """Where an answer stands: the flat columns that hold it, and the line."""

    answer: AnswerName
    line: int
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MeasuredNumbers:
    """The measured numbers as they arrived; `cells` says where each answer is.

    Some answers are the same: of groups without values, and of a measure that is written in two ways.
    """

    flat: pa.Table = field(repr=False)
    cells: Sequence[_AnswerCell]
    day: date

    def answers(self) -> Answers:
        """The numbers by what they are answers to."""
        values = {name: self.flat.column(name).to_pylist() for cell in self.cells for name in cell.columns}
        return {
            cell.answer: (self.day, [to_plain(values[name][cell.line]) for name in cell.columns]) for cell in self.cells
        }

    def with_answers(self, answers: Answers) -> pa.Table:
        """The table with these answers in place of the measured numbers."""
        import pyarrow as pa

        flat = self.flat
        columns: dict[str, list[Any]] = {}
        for cell in self.cells:
            for name, kept in zip(cell.columns, answers[cell.answer][1], strict=True):
                # A stored answer is given out unchanged or not at all; a
                # conversion could round it and so reveal that it is an old one.
                if not fits(kept, flat.schema.field(name).type):
                    raise _type_changed()
                columns.setdefault(name, flat.column(name).to_pylist())[cell.line] = from_plain(kept)
        for name, values in columns.items():
            position = flat.column_names.index(name)
            try:
                flat = flat.set_column(position, name, pa.array(values, flat.schema.field(position).type))
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                raise _type_changed() from None
        return flat


def measuring_sql(
    measured: CompiledQuery, rows: SelectedRows, columns: Sequence[ViewColumn | None], engine: str
) -> str:
    """SQL for the numbers of every group and, in the same snapshot, for the hash sums of the records they are over."""
    # One statement reads one snapshot of the table, so the hash sums are of exactly the records that are measured.
    listed = ", ".join(one.sql(engine) for one in _transferable_columns(measured, rows.measures, columns, engine))
    hashed = f'SELECT {listed}, {group_hash(measured, engine)} AS "of_group" FROM ({measured.sql}) AS "measured"'
    record = "person" if rows.records_are_people else "record"
    subsets = rows.hashed_subsets()
    sums_sql = ", ".join(f'sum("{record}"){one.filter_sql} AS "{one.name}"' for one in subsets)
    sums = f'SELECT "of_group", {sums_sql} FROM ({rows.sql}) AS "rows" GROUP BY "of_group"'
    as_text = ", ".join(f'CAST("records"."{one.name}" AS TEXT) AS "{one.name}"' for one in subsets)
    return (
        f'SELECT "numbers".*, {as_text} FROM ({hashed}) AS "numbers" '
        f'LEFT JOIN ({sums}) AS "records" ON "numbers"."of_group" = "records"."of_group"'
    )


def checked_numbers(
    flat: pa.Table, measured: CompiledQuery, rows: SelectedRows, admitted: Sequence[AuditedAggregate], day: date
) -> MeasuredNumbers:
    """The measured numbers; refused if they are over other records than were audited."""
    places = {int(one): place for place, one in enumerate(rows.groups.tolist())}
    of_group = [places.get(one, -1) for one in unsigned_hashes(flat, "of_group").tolist()]
    sizes = np.bincount(rows.group, minlength=len(rows.groups)).tolist()
    audited = rows.hash_sums()
    sums = [[int(one or 0) for one in flat.column(name).to_pylist()] for name in audited]
    # Group, number of rows and hash sums must all agree. A group that only one of the statements found has place -1
    # or is missing, and then the dictionaries differ as well.
    of_measured = dict(zip(of_group, zip(flat.column("n").to_pylist(), *sums, strict=True), strict=True))
    if of_measured != dict(enumerate(zip(sizes, *audited.values(), strict=True))):
        raise DataError("the table changed while the question was answered; ask again.")
    columns = {output.name: output.names for output in measured.outputs}
    cells = [
        _AnswerCell(
            (aggregate.function, aggregate.column, aggregate.form, set_name(aggregate.sets[group])),
            line,
            columns[f"m{place}"],
        )
        for place, aggregate in enumerate(admitted)
        for line, group in enumerate(of_group)
    ]
    return MeasuredNumbers(flat, cells, day)


def _transferable_columns(
    measured: CompiledQuery, measures: Sequence[Measure], columns: Sequence[ViewColumn | None], engine: str
) -> Iterator[exp.Expr]:
    """The measured columns, converted so that no stored value can keep the engine from sending them."""
    of = {f"m{place}": pair for place, pair in enumerate(zip(measures, columns, strict=True))}
    for output in measured.outputs:
        measure, column = of.get(output.name, (None, None))
        made: list[exp.Expr] = [exp.column(name, quoted=True) for name in output.names]
        if measure is not None and column is not None:
            made = bounded_results(measure.function, made, output.value.kind, column.type, engine)
        yield from (exp.alias_(one, name, quoted=True) for one, name in zip(made, output.names, strict=True))


def _type_changed() -> DataError:
    """The error for an earlier answer that does not fit the column's type any more."""
    return DataError(
        "a column has another type than when it was answered before; while that answer is kept, ask for other people "
        "or columns."
    )
