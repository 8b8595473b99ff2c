"""The numbers of two frames or files with the same records in the same order, before and after masking.

Metrics and attacks on masked tables use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.engines.duckdb.files import opened
from sfumato.engines.frames.frames import to_arrow
from sfumato.engines.frames.whole_files import WholeFile
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable
from sfumato.errors import DataError, SchemaError, nearest
from sfumato.taxonomies.taxonomy import ROOT

Floats = NDArray[np.float64]


def side_by_side(
    original: Any, masked: Any, columns: Sequence[str] | None = None, *, only_numbers: bool = False
) -> PairedNumbers:
    """The given columns of two frames, by default all that are numbers in both; missing values are NaN.

    A given column that does not hold numbers raises an error, or is skipped with `only_numbers`.

    >>> side_by_side(pa.table({"a": [1, 2], "b": ["x", "y"]}), pa.table({"a": [1.5, 1.5]})).published.tolist()
    [[1.5], [1.5]]
    """
    before, after = to_arrow(original), to_arrow(masked)
    if before.num_rows != after.num_rows:
        raise DataError(
            f"the original has {before.num_rows} records and the masked table {after.num_rows}; give the same records "
            "in the same order."
        )
    shared = [name for name in before.column_names if name in after.column_names]
    _demand_shared(shared, columns)
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in shared if columns is None else columns:
        was, now = (_numbers(side.column(name)) for side in (before, after))
        if was is not None and now is not None:
            found[name] = was, now
        elif columns is not None and not only_numbers:
            raise DataError(f"column {name!r} does not hold numbers in both tables; leave it out.")
    empty = np.zeros((before.num_rows, 0))
    sides = [np.column_stack([empty, *(pair[side] for pair in found.values())]) for side in (0, 1)]
    return PairedNumbers.of_arrays(*sides, columns=list(found))


def files_side_by_side(
    original: str | Path | ReadableFile,
    masked: str | Path | ReadableFile,
    columns: Sequence[str] | None = None,
    *,
    missing: Sequence[str] = (),
    options: ReadOptions = DETECTED,
    only_numbers: bool = False,
) -> PairedNumbers:
    """As `side_by_side`, for two CSV or Parquet files; a suppressed value `*` counts as missing.

    The same options hold for both files.
    """
    sides = [readable(file, options) for file in (original, masked)]
    names = [opened(file).columns for file in sides]
    shared = [name for name in names[0] if name in names[1]]
    _demand_shared(shared, columns)
    wanted = shared if columns is None else list(columns)
    files = [WholeFile.read(file, wanted) for file in sides]
    before, after = (file.with_numbers(wanted, (ROOT, *missing)).table for file in files)
    return side_by_side(before, after, columns, only_numbers=only_numbers)


def _demand_shared(shared: Sequence[str], columns: Sequence[str] | None) -> None:
    if not shared:
        raise SchemaError("the two tables share no column; name the columns of both alike.")
    for name in columns or ():
        if name not in shared:
            raise SchemaError(f"the two tables do not share a column {name!r}; {nearest(name, shared)}")


def _numbers(column: pa.ChunkedArray) -> Floats | None:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    return np.array(pc.cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
