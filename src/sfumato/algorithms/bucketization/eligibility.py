"""Eligibility: how many buckets of l distinct values a table allows, and which condition prevents more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table


def most_buckets(counts: NDArray[np.int64], l: int) -> int:
    """The largest number of buckets with l distinct values each, given how many records each value has.

    A value fills at most one place of a bucket. So g buckets need l * g records, counting at most g records of each
    value. If no value has more than 1 in l of the records, all records find a place, and fewer than l join as an
    additional member.

    >>> most_buckets(np.array([3, 4, 1, 2]), 2), most_buckets(np.array([9, 1, 1]), 2)
    (5, 2)
    """
    # If g buckets are possible, so are g - 1, because one bucket
    # can be dissolved; so the largest g is found by bisection.
    low, high = 0, int(counts.sum()) // l
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() >= l * middle else (low, middle - 1)
    return low


def why_not(table: Table, sensitive: str, l: int) -> str:
    """Why some records find no bucket of l distinct values, without naming a value; empty if all records find one."""
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
