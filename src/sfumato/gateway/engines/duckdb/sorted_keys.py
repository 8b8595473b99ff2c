"""Whether a table is sorted well enough by its key that rows are found without an index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MAX_OVERLAP = 3
"""In so many pieces of a table a key may be looked for."""


class KeyRanges:
    """From which key to which every batch of a table reaches.

    The engine keeps the same for every piece of a table, and does not look where a key cannot be. To build an index
    takes longer than to load the table, so it is built for keys that lie everywhere, and for texts, of which the
    engine keeps the first letters alone.

    >>> ranges = KeyRanges("id")
    >>> for start in (0, 10, 20): ranges.observe(pa.record_batch({"id": list(range(start, start + 10))}))
    >>> ranges.is_sorted
    True
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._ranges: list[tuple[Any, Any]] | None = []

    def observe(self, batch: pa.RecordBatch) -> None:
        """One more batch."""
        if self._ranges is None or not batch.num_rows:
            return
        column = batch.column(self._key)
        if not (pa.types.is_integer(column.type) or pa.types.is_temporal(column.type)):
            self._ranges = None
            return
        ends = pc.min_max(column).as_py()
        if ends["min"] is not None:
            self._ranges.append((ends["min"], ends["max"]))

    def observing(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same batches, each noted on its way."""
        for batch in batches:
            self.observe(batch)
            yield batch

    @property
    def is_sorted(self) -> bool:
        """Whether no key lies within more than a few of them."""
        if self._ranges is None:
            return False
        begins = [(low, 0, 1) for low, _ in self._ranges]
        ends = [(high, 1, -1) for _, high in self._ranges]
        return max(accumulate(step for *_, step in sorted(begins + ends)), default=0) <= MAX_OVERLAP
