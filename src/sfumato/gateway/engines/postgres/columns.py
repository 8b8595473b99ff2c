"""Columns of an answer: converts the binary format of PostgreSQL to Arrow, type by type; `PostgresEngine` calls it."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from itertools import accumulate
from uuid import UUID

import numpy as np
import psycopg
import pyarrow as pa
from psycopg.pq import Format

from sfumato.errors import StatementError

_MAX_DIGITS = 76
"""The number of digits of Arrow's widest decimal."""

Cells = Sequence[bytes | None]

DAYS, MICROSECONDS = 10_957, 946_684_800_000_000
"""Distance between the epochs: Arrow counts from 1970-01-01, PostgreSQL from 2000-01-01."""

NUMERIC = 1700
_TEXT = pa.string()
_TRUE = b"\x01"
_BYTES_REVERSED = sys.byteorder == "little"
"""Whether numbers arrive in the opposite byte order to the machine's."""

FEW_ROWS = 32
"""Below this number of rows Arrow buffers are built in Python, which is faster than numpy and `pa.array`."""


def column(name: str, kind: int, modifier: int, cells: Cells, *, textual: Collection[int] = ()) -> pa.Array:
    """Convert one column; `kind` is its type number, `modifier` the declared precision and scale of a numeric.

    `textual` are user-defined types that are sent as text, such as enumerations.
    """
    if kind == NUMERIC:
        return _decimals(name, modifier, cells)
    converter = _texts if kind in textual else CONVERTERS.get(kind)
    if converter is None:
        raise StatementError(f"column {name!r} of the answer has a type that is not supported; cast it to text.")
    return converter(name, cells)


def _fixed(code: str, arrow_type: pa.DataType, name: str, cells: Cells) -> pa.Array:
    """A column of fixed-width numbers or booleans."""
    if len(cells) >= FEW_ROWS:
        values, missing = _numbers(code, cells)
        return _array(values, missing, arrow_type)
    if code == "?":
        numbers = _bits([cell == _TRUE for cell in cells])
    elif _BYTES_REVERSED:
        # A missing value occupies its width as zeros; the validity bitmap says that it is missing.
        numbers = b"".join([bytes(arrow_type.byte_width) if cell is None else cell[::-1] for cell in cells])
    else:
        numbers = b"".join([bytes(arrow_type.byte_width) if cell is None else cell for cell in cells])
    return pa.Array.from_buffers(arrow_type, len(cells), [_validity(cells), pa.py_buffer(numbers)])


def _validity(cells: Cells) -> pa.Buffer | None:
    """Arrow's validity bitmap; None if no value is missing."""
    return pa.py_buffer(_bits([cell is not None for cell in cells])) if None in cells else None


