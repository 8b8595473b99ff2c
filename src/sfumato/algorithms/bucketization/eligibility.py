"""Eligibility: how many buckets of different values there can be, and which value is in the way of more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table


def most_buckets(counts: NDArray[np.int64], l: int) -> int:
    """The most buckets of l different values each that can be filled with values that occur so often.

    Each value serves a bucket once, so g buckets need l * g records of which no value counts more than g times. If no
    value has more than one in l records, all records find a place, and fewer than l are left for an l + 1-st one.

    >>> most_buckets(np.array([3, 4, 1, 2]), 2), most_buckets(np.array([9, 1, 1]), 2)
    (5, 2)
    """
    low, high = 0, int(counts.sum()) // l
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() >= l * middle else (low, middle - 1)
    return low


def why_not(table: Table, sensitive: str, l: int) -> str:
    """Why not every record finds a bucket of l different values, without naming the value; empty if every one does."""
    counts = table.histogram(sensitive)
    records, largest, kinds = table.records, int(counts.max(initial=0)), int(np.count_nonzero(counts))
    if kinds < l:
        return f"Column {sensitive!r} has {kinds} different values, and every bucket needs {l} of them: ask for less."
    if largest * l > records:
        over = records - int(np.minimum(counts, most_buckets(counts, l)).sum())
        return (
            f"The most frequent value of {sensitive!r} has {largest} of {records} records, and l = {l} allows "
            f"{records // l}: allow {over / records:.2%} of the records to be suppressed, or ask for less."
        )
    return ""
