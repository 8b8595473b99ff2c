"""Sinks: write batches of published records to a file of text, Parquet, SPSS or Stata, or to a folder of Parquet."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.engines.base import written_separator
from sfumato.engines.formats import survey_files
from sfumato.engines.readable_files import PARQUET, is_parquet
from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.kernels.arrays import Flags
from sfumato.runtime.atomic_files import PART_MARK

_TEXT = (".csv", ".tsv", ".txt")
WRITTEN = (*_TEXT, *PARQUET, *survey_files.WRITTEN)
"""Endings of the files that a release can be written to; a path without an ending is a folder of Parquet files."""
_PART = 1 << 20
"""Records of one file of a folder."""

_IN_PARQUET = "write a .parquet file, "
_LEFT_OUT = "or leave the column out by declaring it an identifier."


class Sink(ABC):
    """A file that is written in batches of a fixed schema."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def write(self, batch: pa.RecordBatch, suppressed: Flags) -> None:
        """Append the batch; the marked records are suppressed, and their cells null."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


class ParquetSink(Sink):
    """Parquet with dictionary columns."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        super().__init__(path, schema)
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", compression_level=1)

    def write(self, batch: pa.RecordBatch, suppressed: Flags) -> None:
        """Append the batch; a suppressed record is a row of nulls."""
        self._writer.write_batch(batch)

    def mark(self) -> None:
        """Mark the file as a part of a folder, so that a later release may replace the folder.

        A file that is a release by itself has no mark. A plan names it with its ending, and replaces it like any file.
        """
        self._writer.add_key_value_metadata({PART_MARK: self.path.name})

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


class FolderSink(Sink):
    """A folder of Parquet files, each with so many records."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        super().__init__(path, schema)
        path.mkdir()
        self._parts, self._records = 0, 0
        self._part = self._next()

    def write(self, batch: pa.RecordBatch, suppressed: Flags) -> None:
        """Append the batch to the present file, or to a new one if that is full."""
        if self._records >= _PART:
            self._part.close()
            self._part = self._next()
        self._part.write(batch, suppressed)
        self._records += batch.num_rows

    def close(self) -> None:
        """Finish the last file."""
        self._part.close()

    def _next(self) -> ParquetSink:
        self._parts, self._records = self._parts + 1, 0
        part = ParquetSink(self.path / f"part-{self._parts:05}.parquet", self.schema)
        part.mark()
        return part


class SurveySink(Sink):
    """A file of SPSS or Stata, which is written when all records are there, with the labels of columns."""

    def __init__(self, path: Path, schema: pa.Schema, labels: Mapping[str, str]) -> None:
        super().__init__(path, schema)
        self._labels = labels
        self._batches: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch, suppressed: Flags) -> None:
        """Keep the batch; a suppressed record is a row of missing values."""
        self._batches.append(batch)

    def close(self) -> None:
        """Write the file."""
        survey_files.write_survey(pa.Table.from_batches(self._batches, self.schema), self.path, self._labels)


class CsvSink(Sink):
    """CSV with quotes only where needed; missing values are empty, and all values of suppressed records are `*`."""

    def __init__(self, path: Path, schema: pa.Schema, *, separator: str = ",") -> None:
        super().__init__(path, schema)
        self._separator = ord(separator)
        self._file = path.open("wb")
        names = pa.record_batch([pa.array([name], pa.string()) for name in schema.names], names=schema.names)
        self.write(names, np.zeros(1, dtype=bool))

    def write(self, batch: pa.RecordBatch, suppressed: Flags) -> None:
        """Append one line for each row."""
        from sfumato.kernels.csv_lines import Texts, csv_lines

        columns = [Texts(*_texts(name, column)) for name, column in zip(batch.schema.names, batch.columns, strict=True)]
        for piece in csv_lines(columns, suppressed, self._separator):
            self._file.write(piece.data)

    def close(self) -> None:
        """Flush to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


def _texts(name: str, column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]:
    """A column as texts (offsets and bytes, an empty text last), and the index of each row's text."""
    if pa.types.is_dictionary(column.type):
        indices = pc.fill_null(column.indices, len(column.dictionary))
        texts, index = column.dictionary, indices.to_numpy().astype(np.int32)
    else:
        texts, index = column, np.arange(len(column), dtype=np.int32)
    # The copy starts at offset 0, so the buffers can be read without
    # regard to slices. The last, empty text is that of missing values.
    texts = pa.concat_arrays([pc.fill_null(_as_texts(name, texts), ""), pa.array([""], pa.string())])
    _, offsets, data = texts.buffers()
    bytes_of = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, dtype=np.uint8)
    return np.frombuffer(offsets, np.int32), bytes_of, index


def _as_texts(name: str, values: pa.Array) -> pa.Array:
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        raise DataError(f"column {name!r} holds bytes that are no text in UTF-8; {_IN_PARQUET}{_LEFT_OUT}") from None


def demand_writable(path: Path, types: Mapping[str, pa.DataType]) -> None:
    """Raise an error for the first column whose values a file cannot hold, such as lists in a text file."""
    if path.suffix.lower() in survey_files.WRITTEN:
        survey_files.demand_names(path, list(types))
    for name, kind in types.items():
        if _fits_parquet(kind) if is_parquet(path) or not path.suffix else _has_text(kind):
            continue
        way_out = _IN_PARQUET if _fits_parquet(kind) else "turn it into numbers or texts first, "
        raise SchemaError(f"column {name!r} holds {kind}, which {path.name!r} cannot hold; {way_out}{_LEFT_OUT}")


def _has_text(kind: pa.DataType) -> bool:
    """Whether values of a type can be written as text; lists, structs and the like cannot.

    >>> _has_text(pa.date32()), _has_text(pa.list_(pa.int64()))
    (True, False)
    """
    try:
        pa.nulls(0, kind).cast(pa.string())
    except pa.ArrowNotImplementedError:
        return False
    return True


def _fits_parquet(kind: pa.DataType) -> bool:
    """Whether a Parquet file can hold values of a type; it can hold no intervals (durations in DuckDB) and unions.

    >>> _fits_parquet(pa.list_(pa.int64())), _fits_parquet(pa.month_day_nano_interval())
    (True, False)
    """
    try:
        pq.ParquetWriter(pa.BufferOutputStream(), pa.schema([("column", kind)])).close()
    except pa.ArrowNotImplementedError:
        return False
    return True


def sink_for(path: Path, schema: pa.Schema, separator: str, labels: Mapping[str, str] | None = None) -> Sink:
    """The sink for the suffix of a file name; raises an error if it cannot hold a column."""
    demand_writable(path, dict(zip(schema.names, schema.types, strict=True)))
    if not path.suffix:
        return FolderSink(path, schema)
    if is_parquet(path):
        return ParquetSink(path, schema)
    if path.suffix.lower() in survey_files.WRITTEN:
        return SurveySink(path, schema, labels or {})
    if path.suffix.lower() in _TEXT:
        return CsvSink(path, schema, separator=written_separator(path, separator))
    raise UsageError(f"{path.name!r} has an ending that cannot be written; use {', '.join(WRITTEN)}.")
