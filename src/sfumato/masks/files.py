"""Mask whole files: some columns are changed record by record, all others stay unchanged byte for byte.

The command `sfumato mask` and the publication of a plan call `mask_file`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.data.notations import Notation
from sfumato.engines.frames.whole_files import WholeFile, with_decimals_of
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import SchemaError, nearest
from sfumato.masks.base import Mask


def mask_file(
    data: Path | ReadableFile,
    steps: Sequence[tuple[Mask, Sequence[str]]],
    out: Path,
    *,
    seed: int | None = None,
    missing: Sequence[str] = (),
    notations: Mapping[str, Notation] | None = None,
    options: ReadOptions = DETECTED,
) -> int:
    """Apply masks to columns of a file, one after the other, and write a file of the same format.

    Returns the number of records. Texts in `missing` stand for missing values. Only columns that are masked as numbers,
    or read as numbers by a mask, are parsed as numbers, in their notation if it is given; all others are copied.
    """
    file, given = WholeFile.read(data, options=options), dict(notations or {})
    for place, (mask, columns) in enumerate(steps):
        # Every step has a seed of its own; otherwise two columns would get the same noise.
        file = _mask_columns(file, mask, list(columns), None if seed is None else seed + place, missing, given)
        if mask.for_kind == "numbers":  # they are in the standard notation now
            given = {name: notation for name, notation in given.items() if name not in columns}
    file.write(file.table, out)
    return int(file.table.num_rows)


def _mask_columns(
    file: WholeFile,
    mask: Mask,
    columns: list[str],
    seed: int | None,
    missing: Sequence[str],
    notations: Mapping[str, Notation],
) -> WholeFile:
    names = file.table.column_names
    for column in (*columns, *mask.reads):
        if column not in names:
            raise SchemaError(f"{file.described} has no column {column!r}; {nearest(column, names)}")
    numbers = [*(columns if mask.for_kind == "numbers" else ()), *(mask.reads if mask.reads_kind == "numbers" else ())]
    typed = file.with_missing([*columns, *mask.reads], missing).with_numbers(numbers, notations=notations)
    masked = mask.mask(typed.table, columns, seed=seed)
    if mask.draws_decimals:
        masked = with_decimals_of(typed.table, masked, columns)
    return file.holding(file.with_columns(masked, columns, typed.table))
