"""Masks whole files: some columns changed record by record, all others byte for byte as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.engines.frames.whole_files import WholeFile
from sfumato.errors import SchemaError, nearest
from sfumato.masks.base import Mask


@dataclass(frozen=True)
class Dialect:
    """How a file is written: what separates and encodes its values, and which texts stand for missing ones."""

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
    """Apply masks to columns of a file, one after the other, and write it like the one it was; how many records it has.

    Only numbers that are masked are read as numbers.
    """
    told = dialect or Dialect()
    file = WholeFile.read(data, separator=told.separator, encoding=told.encoding)
    for place, (mask, columns) in enumerate(steps):
        # Every step has chance of its own, or two columns would get the same noise.
        file = _masked(file, mask, list(columns), None if seed is None else seed + place, told.missing)
    file.write(file.table, out)
    return int(file.table.num_rows)


def _masked(file: WholeFile, mask: Mask, columns: list[str], seed: int | None, missing: Sequence[str]) -> WholeFile:
    names = file.table.column_names
    for column in (*columns, *mask.reads):
        if column not in names:
            raise SchemaError(f"file {file.path.name!r} has no column {column!r}; {nearest(column, names)}")
    numbers = [*(columns if mask.for_kind == "numbers" else ()), *(mask.reads if mask.reads_kind == "numbers" else ())]
    typed = file.with_missing([*columns, *mask.reads], missing).with_numbers(numbers)
    return file.holding(file.with_columns(mask.mask(typed.table, columns, seed=seed), columns, typed.table))
