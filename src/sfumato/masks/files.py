"""Mask whole files: some columns are changed record by record, all others stay unchanged byte for byte.

The command `sfumato mask` and the publication of a plan call `mask_file`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.engines.frames.whole_files import WholeFile
from sfumato.errors import SchemaError, nearest
from sfumato.masks.base import Mask


@dataclass(frozen=True)
class Dialect:
    """The format of a text file: separator, encoding, and the texts that stand for missing values."""

    separator: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()


def mask_file(
    data: Path,
    steps: Sequence[tuple[Mask, Sequence[str]]],
    out: Path,
    *,
    seed: int | None = None,
    dialect: Dialect | None = None,
) -> int:
    """Apply masks to columns of a file, one after the other, and write a file of the same format.

    Returns the number of records. Only columns that are masked as numbers, or read as numbers by a mask, are parsed as
    numbers; all others are copied as text.
    """
    format_ = dialect or Dialect()
    file = WholeFile.read(data, separator=format_.separator, encoding=format_.encoding)
    for place, (mask, columns) in enumerate(steps):
        # Every step has a seed of its own; otherwise two columns would get the same noise.
        file = _mask_columns(file, mask, list(columns), None if seed is None else seed + place, format_.missing)
    file.write(file.table, out)
    return int(file.table.num_rows)


def _mask_columns(
    file: WholeFile, mask: Mask, columns: list[str], seed: int | None, missing: Sequence[str]
) -> WholeFile:
    names = file.table.column_names
    for column in (*columns, *mask.reads):
        if column not in names:
            raise SchemaError(f"file {file.path.name!r} has no column {column!r}; {nearest(column, names)}")
    numbers = [*(columns if mask.for_kind == "numbers" else ()), *(mask.reads if mask.reads_kind == "numbers" else ())]
    typed = file.with_missing([*columns, *mask.reads], missing).with_numbers(numbers)
    return file.holding(file.with_columns(mask.mask(typed.table, columns, seed=seed), columns, typed.table))
