"""Columns of a frame as a matrix, and the frame with changed columns; masks use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.frames.frames import like, own_values, to_arrow, with_used_categories
from sfumato.errors import DataError, SchemaError, nearest
from sfumato.kernels.arrays import Flags

_LARGEST = 1e150
"""Squares of larger numbers would overflow."""

_EXACT = 2**53
"""Whole numbers up to here are exact as 64-bit floats."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a frame as one matrix with a row for every record.

    `of_numbers` gives 64-bit floats, NaN for missing values. `of_values` gives the index of each value in
    `values_of[column]`, -1 for missing values.
    """

    frame: Any = field(repr=False)
    table: pa.Table = field(repr=False)
    names: tuple[str, ...]
    matrix: NDArray[Any] = field(repr=False)
    values_of: tuple[pa.Array, ...] = field(default=(), repr=False)

    @classmethod
    def of_numbers(cls, frame: Any, names: Sequence[str]) -> Columns:
        """Columns of numbers; raises an error for other types."""
        table = _demanded(frame, names)
        made = [_numbers(name, table.column(name)) for name in names]
        matrix = np.column_stack([np.zeros((table.num_rows, 0)), *made])
        return cls(frame, table, tuple(names), matrix)

    @classmethod
    def of_values(cls, frame: Any, names: Sequence[str], *, broken: bool = True) -> Columns:
        """Columns of any plain type; unless `broken`, floats and decimals, which are no categories, raise an error."""
        table = _demanded(frame, names)
        for name in names:
            kind = table.schema.field(name).type
            if pa.types.is_nested(kind) or (not broken and (pa.types.is_floating(kind) or pa.types.is_decimal(kind))):
                raise DataError(
                    f"column {name!r} holds {kind}, not categories; leave it out, or round it to some first."
                )
        coded = [_coded(table.column(name)) for name in names]
        matrix = np.column_stack([np.zeros((table.num_rows, 0), dtype=np.int64), *(codes for _, codes in coded)])
        return cls(frame, table, tuple(names), matrix, tuple(values for values, _ in coded))

    @property
    def missing(self) -> Flags:
        """Which cells are missing."""
        gone: Flags = self.matrix < 0 if self.values_of else np.isnan(self.matrix)
        return gone

    def put_back(self, matrix: NDArray[Any]) -> Any:
        """The same kind of frame with other cells in these columns; order, index and other columns are unchanged.

        A column of whole numbers keeps its type if all new numbers are whole, and one of categories those that it has.
        """
        made, kept = self.table, []
        for place, name in enumerate(self.names):
            cells, kind = matrix[:, place], self.table.schema.field(name).type
            column = self._taken(place, cells) if self.values_of else _typed(cells, kind)
            made = made.set_column(made.column_names.index(name), name, column)
            kept += [name] if self.values_of or column.type == kind else []
        for place, name in enumerate(made.column_names):
            if name not in self.names:
                column = made.column(place)
                # The dictionary of a filtered column may list values that no record has any more.
                written = _written_out(column) if pa.types.is_dictionary(column.type) else own_values(column)
                made = made.set_column(place, name, written)
        return with_used_categories(_as_typed(self.frame, like(self.frame, made, self.names), kept), self.names)

    def _taken(self, place: int, codes: NDArray[np.int64]) -> pa.Array:
        return self.values_of[place].take(pa.array(codes, pa.int64(), mask=codes < 0))


def _as_typed(frame: Any, made: Any, names: Sequence[str]) -> Any:
    """Cast columns back to the types they had if Arrow does not preserve them, such as categories."""
    if nw.dependencies.is_pandas_dataframe(frame):
        return made.astype({name: frame.dtypes[name] for name in names})
    if isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return made
    native, found = nw.from_native(frame, eager_only=True), nw.from_native(made, eager_only=True)
    strange = [name for name in names if found.schema[name] != native.schema[name]]
    return found.with_columns(*(found[name].cast(native.schema[name]) for name in strange)).to_native()


def _demanded(frame: Any, names: Sequence[str]) -> pa.Table:
    table = to_arrow(frame)
    for name in names:
        if name not in table.column_names:
            raise SchemaError(f"the frame has no column {name!r}; {nearest(name, table.column_names)}")
    if not table.num_rows:
        raise DataError("the frame holds no records; there is nothing to mask.")
    return table


def _numbers(name: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise DataError(f"column {name!r} holds {kind}, not numbers; leave it out, or turn it into numbers first.")
    numbers = np.array(pc.cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    largest = np.nanmax(np.abs(numbers), initial=0)
    if largest > _LARGEST or (pa.types.is_integer(kind) and largest > _EXACT):
        raise DataError(f"column {name!r} has numbers too large to keep every digit; leave it out, or scale it first.")
    return numbers


def _coded(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64]]:
    """The distinct values in order of occurrence, and the index of each record's value."""
    column = _takeable(_written_out(column) if pa.types.is_dictionary(column.type) else column)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    encoded = column.combine_chunks().dictionary_encode()
    codes = np.array(pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False), dtype=np.int64)
    return encoded.dictionary, codes


def _written_out(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column as plain values."""
    written = [_takeable(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(written, _takeable(pa.nulls(0, column.type.value_type)).type)


def _takeable(column: Any) -> Any:
    """The same values in a type that supports `take`; Arrow cannot take from string views, which polars uses."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _typed(numbers: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """Numbers in the type of the column: whole if all are whole, floats in their former width."""
    gone = np.isnan(numbers)
    here = numbers[~gone]
    if pa.types.is_integer(kind) and np.array_equal(here, np.floor(here)):
        whole = pa.array(np.where(gone, 0, numbers).astype(np.int64), pa.int64(), mask=gone)
        try:
            return whole.cast(kind)
        except pa.ArrowInvalid:  # the type is too narrow or unsigned
            return whole
    made = pa.array(numbers, pa.float64(), mask=gone)
    return made.cast(kind) if pa.types.is_floating(kind) else made