def _bits(flags: Sequence[bool]) -> bytes:
    """Flags packed eight to a byte, the first in the lowest bit, as Arrow stores them."""
    return sum(1 << place for place, flag in enumerate(flags) if flag).to_bytes(len(flags) // 8 + 1, "little")


def _numbers(code: str, cells: Cells) -> tuple[np.ndarray, np.ndarray | None]:
    """Big-endian numbers converted to the machine's order, and a mask of the missing ones, if any."""
    layout = np.dtype(code)
    missing = None
    if None in cells:
        missing = np.fromiter((cell is None for cell in cells), dtype=bool, count=len(cells))
        cells = [bytes(layout.itemsize) if cell is None else cell for cell in cells]
    values = np.frombuffer(b"".join(cells), dtype=layout)  # type: ignore[arg-type]
    return values.astype(layout.newbyteorder("=")), missing


def _array(values: np.ndarray, missing: np.ndarray | None, arrow_type: pa.DataType) -> pa.Array:
    """Wrap numbers that already have Arrow's layout; booleans and missing values need a conversion."""
    if missing is not None or arrow_type == pa.bool_():
        # Dates and timestamps have the layout of integers, so the integers are only relabelled.
        return pa.array(values, mask=missing).view(arrow_type)
    return pa.Array.from_buffers(arrow_type, len(values), [None, pa.py_buffer(values)])


def _dates(name: str, cells: Cells) -> pa.Array:
    values, missing = _numbers(">i4", cells)
    _demand_finite(name, values, missing, np.iinfo(np.int32).max - DAYS)
    return _array(values + np.int32(DAYS), missing, pa.date32())


def _timestamps(zone: str | None, name: str, cells: Cells) -> pa.Array:
    values, missing = _numbers(">i8", cells)
    _demand_finite(name, values, missing, np.iinfo(np.int64).max - MICROSECONDS)
    return _array(values + np.int64(MICROSECONDS), missing, pa.timestamp("us", zone))


def _demand_finite(name: str, values: np.ndarray, missing: np.ndarray | None, largest: int) -> None:
    """Refuse infinite dates: the smallest number of the type is minus infinity, the largest infinity.

    Dates close to infinity are refused too, because they overflow when counted from 1970.
    """
    values = values if missing is None else values[~missing]
    if len(values) and (values.max() > largest or values.min() == np.iinfo(values.dtype).min):
        raise StatementError(
            f"column {name!r} of the answer has an infinite date, or one too far off; cast it to text."
        )


def _texts(name: str, cells: Cells) -> pa.Array:
    """Texts arrive as UTF-8, except those of the one-byte type "char", which no server converts."""
    texts = None
    with suppress(pa.ArrowInvalid, UnicodeDecodeError):
        texts = _few_texts(cells) if _are_short(cells) else pa.array(cells, type=_TEXT)
    if texts is None:  # outside the with block, so that the error does not carry the bytes as its context
        raise StatementError(f"column {name!r} of the answer has a text that is not UTF-8; cast it to bytea.")
    return texts


def _are_short(cells: Cells) -> bool:
    """Whether there are few texts and their total length fits into Arrow's 32-bit offsets."""
    return len(cells) < FEW_ROWS and sum(len(cell) for cell in cells if cell is not None) < 2**31


def _few_texts(cells: Cells) -> pa.Array:
    """Build Arrow's layout directly: the offsets of the texts, and all texts in one buffer."""
    texts = [cell or b"" for cell in cells]
    for text in texts:
        text.decode()
    ends = array("i", accumulate(map(len, texts), initial=0))
    return pa.Array.from_buffers(
        _TEXT, len(cells), [_validity(cells), pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    )


def _json(name: str, cells: Cells) -> pa.Array:
    """A jsonb value is text after one byte for the version."""
    return _texts(name, [None if cell is None else cell[1:] for cell in cells])


def _bytes(name: str, cells: Cells) -> pa.Array:
    return pa.array(cells, type=pa.binary())


def _uuids(name: str, cells: Cells) -> pa.Array:
    return pa.array([None if cell is None else str(UUID(bytes=cell)) for cell in cells], type=pa.string())


def _decimals(name: str, modifier: int, cells: Cells) -> pa.Array:
    """With the declared precision and scale, otherwise with as many fraction digits as the values need."""
    load = psycopg.adapters.get_loader(NUMERIC, Format.BINARY)(NUMERIC).load  # type: ignore[misc]
    values: list[Decimal | None] = [None if cell is None else load(cell) for cell in cells]
    if any(value is not None and not value.is_finite() for value in values):
        raise StatementError(f"column {name!r} of the answer has an infinite number, or NaN; cast it to float.")
    # An expression has no modifier (-1); its scale then depends on the
    # values, which `unscaled_decimals` of the compiler compensates for.
    precision, scale = _declared_precision(modifier) if modifier >= 0 else (38, _fraction_digits(values))
    for arrow_type in (pa.decimal128, pa.decimal256) if scale <= _MAX_DIGITS else ():
        try:
            return pa.array(values, type=arrow_type(precision if arrow_type is pa.decimal128 else _MAX_DIGITS, scale))
        except (pa.ArrowInvalid, ValueError):
            continue
    raise StatementError(f"column {name!r} of the answer has numbers of more than 76 digits; cast it to text.")


def _declared_precision(modifier: int) -> tuple[int, int]:
    """Precision and scale of a declared numeric; Arrow has no negative scale, so it gets more digits instead."""
    # A modifier is 4 more than precision and scale, packed into 16 bits each; the scale is a signed number of 11 bits.
    packed = modifier - 4
    precision, scale = packed >> 16 & 0xFFFF, (packed & 0x7FF ^ 1024) - 1024
    return (max(precision, scale), scale) if scale >= 0 else (precision - scale, 0)


def _fraction_digits(values: Sequence[Decimal | None]) -> int:
    """The largest number of fraction digits of the values."""
    return max((-int(value.as_tuple().exponent) for value in values if value is not None), default=0)


CONVERTERS: dict[int, Callable[[str, Cells], pa.Array]] = {
    16: partial(_fixed, "?", pa.bool_()),  # bool
    21: partial(_fixed, ">h", pa.int16()),  # int2
    23: partial(_fixed, ">i", pa.int32()),  # int4
    20: partial(_fixed, ">q", pa.int64()),  # int8
    26: partial(_fixed, ">I", pa.uint32()),  # oid
    700: partial(_fixed, ">f", pa.float32()),  # float4
    701: partial(_fixed, ">d", pa.float64()),  # float8
    1082: _dates,  # date
    1083: partial(_fixed, ">q", pa.time64("us")),  # time
    1114: partial(_timestamps, None),  # timestamp
    1184: partial(_timestamps, "UTC"),  # timestamptz
    17: _bytes,  # bytea
    2950: _uuids,  # uuid
    3802: _json,  # jsonb
    # char, name, text, json, xml, unknown, bpchar, varchar, void
    **dict.fromkeys((18, 19, 25, 114, 142, 705, 1042, 1043, 2278), _texts),
}
"""Converters by the type number (OID) of PostgreSQL; types that are not listed, such as arrays, are refused."""
