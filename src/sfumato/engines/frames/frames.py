"""Conversion of frames: any frame with Arrow support to pyarrow, and back to the caller's kind of frame."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import narwhals as nw
import pyarrow as pa

from sfumato.engines.formats.column_names import check_names
from sfumato.errors import DataError, UsageError
from sfumato.kernels.arrays import Flags

_THREADS = 2


def to_arrow(frame: Any) -> pa.Table:
    """A pyarrow table of a frame's columns, without its index."""
    if isinstance(frame, pa.Table):
        table = frame
    elif nw.dependencies.is_pandas_dataframe(frame):
        check_names([str(name) for name in frame.columns], "the frame")
        table = _from_pandas(frame)
    elif nw.dependencies.is_into_series(frame):
        raise UsageError(
            f"a {type(frame).__name__} is one column; give a frame of all columns: frame[['name']] or .to_frame()."
        )
    elif hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
    else:
        raise UsageError(
            f"a {type(frame).__name__} is no frame; give a pandas, polars or pyarrow one, "
            "or anything with __arrow_c_stream__."
        )
    check_names([str(name) for name in table.column_names], "the frame")
    return table


def _from_pandas(frame: Any) -> pa.Table:
    periods = [name for name, kind in zip(frame.columns, frame.dtypes, strict=True) if str(kind).startswith("period[")]
    if periods:  # Arrow would count them from 1970 on
        raise DataError(
            f"column {str(periods[0])!r} holds periods; convert it to dates by .dt.to_timestamp(), or to texts by "
            ".astype(str)."
        )
    with suppress(pa.ArrowException, TypeError, ValueError):  # as a context, they would quote a value
        return pa.Table.from_pandas(frame, preserve_index=False)
    raise DataError("the frame has a column of mixed Python objects; convert it to numbers, dates or text first.")


def like(frame: Any, table: pa.Table, changed: Sequence[str]) -> Any:
    """The frame with the `changed` columns of `table`: same kind, same row order, same index.

    Columns that the table lacks are dropped, and those that the frame lacks are added. Without a frame, the table is
    returned. Columns that are not changed contain nothing of records that had been left out of the frame before. Names
    that are no texts, such as numbers in pandas, are texts in the table, and are returned as they were.
    """
    if nw.dependencies.is_pandas_dataframe(frame) and not all(isinstance(name, str) for name in frame.columns):
        own = {str(name): name for name in frame.columns}
        found = like(frame.set_axis(list(own), axis=1), table, changed)
        return found.set_axis([own.get(name, name) for name in found.columns], axis=1)
    with ThreadPoolExecutor(_THREADS) as pool:  # Arrow decodes texts without the interpreter lock
        plain = pa.table(list(pool.map(_plain, table.columns)), names=table.column_names)
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return plain
    native = nw.from_native(frame, eager_only=True)
    # Only changed columns pass through Arrow; the others are taken from
    # the caller's frame, so that types that Arrow does not have survive.
    made = nw.from_arrow(plain.select(list(changed)), backend=native.implementation)
    if nw.dependencies.is_pandas_dataframe(frame):
        made = nw.from_native(made.to_native().set_axis(frame.index))
    kept = native.select(*(name for name in table.column_names if name in native.columns))
    found = kept.with_columns(*(made[name] for name in changed)).to_native()
    return _with_own_values(found, [name for name in found.columns if name not in changed])


def has_own_index(frame: Any) -> bool:
    """Whether a pandas frame has an index that does more than to number its records in their present order.

    Such an index may have names or numbers of persons, or, in a frame that was shuffled or filtered, the former places
    of the records.
    """
    if not nw.dependencies.is_pandas_dataframe(frame):
        return False
    index, pandas = frame.index, nw.dependencies.get_pandas()
    if index.nlevels > 1 or index.name is not None:
        return True
    return not (isinstance(index, pandas.RangeIndex) or index.equals(pandas.RangeIndex(len(index))))


def rows_of(frame: Any, kept: Flags) -> Any:
    """The given rows of a frame; its values below them may still be in memory (`like` copies what it takes over)."""
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return frame
    return nw.from_native(frame, eager_only=True).filter(kept.tolist()).to_native()


def made_like(frame: Any, table: pa.Table) -> Any:
    """The table as the same kind of frame, with a new index."""
    plain = pa.table([_plain(column) for column in table.columns], names=table.column_names)
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return plain
    return nw.from_arrow(plain, backend=nw.from_native(frame, eager_only=True).implementation).to_native()


def nested_categories(frame: Any) -> list[str]:
    """The columns with categories that `without_unused_categories` leaves as they are.

    These are categories inside lists and structs, and dictionary columns of Arrow in a pandas frame.
    """
    if frame is None or isinstance(frame, pa.Table) or not nw.dependencies.is_into_dataframe(frame):
        return []
    plain = _categorical(frame)
    types = to_arrow(frame.head(0)).schema
    return [field.name for field in types if field.name not in plain and _has_dictionary(field.type)]


