"""Features: the columns of records for a learner, as numbers or coded names, independent of any frame library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import position, written
from sfumato.data.kinds import Kind
from sfumato.errors import SchemaError, UsageError, nearest

UNSEEN = -1
"""The code of a value that a dictionary does not have."""


@dataclass(frozen=True, eq=False)
class Feature:
    """One column: numbers with NaN for missing, or, with `texts`, codes of the texts, of which None is missing."""

    name: str
    values: NDArray[Any] = field(repr=False)
    texts: tuple[str | None, ...] | None = field(default=None, repr=False)

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.texts is None

    def in_dictionary_of(self, other: Feature) -> Feature:
        """The same values, coded by the dictionary of another column."""
        if self.numeric is not other.numeric:
            found, wanted = ("numbers", "names") if self.numeric else ("names", "numbers")
            raise UsageError(
                f"column {self.name!r} holds {found} here but {wanted} in training; name it in 'nominal' for both."
            )
        if self.texts is None or other.texts is None or self.texts == other.texts:
            return self
        place = {text: code for code, text in enumerate(other.texts)}
        # The last entry answers the code -1 of a value that is unseen already.
        codes = np.array([*(place.get(text, UNSEEN) for text in self.texts), UNSEEN], dtype=np.int32)
        return Feature(self.name, codes[self.values], other.texts)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of some records, in order; without columns, only the number of records is known.

    >>> import pyarrow as pa
    >>> features = Features.of_frame(pa.table({"age": [30, 41], "job": ["cook", None]}), ["age", "job"])
    >>> [(column.name, column.values.tolist(), column.texts) for column in features.columns]
    [('age', [30.0, 41.0], None), ('job', [0, 1], ('cook', None))]
    """

    columns: tuple[Feature, ...]
    records: int

    def __post_init__(self) -> None:
        for column in self.columns:
            if len(column.values) != self.records:
                raise UsageError(
                    f"column {column.name!r} has {len(column.values)} values for {self.records} records; "
                    "every column needs one per record."
                )

    def __len__(self) -> int:
        return self.records

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @classmethod
    def of_frame(
        cls, frame: Any, columns: Sequence[str], *, nominal: Iterable[str] = (), missing: Iterable[str] = ()
    ) -> Features:
        """Read columns of any frame.

        A column is numeric if its type is numeric, or if it is text and every value is a number, unless it is named in
        `nominal`. Texts in `missing` count as missing, and a missing name is a value of its own.
        """
        from sfumato.engines.frames.frames import to_arrow

        table, names, markers = to_arrow(frame), set(nominal), set(missing)
        for name in columns:
            if name not in table.column_names:
                raise SchemaError(f"the frame has no column {name!r}; {nearest(name, table.column_names)}")
        read = (_read(name, table.column(name), name in names, markers) for name in columns)
        return cls(tuple(read), table.num_rows)

    def rows(self, index: NDArray[Any]) -> Features:
        """Some of the records, by row number or by mask."""
        columns = tuple(replace(column, values=column.values[index]) for column in self.columns)
        records = int(index.sum()) if index.dtype == np.bool_ else len(index)
        return Features(columns, records)

    def without_records(self) -> Features:
        """The columns and their dictionaries without any record."""
        return self.rows(np.zeros(0, dtype=np.int64))

    def without(self, columns: Iterable[str]) -> Features:
        """All columns except these."""
        gone = set(columns)
        for name in sorted(gone.difference(self.names)):
            raise UsageError(f"there is no column {name!r} to leave out; {nearest(name, self.names)}")
        return Features(tuple(column for column in self.columns if column.name not in gone), self.records)

    def aligned_with(self, other: Features) -> Features:
        """The columns of `other`, in its order and coded by its dictionaries; an unknown name gets the code -1."""
        mine = {column.name: column for column in self.columns}
        for name in other.names:
            if name not in mine:
                raise UsageError(f"there is no column {name!r}, which was used in training; {nearest(name, mine)}")
        return Features(tuple(mine[column.name].in_dictionary_of(column) for column in other.columns), self.records)


def _read(name: str, column: Any, nominal: bool, markers: set[str]) -> Feature:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if number and not nominal:
        return Feature(name, np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64))
    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(UNSEEN).to_numpy().astype(np.int32)
    if number:
        texts = [written(float(value)) for value in encoded.dictionary.to_pylist()]
    else:
        texts = encoded.dictionary.cast(pa.string()).to_pylist()
    return _feature(name, texts, codes, nominal or not _is_text(kind), markers)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _feature(name: str, texts: list[str], codes: NDArray[np.int32], nominal: bool, markers: set[str]) -> Feature:
    """The column with these distinct texts; a column without any value is numeric."""
    known = [text for text in texts if text not in markers]
    if not nominal and all(position(text, Kind.NUMBER) is not None for text in known):
        numbers = [np.nan if text in markers else position(text, Kind.NUMBER) for text in texts]
        return Feature(name, np.array([*numbers, np.nan], dtype=np.float64)[codes])
    # Sorted, so that codes do not depend on the order of the records; the missing value comes last.
    ordered = sorted(set(known))
    place = {text: code for code, text in enumerate(ordered)}
    recode = np.array([*(place.get(text, len(ordered)) for text in texts), len(ordered)], dtype=np.int32)
    found = recode[codes]
    missing = bool((found == len(ordered)).any())
    return Feature(name, found, (*ordered, None) if missing else tuple(ordered))
