"""Whether a table is sorted well enough by its key that rows are found without an index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MOST_SHARED = 3
"""In so many pieces of a table a key may be looked for."""


class KeySpans:
    """From which key to which every batch of a table reaches.

    The engine keeps the same for every piece of a table, and does not look where a key cannot be. To build an index
    takes longer than to load the table, so it is built for keys that lie everywhere, and for texts, of which the
    engine keeps the first letters alone.

    >>> spans = KeySpans("id")
    >>> for start in (0, 10, 20): spans.note(pa.record_batch({"id": list(range(start, start + 10))}))
    >>> spans.narrow
    True
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._spans: list[tuple[Any, Any]] | None = []

    def note(self, batch: pa.RecordBatch) -> None:
        """One more batch."""
        if self._spans is None or not batch.num_rows:
            return
        column = batch.column(self._key)
        if not (pa.types.is_integer(column.type) or pa.types.is_temporal(column.type)):
            self._spans = None
            return
        ends = pc.min_max(column).as_py()
        if ends["min"] is not None:
            self._spans.append((ends["min"], ends["max"]))

    def noted(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same batches, each noted on its way."""
        for batch in batches:
            self.note(batch)
            yield batch

    @property
    def narrow(self) -> bool:
        """Whether no key lies within more than a few of them."""
        if self._spans is None:
            return False
        begins = [(low, 0, 1) for low, _ in self._spans]
        ends = [(high, 1, -1) for _, high in self._spans]
        return max(accumulate(step for *_, step in sorted(begins + ends)), default=0) <= MOST_SHARED
