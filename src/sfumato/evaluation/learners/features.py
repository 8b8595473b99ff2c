"""What a learner sees of each record: columns of numbers and columns of names, and nothing of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Kind, guess_kind, position, written
from sfumato.errors import SchemaError, UsageError, nearest

UNSEEN = -1
"""The code of a value that a dictionary does not have."""


@dataclass(frozen=True, eq=False)
class Feature:
    """One column: numbers with NaN where missing, or (where it has `texts`) codes of the texts, None for missing."""

    name: str
    values: NDArray[Any]
    texts: tuple[str | None, ...] | None = None

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.texts is None

    def recoded(self, other: Feature) -> Feature:
        """The same values, expressed in the other's dictionary."""
        if self.numeric is not other.numeric:
            found, wanted = ("numbers", "names") if self.numeric else ("names", "numbers")
            raise UsageError(
                f"column {self.name!r} holds {found} here and held {wanted} in training; name it in 'nominal' for both."
            )
        if self.texts is None or other.texts is None or self.texts == other.texts:
            return self
        place = {text: code for code, text in enumerate(other.texts)}
        codes = np.array([*(place.get(text, UNSEEN) for text in self.texts), UNSEEN], dtype=np.int32)
        return Feature(self.name, codes[self.values], other.texts)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of some records, in order. There may be none: then only the number of records is known.

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
                    "every column needs one a record."
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

        A column is numeric if its type is, or if it is text and every value is a number, unless it is named in
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
        """Some of the records: by place, or where a mask says so."""
        columns = tuple(replace(column, values=column.values[index]) for column in self.columns)
        records = int(index.sum()) if index.dtype == np.bool_ else len(index)
        return Features(columns, records)

    def emptied(self) -> Features:
        """No record at all: only which columns there are, and their dictionaries."""
        return self.rows(np.zeros(0, dtype=np.int64))

    def without(self, columns: Iterable[str]) -> Features:
        """All columns but these."""
        gone = set(columns)
        for name in sorted(gone.difference(self.names)):
            raise UsageError(f"there is no column {name!r} to leave out; {nearest(name, self.names)}")
        return Features(tuple(column for column in self.columns if column.name not in gone), self.records)

    def aligned_with(self, other: Features) -> Features:
        """The columns of `other` in its order and dictionaries; a name it has not seen gets the code -1."""
        mine = {column.name: column for column in self.columns}
        for name in other.names:
            if name not in mine:
                raise UsageError(f"there is no column {name!r}, which was there in training; {nearest(name, mine)}")
        return Features(tuple(mine[column.name].recoded(column) for column in other.columns), self.records)


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
    """The column of these distinct texts; a column without a single value is a numeric one."""
    known = [text for text in texts if text not in markers]
    if not nominal and (not known or guess_kind(known) is Kind.NUMBER):
        numbers = [np.nan if text in markers else position(text, Kind.NUMBER) for text in texts]
        return Feature(name, np.array([*numbers, np.nan], dtype=np.float64)[codes])
    ordered = sorted(set(known))
    place = {text: code for code, text in enumerate(ordered)}
    recode = np.array([*(place.get(text, len(ordered)) for text in texts), len(ordered)], dtype=np.int32)
    found = recode[codes]
    missing = bool((found == len(ordered)).any())
    return Feature(name, found, (*ordered, None) if missing else tuple(ordered))
