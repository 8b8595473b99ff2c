"""Files of SPSS, Stata and SAS as tables, with value labels as texts or codes; and tables as SPSS and Stata files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.formats.columns import arrow_column
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError, SchemaError, UsageError

_READERS = {
    ".dta": "read_dta", ".por": "read_por", ".sas7bdat": "read_sas7bdat", ".sav": "read_sav", ".xpt": "read_xport",
    ".zsav": "read_sav",
}  # fmt: skip
ENDINGS = tuple(_READERS)
WRITTEN = (".dta", ".sav", ".zsav")
"""Endings of the files that can be written."""
LABEL = b"sfumato.label"
"""The key of the label of a column in the metadata of an Arrow field."""
_XPT_BLOCK = 80
"""Transport files of SAS consist of blocks of so many bytes."""
_NAMES = {".dta": ("Stata", re.compile(r"(?=.{1,32}\Z)[^\W\d]\w*")), ".sav": ("SPSS", re.compile(r"[^\W\d_][\w.@#$]*"))}
_NAMES[".zsav"] = _NAMES[".sav"]
"""For each ending the program, and the names that it allows for columns."""
_LONGEST = 64
"""Bytes of the longest name in SPSS."""
_WORDS = frozenset({"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"})
"""Words that are no names in SPSS."""
_WIDEST = 1 << 53
"""Whole numbers up to this one are exact in 64-bit floats, in which these files store them."""
_TEXT_BYTES = {".dta": 2045, ".sav": 32767, ".zsav": 32767}
"""Bytes of the longest text in a file."""
_LONGEST_LABEL = {".dta": 80, ".sav": 256, ".zsav": 256}
"""Characters of the longest label of a column; the rest of a longer one is left out."""


def survey_table(path: Path, described: str, options: ReadOptions) -> pa.Table:
    """The records of a file; values that the file declares as missing are missing.

    A column whose values all have labels gets the labels, unless `value_labels` asks for codes. Where only some values
    have labels, as 99 for "no answer", the column keeps its codes.
    """
    pyreadstat = _pyreadstat()
    if path.suffix.lower() == ".xpt" and path.stat().st_size % _XPT_BLOCK:
        raise DataError(f"{described} is incomplete: its length is no multiple of {_XPT_BLOCK} bytes; copy it again.")
    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    encoding = {} if options.encoding is None else {"encoding": options.encoding}
    try:
        found, about = read(str(path), output_format="dict", **encoding)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, OSError):
        raise DataError(
            f"{described} cannot be read: it is damaged, or of another format or encoding than its ending says."
        ) from None
    labels = {} if options.value_labels == "codes" else about.variable_value_labels
    table = pa.table({name: _column(values, labels.get(name)) for name, values in found.items()})
    return _with_column_labels(table, about.column_names_to_labels)


def _with_column_labels(table: pa.Table, labels: Mapping[str, str | None]) -> pa.Table:
    """The table with the label of every column in the metadata of its field."""
    fields = [
        field.with_metadata({LABEL: label.encode()}) if (label := labels.get(field.name)) else field
        for field in table.schema
    ]
    return pa.table(table.columns, schema=pa.schema(fields, table.schema.metadata))


def column_labels(schema: pa.Schema) -> dict[str, str]:
    """The labels of columns that `survey_table` has put into a schema."""
    return {field.name: field.metadata[LABEL].decode() for field in schema if LABEL in (field.metadata or {})}


def _column(values: Sequence[Any], labels: Mapping[Any, str] | None) -> pa.Array:
    """The column, with labels in place of codes if every code has one."""
    if not labels:
        return arrow_column(values)
    labelled = [None if value is None else labels.get(value) or None for value in values]  # an empty label is none
    complete = all(label is not None or value is None for value, label in zip(values, labelled, strict=True))
    return pa.array(labelled, pa.string()) if complete else arrow_column(values)


def demand_names(path: Path, names: Sequence[str]) -> None:
    """Raise an error for the first name that a column cannot have in a file."""
    program, allowed = _NAMES[path.suffix.lower()]
    longest = _LONGEST if program == "SPSS" else _LONGEST * 2
    lower = [name.lower() for name in names]
    for name in names:
        reserved = program == "SPSS" and name.lower() in _WORDS
        if not allowed.fullmatch(name) or len(name.encode()) > longest or reserved or lower.count(name.lower()) > 1:
            raise SchemaError(
                f"column {name!r} cannot have this name in {program}, whose names are unique in upper and lower case, "
                "short, and have letters, digits and _ only; rename the column, or write a .csv or .parquet file."
            )


def write_survey(table: pa.Table, path: Path, labels: Mapping[str, str] | None = None) -> None:
    """Write a file of SPSS or Stata: numbers, days and moments as such, all else as texts, with labels of columns.

    There are no labels of values: most published ones have no code, and a list of all labels of a column would also
    have those that only suppressed records have.
    """
    pyreadstat, polars = _pyreadstat(), _polars()
    longest = _LONGEST_LABEL[path.suffix.lower()]
    shown = {name: label[:longest] for name, label in (labels or {}).items()}
    plain = pa.table({name: _writable(name, table.column(name), path) for name in table.column_names})
    frame = polars.from_arrow(plain)
    try:
        if path.suffix.lower() == ".dta":
            pyreadstat.write_dta(frame, path, column_labels=shown)
        else:
            pyreadstat.write_sav(
                frame,
                path,
                column_labels=shown,
                compress=path.suffix.lower() == ".zsav",
                row_compress=path.suffix.lower() == ".sav",
            )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise DataError(f"{path.name!r} cannot be written in this format; write a .csv or .parquet file.") from None


def _writable(name: str, column: pa.ChunkedArray, path: Path) -> pa.ChunkedArray:
    """The column in a type that the file has."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column.cast(pa.int8())
    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_integer(kind):
        bounds = pc.min_max(column).as_py()
        if max(abs(bounds["min"] or 0), abs(bounds["max"] or 0)) > _WIDEST:
            raise DataError(
                f"column {name!r} has numbers with more digits than {path.name!r} can hold; write a .parquet file."
            )
        return column.cast(pa.int64())
    if pa.types.is_date(kind):
        return column.cast(pa.date32())
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us"))
    texts = column.cast(pa.string())
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > _TEXT_BYTES[path.suffix.lower()]:
        raise DataError(
            f"column {name!r} has texts that are longer than {path.name!r} can hold; write a .parquet file."
        )
    return texts


def _pyreadstat() -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise UsageError("files of SPSS, Stata and SAS need pyreadstat; install sfumato[formats].") from None
    return pyreadstat


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise UsageError("files of SPSS and Stata are written with polars; install sfumato[formats].") from None
    return polars
