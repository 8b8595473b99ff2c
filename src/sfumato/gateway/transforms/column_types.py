"""Column types in one vocabulary for every engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["integer", "decimal", "float", "date", "timestamp", "text", "boolean", "other"]

_SHAPE = re.compile(r"([a-z_][a-z0-9_ ]*?) *(?:\( *([^()]*?) *\))?(?: (with|without) time zone)?")

_BITS = {
    "tinyint": 8,
    "int1": 8,
    "smallint": 16,
    "int2": 16,
    "int16": 16,
    "short": 16,
    "integer": 32,
    "int": 32,
    "int4": 32,
    "int32": 32,
    "integral": 32,
    "signed": 32,
    "bigint": 64,
    "int8": 64,
    "int64": 64,
    "long": 64,
    "hugeint": 128,
    "int128": 128,
}
"""Signed integer types and their bits."""

_UNSIGNED = {
    "utinyint": 8,
    "uint8": 8,
    "usmallint": 16,
    "uint16": 16,
    "uinteger": 32,
    "uint32": 32,
    "ubigint": 64,
    "uint64": 64,
    "uhugeint": 128,
    "uint128": 128,
}
"""Unsigned integer types and their bits."""

_DECIMALS = frozenset({"decimal", "numeric", "dec"})
_SINGLE = frozenset({"float", "float4", "real"})
_PADDED = frozenset({"character", "char", "bpchar"})
_NAMES: dict[str, Kind] = {
    **dict.fromkeys((*_BITS, *_UNSIGNED), "integer"),
    **dict.fromkeys(_DECIMALS, "decimal"),
    **dict.fromkeys((*_SINGLE, "double", "double precision", "float8"), "float"),
    **dict.fromkeys(("varchar", "character varying", "text", "string", "nvarchar", *_PADDED), "text"),
    **dict.fromkeys(("boolean", "bool", "logical"), "boolean"),
    **dict.fromkeys(("timestamp", "timestamptz", "datetime", "timestamp_us"), "timestamp"),
    **dict.fromkeys(("timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz_ns"), "timestamp"),
    "date": "date",
}
_SECOND_DIGITS = {"timestamp_s": 0, "timestamp_ms": 3, "timestamp_ns": 9, "timestamptz_ns": 9}
"""Timestamp types with another precision than microseconds."""


@dataclass(frozen=True)
class ColumnType:
    """The type of a column, and the name by which its engine calls it.

    `scale` is the number of decimal places; None if there is no limit, as in a PostgreSQL `numeric` without a scale.
    Types whose order or text the gateway does not know (arrays, JSON, times of day, networks) are `other`: their values
    can be shown or hidden, and nothing in between.

    >>> ColumnType.of_duckdb("DECIMAL(18,3)")
    ColumnType(kind='decimal', scale=3, name='DECIMAL(18,3)')
    >>> ColumnType.of_postgres("timestamp(3) with time zone").kind, ColumnType.of_postgres("inet").kind
    ('timestamp', 'other')
    >>> ColumnType.of_duckdb("SMALLINT").bounds
    (-32768, 32767)
    """

    kind: Kind
    scale: int | None = 0
    name: str = ""

    @classmethod
    def of_duckdb(cls, text: str) -> ColumnType:
        """The type with this name in DuckDB."""
        type_name = text.strip()
        if re.match(r"enum *(\(|$)", type_name.casefold()):
            return cls("text", 0, type_name)
        word, inside, _ = _parts(type_name)
        scale = _scale(inside) if inside else 3  # DuckDB's default
        return cls("integer", 0, type_name) if word == "oid" else _column_type(type_name, word, scale)

    @classmethod
    def of_postgres(cls, text: str) -> ColumnType:
        """The type with this name in PostgreSQL's `format_type`; a user-defined type is `other`."""
        type_name = text.strip()
        word, inside, _ = _parts(type_name)
        return _column_type(type_name, word, _scale(inside) if inside else None)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The lowest and the highest value, in units of the last decimal place; None if there is no last place."""
        word, inside, _ = _parts(self.name)
        if self.kind == "integer":
            bits = _UNSIGNED.get(word)
            wide = _BITS.get(word, 64)
            return (0, 2**bits - 1) if bits else (-(2 ** (wide - 1)), 2 ** (wide - 1) - 1)
        if self.kind != "decimal" or self.scale is None:
            return None
        digits = int(inside.split(",")[0]) if inside else 18 if word in _DECIMALS else 38
        return 1 - 10**digits, 10**digits - 1

    @property
    def can_be_nan(self) -> bool:
        """Whether a column can hold NaN, as floats and the numerics of PostgreSQL can."""
        return self.kind == "float" or (self.kind == "decimal" and _parts(self.name)[0] == "numeric")

    @property
    def largest(self) -> int | None:
        """An integer that no value exceeds in magnitude; None if there is no limit.

        >>> ColumnType.of_postgres("numeric(3, -2)").largest, ColumnType.of_duckdb("DECIMAL(5,2)").largest
        (99900, 1000)
        """
        if self.bounds is None or self.scale is None:
            return None
        most = self.bounds[1]
        power: int = 10 ** abs(self.scale)
        return most * power if self.scale < 0 else -(-most // power)

    @property
    def second_digits(self) -> int:
        """The number of digits of a second that a timestamp keeps."""
        word, inside, _ = _parts(self.name)
        return int(inside) if inside.isdecimal() else _SECOND_DIGITS.get(word, 6)

    @property
    def zoned(self) -> bool:
        """Whether a timestamp is a point in time with a time zone, and not a local clock time."""
        word, _, zone = _parts(self.name)
        return self.kind == "timestamp" and (zone == "with" or word.startswith("timestamptz"))

    @property
    def single(self) -> bool:
        """Whether a float has 32 bits, and not 64."""
        return self.kind == "float" and _parts(self.name)[0] in _SINGLE

    @property
    def padded(self) -> bool:
        """Whether trailing blanks of a text are insignificant."""
        return self.kind == "text" and _parts(self.name)[0] in _PADDED

    @property
    def words(self) -> str:
        """The type in words, for messages."""
        return f"{self.kind} ({self.name})" if self.name else self.kind


def _parts(type_name: str) -> tuple[str, str, str]:
    """First word, arguments in parentheses, and time zone of a type name; all empty for composite types."""
    found = _SHAPE.fullmatch(type_name.casefold())
    return (found[1], found[2] or "", found[3] or "") if found else ("", "", "")


def _column_type(type_name: str, word: str, scale: int | None) -> ColumnType:
    """The column type for a type name."""
    kind = _NAMES.get(word, "other")
    return ColumnType(kind, scale if kind == "decimal" else 0, type_name)


def _scale(inside: str) -> int:
    """The scale in the arguments of a type."""
    _, _, after = inside.partition(",")
    return int(after) if re.fullmatch(r" *-?[0-9]+ *", after) else 0
