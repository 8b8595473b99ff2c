"""Parquet and CSV files as private tables; `PrivateDuckDb` reads them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import DataError, nearest

_READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv"}
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_ ]*(\([0-9]+(, *[0-9]+)?\))?")
_FIXED_OPTIONS = {
    "auto_detect": False, "header": True, "quote": '"', "escape": '"', "skip": 0, "comment": "",
    "max_line_size": 32_000_000, "buffer_size": 64_000_000,
}  # fmt: skip


@dataclass(frozen=True)
class SourceFile:
    """A file, and the declared types of its columns, if any."""

    path: Path
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: str | Path | SourceFile) -> SourceFile:
        """From a path or a source file, with an absolute path."""
        found = given if isinstance(given, SourceFile) else cls(Path(given))
        return cls(found.path.resolve(), found.types)

    @property
    def has_guessed_types(self) -> bool:
        """Whether DuckDB guesses the types of the columns from the values."""
        return not self.types and _READERS.get(self.path.suffix.lower()) == "read_csv"

    def relation(self) -> exp.Table | exp.Subquery:
        """The relation that DuckDB selects from to read the file."""
        return _with_declared_types(self.path, self.types) if self.types else file_relation(self.path)


def _with_declared_types(path: Path, types: Mapping[str, str]) -> exp.Subquery:
    """A CSV file with declared types; a value that does not fit its type is NULL, and a column without a type is text.

    Nothing about the file is guessed from its values, and a value that does not fit raises no error: both would reveal
    something about hidden values. Texts are trimmed first; without an expression in between, DuckDB would cast while it
    reads, and fail.
    """
    relation = file_relation(path)
    if relation.this.this != "read_csv":
        raise DataError(
            f"file {path.name!r} declares the types of its columns itself; types can be given only for CSV files."
        )
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    names = _header(path, separator)
    for name in types:
        if name not in names:
            raise DataError(f"file {path.name!r} has no column {name!r}; {nearest(name, names)}")
    columns = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.Literal.string(name), expression=exp.Literal.string("VARCHAR")) for name in names
        ]
    )
    for name, value in {**_FIXED_OPTIONS, "delim": separator, "columns": columns}.items():
        relation.this.append("expressions", exp.EQ(this=exp.to_identifier(name), expression=exp.convert(value)))
    replaced = [exp.alias_(_cast_or_null(name, kind, path), name, quoted=True) for name, kind in types.items()]
    return exp.select(exp.Star(replace=replaced)).from_(relation).subquery()


def _header(path: Path, separator: str) -> list[str]:
    """The column names, from the first line."""
    names: list[str] = []
    try:
        with path.open(encoding="utf-8-sig", newline="", errors="surrogateescape") as stream, suppress(csv.Error):
            names = next(csv.reader(stream, delimiter=separator, strict=True), [])
    except OSError:
        raise DataError(f"file {path.name!r} does not exist or cannot be read; check [source].") from None
    are_valid = all(name and name.isprintable() for name in names)  # bytes that are not UTF-8 are not printable
    if not names or not are_valid or len({name.casefold() for name in names}) < len(names):
        raise DataError(f"the first line of file {path.name!r} must name its columns, each once, in UTF-8.")
    return names


def _cast_or_null(name: str, kind: str, path: Path) -> exp.Expr:
    """A column cast to its declared type, NULL where the value does not fit."""
    column, to = exp.column(name, quoted=True), None
    with suppress(SqlglotError):
        to = None if not _TYPE.fullmatch(kind) else exp.DataType.build(kind, dialect="duckdb")
    if to is not None and to.this in exp.DataType.TEXT_TYPES:
        return column
    if to is not None:
        text = exp.func("TRIM", column)
        cast_value = exp.TryCast(this=text, to=to)
        digits = [one.name for one in to.expressions]
        if to.this not in exp.DataType.INTEGER_TYPES and not (to.is_type("decimal") and digits[1:] in (["0"], [])):
            return cast_value
        whole = exp.Anonymous(this="regexp_full_match", expressions=[text.copy(), exp.Literal.string("[+-]?[0-9]+")])
        return exp.Case().when(whole, cast_value)  # 2.6 must not be rounded to 3, which may be another person's key
    raise DataError(f"the type of column {name!r} of file {path.name!r} is not a type of DuckDB; check [source].")


def file_relation(path: Path) -> exp.Table:
    """The relation that DuckDB selects from to read a file; its columns are detected every time.

    >>> file_relation(Path("/data/people.csv")).sql("duckdb")
    "READ_CSV('/data/people.csv')"
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"file {path.name!r} is neither Parquet nor CSV; it should end in {', '.join(_READERS)}.")
    if set(path.as_posix()) & set("*?[]"):
        raise DataError(
            f"file {path.name!r} has one of * ? [ ] in its path, which DuckDB reads as a pattern for many files."
        )
    return exp.Table(this=exp.Anonymous(this=reader, expressions=[exp.Literal.string(path.as_posix())]))
