"""Weighted draws, fast: a lottery whose tickets are printed once and looked up for every record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHUNK = 65_536
"""Records made at once. It is part of what a seed means: changing it changes every generated table."""

_TICKETS = 16_384


class Lottery:
    """One set of weights a cell; a draw looks a uniform number up in the cell's printed tickets.

    >>> Lottery([[1, 3]]).draw(np.array([0.1, 0.3, 0.9])).tolist()
    [0, 1, 1]
    """

    def __init__(self, weights: ArrayLike | Sequence[Sequence[float]]) -> None:
        table = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        shares = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
        middle = (np.arange(_TICKETS) + 0.5) / _TICKETS
        self._tickets = np.stack([np.searchsorted(row, middle) for row in shares]).astype(np.int16)

    def draw(self, uniform: NDArray[np.float64], cell: NDArray[Any] | int = 0) -> NDArray[np.int16]:
        """The value drawn by each uniform number from its cell."""
        ticket = (uniform * _TICKETS).astype(np.int32)
        return np.asarray(self._tickets[cell, ticket])


def falling(count: int, steepness: float = 1.0) -> NDArray[np.float64]:
    """Weights of a few common and many rare values."""
    return np.arange(1, count + 1, dtype=np.float64) ** -steepness


class Maker(Protocol):
    """Makes one chunk of records: its columns by name."""

    def __call__(self, random: np.random.Generator, first: int) -> Mapping[str, Any]:
        """The columns of the records from number `first` on."""


def batches(make: Maker, n: int, seed: int, batch: int) -> Iterator[Any]:
    """Arrow record batches of n records; the records do not depend on how many there are in a batch."""
    import pyarrow as pa

    waiting: list[Any] = []
    held = 0
    for first in range(0, n, CHUNK):
        columns = make(np.random.default_rng([seed, first // CHUNK]), first)
        made = pa.table(dict(columns)).slice(0, min(CHUNK, n - first))
        waiting, held = [*waiting, made], held + made.num_rows
        if held >= batch or first + CHUNK >= n:
            ready = pa.concat_tables(waiting)
            keep = 0 if first + CHUNK >= n else held % batch
            yield from _cut(ready.slice(0, held - keep), batch)
            waiting, held = [ready.slice(held - keep)], keep


def whole(make: Maker, n: int, seed: int) -> Any:
    """All n records as one Arrow table."""
    import pyarrow as pa

    empty = pa.table(dict(make(np.random.default_rng([seed, 0]), 0))).slice(0, 0)
    return pa.Table.from_batches(batches(make, n, seed, CHUNK), schema=empty.schema)


def texts(values: Sequence[str], index: NDArray[Any]) -> Any:
    """A column of texts, given by their position in a list."""
    import pyarrow as pa

    return pa.array(values, pa.string()).take(pa.array(index))


def write_batches(path: str | Path, stream: Iterator[Any]) -> Path:
    """Write batches as they come to Parquet or CSV; the file appears when it is complete."""
    from sfumato.runtime.atomic_files import Staging

    target = Path(path)
    with Staging([target]) as staging:
        _write(staging.place(target), stream)
        staging.commit()
    return target


def _write(path: Path, stream: Iterator[Any]) -> None:
    import pyarrow.csv
    import pyarrow.parquet as pq

    first = next(stream)
    parquet = path.suffix.lower() in (".parquet", ".pq")
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    opened = (
        pq.ParquetWriter(path, first.schema)
        if parquet
        else pyarrow.csv.CSVWriter(path, first.schema, write_options=options)
    )
    with opened as writer:
        writer.write_batch(first)
        for batch in stream:
            writer.write_batch(batch)


def _cut(table: Any, batch: int) -> Iterator[Any]:
    for start in range(0, table.num_rows, batch):
        yield from table.slice(start, batch).combine_chunks().to_batches()
