"""Files in the making: written under a temporary name, and there only when complete."""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.errors import OutputError, UsageError

SUPPRESSED = "*"


@contextmanager
def in_place(path: Path) -> Iterator[Path]:
    """A temporary name beside the path; renamed to it on success, removed on any failure, so nothing is half-written."""
    refuse_unwritable(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or "the system refused"
        raise OutputError(f"{path.name!r} could not be written: {reason}. What was there before is unchanged.") from None
    finally:
        temporary.unlink(missing_ok=True)


def refuse_unwritable(path: Path) -> None:
    """Say so before any work is done if a path cannot be written."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise OutputError(f"the folder {str(folder)!r} does not exist; make it first.")
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise OutputError(f"{str(path)!r} cannot be written; choose a folder you may write to.")


class Sink(ABC):
    """Takes batches of a fixed schema, in order."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @abstractmethod
    def write(self, batch: pa.RecordBatch, suppressed: NDArray[np.bool_]) -> None:
        """Append the batch; the marked records are suppressed, and their cells null."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


class ParquetSink(Sink):
    """Parquet with dictionary columns."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        super().__init__(path, schema)
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", compression_level=1)

    def write(self, batch: pa.RecordBatch, suppressed: NDArray[np.bool_]) -> None:
        """Append the batch; a suppressed record is a row of nulls."""
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


class CsvSink(Sink):
    """CSV in which a value is quoted only where it must be, missing values are empty and suppressed ones `*`.

    Lines are joined column by column in Arrow, and the labels of a dictionary column are quoted once, not once a row.
    """

    def __init__(self, path: Path, schema: pa.Schema, *, separator: str = ",") -> None:
        super().__init__(path, schema)
        self._separator = separator
        self._file = path.open("wb")
        header = _quoted(pa.array(schema.names, pa.string()), separator).to_pylist()
        self._file.write((separator.join(header) + "\n").encode())

    def write(self, batch: pa.RecordBatch, suppressed: NDArray[np.bool_]) -> None:
        """Append one line a row."""
        columns = [self._texts(column) for column in batch.columns]
        if suppressed.any():
            columns = [pc.if_else(pa.array(suppressed), SUPPRESSED, column) for column in columns]
        columns[-1] = pc.binary_join_element_wise(columns[-1], "\n", "")
        lines = pc.binary_join_element_wise(*columns, self._separator)
        if len(lines):
            self._file.write(lines.buffers()[2])

    def close(self) -> None:
        """Flush to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _texts(self, column: Any) -> Any:
        if pa.types.is_dictionary(column.type):
            labels = _quoted(column.dictionary.cast(pa.string()), self._separator)
            return pc.fill_null(labels.take(column.indices), "")
        return pc.fill_null(_quoted(column.cast(pa.string()), self._separator), "")


def sink_for(path: Path, final: Path, schema: pa.Schema, separator: str) -> Sink:
    """The sink that the final name asks for."""
    suffix = final.suffix.lower()
    if suffix in (".parquet", ".pq"):
        return ParquetSink(path, schema)
    if suffix in (".csv", ".tsv", ".txt"):
        return CsvSink(path, schema, separator="\t" if suffix == ".tsv" else separator)
    raise UsageError(f"{final.name!r} has an ending that is not known; use .csv, .tsv or .parquet.")


def _quoted(texts: Any, separator: str) -> Any:
    """Quote the values that hold a separator, a quote or a line break."""
    pattern = "[\"\\r\\n" + ("\\t" if separator == "\t" else "\\" + separator) + "]|^\\s|\\s$"
    special = pc.match_substring_regex(texts, pattern)
    if not pc.any(special).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), texts)
