"""Finds out, while a worker loads a table, whether it is sorted by its key well enough to need no index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

MAX_OVERLAP = 3
"""Most row groups in which a key may have to be looked up."""


class KeyRanges:
    """The smallest and the largest key of every batch of a table.

    DuckDB keeps the same ranges per row group and skips groups that cannot hold a key. Building an index takes longer
    than loading the table, so it is built only for keys in no order, and for texts, of which DuckDB keeps only the
    first letters.

    >>> ranges = KeyRanges("id")
    >>> for start in (0, 10, 20): ranges.observe(pa.record_batch({"id": list(range(start, start + 10))}))
    >>> ranges.is_sorted
    True
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._ranges: list[tuple[Any, Any]] | None = []

    def observe(self, batch: pa.RecordBatch) -> None:
        """Add a batch."""
        if self._ranges is None or not batch.num_rows:
            return
        column = batch.column(self._key)
        kind = column.type
        ordered = pa.types.is_integer(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        if not ordered:
            self._ranges = None
            return
        if column.null_count < len(column):
            # numpy is loaded with Arrow; loading Arrow's own functions would take a sixth of the start of a worker.
            # Missing keys arrive as NaN or NaT, which these two pass over.
            numbers = column.to_numpy(zero_copy_only=False)
            self._ranges.append((np.fmin.reduce(numbers), np.fmax.reduce(numbers)))

    def observe_all(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pass batches on, adding each."""
        for batch in batches:
            self.observe(batch)
            yield batch

    @property
    def is_sorted(self) -> bool:
        """Whether no key lies within more than `MAX_OVERLAP` ranges.

        A sweep over the sorted ends of all ranges counts how many are open.
        """
        if self._ranges is None:
            return False
        # At equal keys, a begin (0) sorts before an end (1): ranges that share a key overlap.
        begins = [(low, 0, 1) for low, _ in self._ranges]
        ends = [(high, 1, -1) for _, high in self._ranges]
        return max(accumulate(step for *_, step in sorted(begins + ends)), default=0) <= MAX_OVERLAP
