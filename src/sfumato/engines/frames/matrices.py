"""Numbers of a frame as a matrix, and a matrix as the caller's kind of frame; DRBT uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.frames.frames import to_arrow
from sfumato.errors import DataError, SchemaError, nearest


def to_matrix(frame: Any, columns: Sequence[str]) -> NDArray[np.float64]:
    """The given columns as a matrix with a row for every record; raises an error for texts and missing values."""
    table = to_arrow(frame)
    for name in columns:
        if name not in table.column_names:
            raise SchemaError(f"the frame has no column {name!r}; {nearest(name, table.column_names)}")
    made = [_numbers(name, table.column(name)) for name in columns]
    return np.column_stack(made) if made else np.zeros((table.num_rows, 0))


def from_matrix(frame: Any, matrix: NDArray[np.float64], names: Sequence[str]) -> Any:
    """A matrix as the same kind of frame as another, with the index of that frame if it has one."""
    table = pa.table({name: np.ascontiguousarray(matrix[:, place]) for place, name in enumerate(names)})
    if isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return table
    made = nw.from_arrow(table, backend=nw.from_native(frame, eager_only=True).implementation).to_native()
    return made.set_axis(frame.index) if nw.dependencies.is_pandas_dataframe(frame) else made


def _numbers(name: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise DataError(f"column {name!r} holds {kind}, not numbers; leave it out, or turn it into numbers first.")
    numbers = np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    missing = int((~np.isfinite(numbers)).sum())  # nulls have become NaN
    if missing:
        raise DataError(
            f"column {name!r} misses a finite number in {missing} of {len(numbers)} records; "
            "fill them in, or leave those records or the column out."
        )
    return numbers
