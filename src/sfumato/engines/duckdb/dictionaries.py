"""Dictionary-encoded columns of a frame in memory: the distinct texts of a column, and an index for every record.

`DuckdbEngine` uses them for frames in which nearly all records are different: counting combinations would then merge
few records, and taking each record as a row is faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.engines.base import Counted, Encoding, RecordBatch
from sfumato.runtime.representations import sizes_only

_BATCH = 1 << 20
_SAMPLE = 20_000
_ENOUGH = 200_000
"""Least number of records for which this is faster."""
_MOSTLY = 0.7
"""Least share of different records in a sample for which records are not counted."""
_THREADS = 2


class DictionaryColumn(NamedTuple):
    """The distinct texts of a column (None: missing), and the index of every record's text."""

    texts: Sequence[str | None]
    places: NDArray[np.int32]

    def __repr__(self) -> str:
        return sizes_only(self)


class Dictionaries:
    """The columns of an Arrow table, encoded on first use."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._known: dict[str, DictionaryColumn] = {}

    def suit(self, columns: Sequence[str]) -> bool:
        """Whether all columns are texts or whole numbers, whose written forms are unique."""
        return all(_plain(self._table.schema.field(name).type) for name in columns)

    def mostly_different(self, columns: Sequence[str]) -> bool:
        """Whether nearly all records are different, estimated by a sample from the whole table."""
        rows = self._table.num_rows
        if rows < _ENOUGH or not self.suit(columns):
            return False
        # From the whole table, because the first rows of a sorted table are more alike than the others.
        spread = pa.array(np.linspace(0, rows - 1, _SAMPLE).astype(np.int64))
        sample = [_encoded(self._table.column(name).take(spread)) for name in columns]
        packing, _ = Packing.of([one.places for one in sample], [len(one.texts) for one in sample])
        return len(packing) > _MOSTLY * _SAMPLE

    def counted(self, columns: Sequence[str]) -> Counted:
        """Every record as a row of its own."""
        found = self._columns(columns)
        raw = {name: column.texts for name, column in found.items()}
        places = {name: column.places for name, column in found.items()}
        return Counted(raw, places, np.ones(self._table.num_rows, dtype=np.int64), uncounted=True)

    def knows(self, columns: Sequence[str]) -> bool:
        """Whether the columns are already encoded."""
        return all(name in self._known for name in columns)

    def rows(self, coded: Mapping[str, Encoding], plain: Sequence[str]) -> Iterator[RecordBatch]:
        """Every record in row order, in batches."""
        from sfumato.kernels.gather import gather

        codes = {name: _translated(self._known[name].texts, given) for name, given in coded.items()}
        for first in range(0, self._table.num_rows, _BATCH):
            batch = self._table.slice(first, _BATCH)
            places = {name: self._known[name].places[first : first + _BATCH] for name in coded}
            yield RecordBatch(
                {name: gather(codes[name], places[name]) for name in coded},
                {name: batch.column(name).combine_chunks() for name in plain},
            )

    def _columns(self, columns: Sequence[str]) -> dict[str, DictionaryColumn]:
        """The encoded columns; Arrow releases the interpreter lock, so two columns are encoded at a time."""
        wanted = [name for name in columns if name not in self._known]
        with ThreadPoolExecutor(_THREADS) as pool:
            self._known.update(zip(wanted, pool.map(_encoded, map(self._table.column, wanted)), strict=True))
        return {name: self._known[name] for name in columns}


def _plain(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


def _encoded(column: pa.ChunkedArray) -> DictionaryColumn:
    found = pc.dictionary_encode(column, null_encoding="encode").combine_chunks()
    found = found.chunk(0) if isinstance(found, pa.ChunkedArray) else found
    texts = [value if value is None else str(value) for value in found.dictionary.to_pylist()]
    return DictionaryColumn(texts, found.indices.to_numpy().astype(np.int32, copy=False))


def _translated(texts: Sequence[str | None], given: Encoding) -> NDArray[np.int32]:
    """The code of each text by an encoding; -1 for a text that it does not have."""
    # The same object means the encoding was made from these texts, so no look-up is needed.
    if texts is given.raw:
        return given.codes
    code = dict(zip(given.raw, given.codes.tolist(), strict=True))
    return np.array([code.get(text, -1) for text in texts], dtype=np.int32)
