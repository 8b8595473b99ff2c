"""Files that are read into memory as a whole, for masks and metrics on masked files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.domain import position, readings
from sfumato.data.kinds import Kind
from sfumato.data.notations import Notation
from sfumato.engines.base import BATCH
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.files import opened
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile
from sfumato.engines.writing.sinks import sink_for
from sfumato.errors import SchemaError, nearest
from sfumato.runtime.atomic_files import Staging, demand_table_possible

_MOST_DECIMALS = 6
"""A column with more decimals holds results of computation, which are not rounded."""


@dataclass(frozen=True, eq=False)
class WholeFile:
    """All records of a CSV or Parquet file, in order; `untyped` says that its values are texts, as in a CSV file."""

    described: str
    table: pa.Table = field(repr=False)
    untyped: bool
    separator: str = ","

    @classmethod
    def read(
        cls, given: str | Path | ReadableFile, columns: Sequence[str] | None = None, options: ReadOptions = DETECTED
    ) -> WholeFile:
        """Read a file, or the given columns of it; raises an error for a column that it lacks."""
        file = opened(given, options)
        wanted = list(file.columns) if columns is None else list(dict.fromkeys(columns))
        for name in wanted:
            if name not in file.columns:
                raise SchemaError(f"{file.described} has no column {name!r}; {nearest(name, file.columns)}")
        engine = DuckdbEngine.over_file(file.file)
        schema = pa.schema([(name, engine.arrow_type(name)) for name in wanted])
        parts = engine.rows({}, plain=wanted) if wanted else iter(())
        batches = [pa.record_batch([part.plain[name] for name in wanted], schema) for part in parts]
        return cls(file.described, pa.Table.from_batches(batches, schema), file.untyped, file.separator)

    def with_numbers(
        self, columns: Sequence[str], missing: Sequence[str] = (), notations: Mapping[str, Notation] | None = None
    ) -> WholeFile:
        """The same file with the given columns as numbers, if all their values are numbers or missing."""
        made = self.table
        for name in columns if self.untyped else ():
            place = made.column_names.index(name)
            made = made.set_column(place, name, _as_numbers(made.column(place), missing, (notations or {}).get(name)))
        return replace(self, table=made)

    def with_missing(self, columns: Sequence[str], missing: Sequence[str]) -> WholeFile:
        """The same file with nulls in the given columns for texts that stand for a missing value."""
        made = self.table
        for name in columns if self.untyped else ():
            place = made.column_names.index(name)
            made = made.set_column(place, name, _without(made.column(place), missing))
        return replace(self, table=made)

    def with_columns(self, table: pa.Table, columns: Sequence[str], before: pa.Table) -> pa.Table:
        """The records with other values in the given columns; in a text file, missing values keep their text.

        `before` has the columns before they were changed, and so says which values were missing.
        """
        made = self.table
        for name in columns:
            place, column = made.column_names.index(name), table.column(name)
            if self.untyped:
                gone = pc.is_null(before.column(name))
                column = pc.if_else(gone, made.column(place), column.cast(pa.string()))
            made = made.set_column(place, name, column)
        return made

    def holding(self, table: pa.Table) -> WholeFile:
        """A file with the same format and other records."""
        return replace(self, table=table)

    def write(self, table: pa.Table, path: Path) -> Path:
        """Write a table in the format of this file; the new file appears when it is complete."""
        demand_table_possible(path)
        with Staging([path]) as staging:
            with sink_for(staging.place(path), table.schema, self.separator) as sink:
                for batch in table.to_batches(max_chunksize=BATCH):
                    sink.write(batch, np.zeros(batch.num_rows, dtype=bool))
            staging.commit()
        return path


def with_decimals_of(before: pa.Table, after: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The masked numbers, rounded to the most decimals that a number of their column has."""
    for name in columns:
        decimals = _decimals(before.column(name))
        if decimals is None:
            continue
        place, rounded = after.column_names.index(name), pc.round(after.column(name), decimals)
        with suppress(pa.ArrowInvalid):  # whole numbers beyond 64 bits stay floats
            rounded = rounded.cast(pa.int64()) if decimals == 0 else rounded
        after = after.set_column(place, name, rounded)
    return after


def _decimals(column: pa.ChunkedArray) -> int | None:
    """The most decimals of a number in a column; None for more than `_MOST_DECIMALS`."""
    if pa.types.is_integer(column.type):
        return 0
    numbers = pc.unique(column).drop_null().to_numpy(zero_copy_only=False).astype(np.float64)
    fits = (places for places in range(_MOST_DECIMALS + 1) if (np.round(numbers, places) == numbers).all())
    return next(fits, None)


def _as_numbers(column: pa.ChunkedArray, missing: Sequence[str], notation: Notation | None = None) -> pa.ChunkedArray:
    """The texts as numbers; unchanged if one of them is not a number, or they can be read in several ways."""
    trimmed = _in_standard_notation(pc.utf8_trim_whitespace(_without(column, missing)), notation)
    for kind in (pa.int64(), pa.float64()):
        try:
            made = pc.cast(trimmed, kind)
        except pa.ArrowInvalid:  # its message quotes a value
            continue
        # Arrow reads "inf" and "nan" as floats, but such texts are no numbers of the data.
        if kind == pa.int64() or not pc.any(pc.invert(pc.is_finite(made))).as_py():
            return made
    return column


def _in_standard_notation(column: pa.ChunkedArray, notation: Notation | None) -> pa.ChunkedArray:
    """Numbers with a point as decimal mark, if all are written in the given notation or, without one, in one other."""
    distinct = pc.unique(column)
    texts = [text for text in distinct.to_pylist() if text is not None]
    if notation is None:
        if all(position(text, Kind.NUMBER) is not None for text in texts):
            return column
        found = [one for one in readings(texts) if one.kind is Kind.NUMBER]
        if len(found) != 1:
            return column
        notation = found[0]
    standard = pa.array([None if text is None else notation.standard(text) for text in distinct.to_pylist()])
    unreadable = standard.null_count > distinct.null_count
    return column if unreadable else standard.take(pc.index_in(column, distinct))


def _without(column: pa.ChunkedArray, missing: Sequence[str]) -> pa.ChunkedArray:
    gone = pc.is_in(column, value_set=pa.array(list(missing), pa.string()))
    return pc.if_else(gone, pa.scalar(None, pa.string()), column)
