"""Adult blown up to any size, and a file whose combinations hardly repeat; seeded, streamed, the same bytes every time.

Every record is a complete Adult record drawn with replacement. Each of its cells is replaced with probability 0.10 by a
draw from its column; an age moves by up to three years instead.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.files import QUASI, adult_file

SEED = 20260101
NOISE = 0.10
CHUNK = 1_000_000
AGES = (17, 90)
VALUES = (30, 36, 42, 50, 58, 66, 78, 90)
CROWD = 200_000
REPEATED = 0.2

Column = Any
"""Whole numbers as an array, anything else as an Arrow dictionary column."""


def write_table(path: str, records: int) -> None:
    """All columns as Parquet."""
    _write_parquet(Path(path), adult_batches(records))


def write_text(path: str, records: int) -> None:
    """All columns as CSV."""
    batches = adult_batches(records)
    first = next(batches)
    temporary = Path(path).with_suffix(".part")
    options = pc.WriteOptions(quoting_style="needed")
    with pc.CSVWriter(temporary, _plain(first).schema, write_options=options) as writer:
        writer.write_batch(_plain(first))
        for batch in batches:
            writer.write_batch(_plain(batch))
    temporary.replace(path)


def write_quasi(path: str, records: int) -> None:
    """The eight quasi columns as Parquet."""
    _write_parquet(Path(path), adult_batches(records, QUASI))


def write_scattered(path: str, records: int) -> None:
    """Eight columns whose combinations hardly repeat, as Parquet."""
    _write_parquet(Path(path), scattered_batches(records))


def adult_batches(records: int, columns: Sequence[str] = (), chunk: int = CHUNK) -> Iterator[pa.RecordBatch]:
    """Adult resampled and disturbed, a chunk at a time; all columns unless some are named."""
    random, source = np.random.default_rng(SEED), _adult()
    chosen = {name: source[name] for name in columns or source}
    for size in _chunks(records, chunk):
        drawn = random.integers(0, len(source["age"]), size)
        yield pa.record_batch({name: _disturbed(name, column, drawn, random) for name, column in chosen.items()})


def scattered_batches(records: int, chunk: int = CHUNK) -> Iterator[pa.RecordBatch]:
    """One record in five is one of a crowd's, the others are drawn cell by cell: 80 % of the records stand alone."""
    random = np.random.default_rng(SEED)
    crowd = [random.integers(0, values, CROWD, dtype=np.int32) for values in VALUES]
    dictionaries = [pa.array([f"value {place:02d}" for place in range(values)]) for values in VALUES]
    for size in _chunks(records, chunk):
        member, repeats = random.integers(0, CROWD, size), random.random(size) < REPEATED
        columns = {}
        for place, values in enumerate(VALUES):
            alone = random.integers(0, values, size, dtype=np.int32)
            codes = np.where(repeats, crowd[place][member], alone)
            columns[f"column {place}"] = pa.DictionaryArray.from_arrays(pa.array(codes), dictionaries[place])
        yield pa.record_batch(columns)


def _adult() -> dict[str, Column]:
    """The columns of Adult: whole numbers as numbers, all others as dictionary codes."""
    with adult_file("all").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    return {name: _typed(values) for name, values in columns.items()}


def _typed(values: Sequence[str]) -> Column:
    if all(value.isdigit() for value in values):
        return np.array(values, dtype=np.int64)
    return pa.array(values).dictionary_encode()


def _disturbed(name: str, column: Column, drawn: NDArray[np.int64], random: np.random.Generator) -> pa.Array:
    """The drawn records' cells of one column, a tenth of them disturbed."""
    coded = isinstance(column, pa.DictionaryArray)
    values = column.indices.to_numpy() if coded else column
    hit = random.random(len(drawn)) < NOISE
    if name == "age":
        moved = np.clip(values[drawn] + random.integers(-3, 4, len(drawn)), *AGES)
    else:
        moved = values[random.integers(0, len(values), len(drawn))]
    cells = pa.array(np.where(hit, moved, values[drawn]))
    return pa.DictionaryArray.from_arrays(cells, column.dictionary) if coded else cells


def _chunks(records: int, chunk: int) -> Iterator[int]:
    for start in range(0, records, chunk):
        yield min(chunk, records - start)


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Without dictionaries, which the CSV writer does not take."""
    columns = [
        column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column for column in batch.columns
    ]
    return pa.record_batch(columns, names=batch.schema.names)


def _write_parquet(path: Path, batches: Iterable[pa.RecordBatch]) -> None:
    """One row group a chunk; the file appears when it is complete."""
    temporary, writer = path.with_suffix(".part"), None
    for batch in batches:
        writer = writer or pq.ParquetWriter(temporary, batch.schema)
        writer.write_batch(batch, row_group_size=CHUNK)
    if writer is not None:
        writer.close()
    temporary.replace(path)