def without_unused_categories(frame: Any) -> Any:
    """The frame without categories that no record has, in its columns and in its index; the others keep their order."""
    made = with_used_categories(frame, _categorical(frame))
    return made.set_axis(_used_in_index(made.index)) if nw.dependencies.is_pandas_dataframe(made) else made


def with_used_categories(frame: Any, columns: Sequence[str]) -> Any:
    """The frame without categories that no record has in these columns; others than categorical ones do not change."""
    names = [name for name in _categorical(frame) if name in columns]
    if nw.dependencies.is_polars_dataframe(frame):
        return frame.with_columns(_used_in_polars(frame[name]) for name in names)
    used = {name: frame[name].cat.remove_unused_categories().dtype for name in names}
    return frame.astype(used) if used else frame


def _categorical(frame: Any) -> list[str]:
    """The columns of a polars frame that are `Enum` or `Categorical`, and of a pandas frame that are `category`."""
    if nw.dependencies.is_polars_dataframe(frame):
        return [name for name, kind in nw.from_native(frame).schema.items() if kind in (nw.Enum, nw.Categorical)]
    pandas_like = nw.dependencies.is_pandas_like_dataframe(frame)
    return list(frame.select_dtypes("category").columns) if pandas_like else []


def own_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same column in memory that holds nothing else; a slice shares the memory of the whole column."""
    for view, copied in ((pa.string_view(), pa.large_string()), (pa.binary_view(), pa.large_binary())):
        if column.type == view:
            return column.cast(copied).cast(view)
    return pa.chunked_array([pa.concat_arrays([chunk]) for chunk in column.chunks], column.type)


def _with_own_values(frame: Any, names: Sequence[str]) -> Any:
    """The frame with an index and columns that hold values of its records only.

    Filtering and slicing may leave the values of other records in memory, from where they get into pickles and Arrow
    files: polars keeps texts and lists, Arrow (in pandas) everything.
    """
    if nw.dependencies.is_polars_dataframe(frame):
        schema = nw.from_native(frame).schema
        viewing = [name for name in names if schema[name] in (nw.String, nw.Binary) or schema[name].is_nested()]
        return frame.with_columns(_copied_in_polars(frame[name]) for name in viewing)
    if nw.dependencies.is_pandas_dataframe(frame):
        copies = {name: _copied_in_pandas(frame[name].array) for name in names if _is_arrow(frame[name])}
        return frame.assign(**copies).set_axis(_own_index(frame.index))
    return frame


def _copied_in_polars(column: Any) -> Any:
    import polars

    values = column.to_arrow(compat_level=polars.CompatLevel.oldest())  # this copies texts
    copied = polars.Series(column.name, pa.concat_arrays([values]))  # and this copies lists
    return copied if copied.dtype == column.dtype else copied.cast(column.dtype)


def _copied_in_pandas(values: Any) -> Any:
    return values.dtype.__from_arrow__(own_values(values.__arrow_array__()))


def _own_index(index: Any) -> Any:
    if index.nlevels > 1:
        return index.remove_unused_levels()
    return type(index)(_copied_in_pandas(index.array), name=index.name) if _is_arrow(index) else index


def _is_arrow(values: Any) -> bool:
    """Whether a column or index of pandas is stored in Arrow."""
    return isinstance(values.array, nw.dependencies.get_pandas().arrays.ArrowExtensionArray)


def _used_in_polars(column: Any) -> Any:
    import polars

    texts, kind = column.cast(polars.String), column.dtype
    if isinstance(kind, polars.Enum):
        # The categories of an Enum are listed in its type, so that
        # unused ones would disclose values of records that are gone.
        used = set(texts.unique())
        kind = polars.Enum([text for text in kind.categories if text in used])
    return texts.cast(kind)


def _used_in_index(index: Any) -> Any:
    if index.nlevels > 1:
        unnamed = index.set_names([None] * index.nlevels)
        levels = [_used_in_index(unnamed.get_level_values(place)) for place in range(index.nlevels)]
        return type(index).from_arrays(levels, names=index.names)
    return index.remove_unused_categories() if hasattr(index, "remove_unused_categories") else index


def _has_dictionary(kind: pa.DataType) -> bool:
    inner = (kind.field(place).type for place in range(kind.num_fields))
    return bool(pa.types.is_dictionary(kind)) or any(map(_has_dictionary, inner))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column as plain texts; a single text is repeated, which is faster."""
    if not pa.types.is_dictionary(column.type):
        return column
    if column.null_count or any(len(chunk.dictionary) != 1 for chunk in column.chunks):
        return column.cast(pa.string())
    repeated = [pa.repeat(chunk.dictionary[0], len(chunk)) for chunk in column.chunks]
    return pa.chunked_array(repeated, pa.string())
