"""Weighted random draws from precomputed lookup tables, and streams of generated records.

The generators `census` and `patients` use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.engines.readable_files import is_parquet

CHUNK = 65_536
"""Number of records generated at once. Generated tables depend on it: changing it changes them for every seed."""

_LOOKUP_SIZE = 16_384


class WeightedDraws:
    """Draws values by weight, with one set of weights per cell; a draw is one lookup in a precomputed table.

    >>> WeightedDraws([[1, 3]]).draw(np.array([0.1, 0.3, 0.9])).tolist()
    [0, 1, 1]
    """

    def __init__(self, weights: ArrayLike | Sequence[Sequence[float]]) -> None:
        table = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        shares = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
        middle = (np.arange(_LOOKUP_SIZE) + 0.5) / _LOOKUP_SIZE
        self._lookup = np.stack([np.searchsorted(row, middle) for row in shares]).astype(np.int16)

    def draw(self, uniform: NDArray[np.float64], cell: NDArray[Any] | int = 0) -> NDArray[np.int16]:
        """The value that each uniform number in [0, 1) selects in its cell."""
        place = (uniform * _LOOKUP_SIZE).astype(np.int32)
        return np.asarray(self._lookup[cell, place])


def zipf_weights(count: int, steepness: float = 1.0) -> NDArray[np.float64]:
    """Zipf weights: few frequent and many rare values."""
    return np.arange(1, count + 1, dtype=np.float64) ** -steepness


class ChunkGenerator(Protocol):
    """A function that generates one chunk of records as columns by name."""

    def __call__(self, random: np.random.Generator, first: int) -> Mapping[str, Any]:
        """The columns of the records from number `first` on."""


def batches(make: ChunkGenerator, n: int, seed: int, batch: int) -> Iterator[Any]:
    """Arrow record batches of n records; the records do not depend on the size of a batch."""
    import pyarrow as pa

    pending: list[Any] = []
    rows = 0
    for first in range(0, n, CHUNK):
        columns = make(np.random.default_rng([seed, first // CHUNK]), first)
        chunk = pa.table(dict(columns)).slice(0, min(CHUNK, n - first))
        pending, rows = [*pending, chunk], rows + chunk.num_rows
        if rows >= batch or first + CHUNK >= n:
            ready = pa.concat_tables(pending)
            keep = 0 if first + CHUNK >= n else rows % batch
            yield from _split(ready.slice(0, rows - keep), batch)
            pending, rows = [ready.slice(rows - keep)], keep


def one_table(make: ChunkGenerator, n: int, seed: int) -> Any:
    """All n records as one Arrow table."""
    import pyarrow as pa

    empty = pa.table(dict(make(np.random.default_rng([seed, 0]), 0))).slice(0, 0)
    return pa.Table.from_batches(batches(make, n, seed, CHUNK), schema=empty.schema)


def texts(values: Sequence[str], index: NDArray[Any]) -> Any:
    """A column of texts, given by their indices in a list."""
    import pyarrow as pa

    return pa.array(values, pa.string()).take(pa.array(index))


def write_batches(path: str | Path, stream: Iterator[Any]) -> Path:
    """Write a stream of batches to Parquet or CSV; the file appears when it is complete."""
    from sfumato.runtime.atomic_files import Staging

    target = Path(path)
    with Staging([target]) as staging:
        _write(staging.place(target), stream)
        staging.commit()
    return target


def _write(path: Path, stream: Iterator[Any]) -> None:
    """Write batches to a file; the suffix decides between Parquet and CSV."""
    import pyarrow.csv
    import pyarrow.parquet as pq

    first = next(stream)
    parquet = is_parquet(path)
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    file = (
        pq.ParquetWriter(path, first.schema)
        if parquet
        else pyarrow.csv.CSVWriter(path, first.schema, write_options=options)
    )
    with file as writer:
        writer.write_batch(first)
        for batch in stream:
            writer.write_batch(batch)


def _split(table: Any, batch: int) -> Iterator[Any]:
    """The rows of a table as record batches of the given size."""
    for start in range(0, table.num_rows, batch):
        yield from table.slice(start, batch).combine_chunks().to_batches()
