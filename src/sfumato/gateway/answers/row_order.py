"""The row order of an answer without ORDER BY: by its values, whatever order the rows are stored in.

The storage order may be the order of a hidden column, so it must not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = Context(prec=80)
"""Enough digits for every decimal of Arrow."""

if TYPE_CHECKING:
    import pyarrow as pa


def sorted_by_values(rows: pa.Table) -> pa.Table:
    """The rows sorted by their columns from left to right; NULL comes last, texts sort by code point.

    The order of rows that differ is unique. Values that Arrow cannot sort are sorted by their texts.

    >>> import pyarrow as pa
    >>> sorted_by_values(pa.table({"a": ["é", "z", None], "b": [1, 2, 3]})).column("a").to_pylist()
    ['z', 'é', None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if rows.num_rows < 2:
        return rows
    keys = [_sortable(column) for column in rows.columns]
    if _are_sorted(keys):
        return rows
    named = pa.table(keys, names=[str(place) for place in range(len(keys))])
    return rows.take(pc.sort_indices(named, sort_keys=[(name, "ascending") for name in named.column_names]))


def normalize_numbers(rows: pa.Table, *, unscaled: Sequence[int] = ()) -> pa.Table:
    """The same values, with equal numbers written equally: zeros without a sign, decimals without trailing zeros.

    Of equal numbers an engine returns the one that is stored first, so their notation would show the storage order.
    `unscaled` are the positions of columns with decimals of varying scale.

    >>> import pyarrow as pa
    >>> normalize_numbers(pa.table({"a": [-0.0, 1.5]})).column("a").to_pylist()
    [0.0, 1.5]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, kind in enumerate(rows.schema.types):
        if pa.types.is_floating(kind):
            normalized = pc.add(rows.column(place), pa.scalar(0.0, kind))
        elif place in unscaled and pa.types.is_decimal(kind):
            normalized = _without_trailing_zeros(rows.column(place))
        else:
            continue
        rows = rows.set_column(place, rows.field(place).name, normalized)
    return rows


def _without_trailing_zeros(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimals with as many places as one of them needs."""
    import pyarrow as pa

    values = (value for value in column.to_pylist() if value is not None)
    needed = max((max(0, -int(value.normalize(_DIGITS).as_tuple().exponent)) for value in values), default=0)
    try:
        return column.cast(pa.decimal128(38, needed))
    except pa.ArrowInvalid:
        return column.cast(pa.decimal256(76, needed))


def _sortable(column: pa.ChunkedArray) -> pa.Array:
    """The same values, or others in the same order, of a type that Arrow can sort."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_floating(kind):
        return _as_ordered_integers(column)
    found = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    if not _has_order(found.type):
        texts = [None if value is None else str(value) for value in found.to_pylist()]
        return pa.array(texts, pa.string())
    return found.combine_chunks()


def _has_order(kind: pa.DataType) -> bool:
    """Whether Arrow can sort values of this type."""
    import pyarrow as pa

    types = pa.types
    return any(
        is_one(kind)
        for is_one in (
            types.is_boolean, types.is_integer, types.is_decimal, types.is_date, types.is_time, types.is_timestamp,
            types.is_string, types.is_large_string, types.is_binary, types.is_large_binary,
        )
    )  # fmt: skip


def _as_ordered_integers(column: pa.ChunkedArray) -> pa.Array:
    """Floating numbers as integers in the same order; -0 comes before 0, and NaN last.

    The bits of a positive float are ordered like an integer; for a negative one all bits but the sign are inverted.
    """
    import pyarrow as pa

    missing = column.is_null().to_numpy()
    bits = column.cast(pa.float64()).fill_null(0.0).to_numpy().copy()
    unknown = np.isnan(bits)
    whole = bits.view(np.int64)
    whole ^= (whole >> 63) & np.int64(np.iinfo(np.int64).max)
    whole[unknown] = np.iinfo(np.int64).max
    return pa.array(whole, mask=missing)


def _are_sorted(keys: Sequence[pa.Array]) -> bool:
    """Whether the rows are in order already; only rows that tie in the columns so far are compared further."""
    pairs: NDArray[np.int64] | None = None
    for key in keys:
        before, after = (key[:-1], key[1:]) if pairs is None else (key.take(pairs), key.take(pairs + 1))
        equal = _equal_pairs(before, after)
        if equal is None:
            return False
        pairs = np.flatnonzero(equal) if pairs is None else pairs[equal]
        if not len(pairs):
            return True
    return True


def _equal_pairs(before: pa.Array, after: pa.Array) -> Any:
    """Which neighbouring pairs are equal; None if some pair is out of order."""
    import pyarrow.compute as pc

    if pc.any(pc.greater(before, after)).as_py():
        return None
    same = pc.equal(before, after).fill_null(False).to_numpy(zero_copy_only=False)
    if before.null_count or after.null_count:
        first, second = (one.is_null().to_numpy(zero_copy_only=False) for one in (before, after))
        if (first & ~second).any():
            return None
        same = same | (first & second)
    return same
