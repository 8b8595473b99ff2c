"""Compiled loops on rows of integers modulo a prime below 2^50, whose products do not fit into a word.

`linear_span` calls them. The idea: for a product a * b modulo p, estimate the quotient a * b / p in floating point.
Both a * b and quotient * p overflow, but their difference is small, so it is exact modulo 2^64. One pass over each row,
no allocation inside the loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Row = NDArray[np.int64]
Rows = NDArray[np.int64]


@compiled
def multiply(row: Row, factor: int, prime: int) -> Row:
    """The row times a factor, modulo the prime. Cost: one pass over the row."""
    out = np.empty_like(row)
    step = factor / prime
    for place in range(len(row)):
        # the estimated quotient is off by at most one, and the overflows of both products cancel out
        rest = factor * row[place] - np.int64(step * row[place]) * prime
        out[place] = rest + prime if rest < 0 else rest - prime if rest >= prime else rest
    return out


@compiled
def subtract(rows: Rows, factors: Row, row: Row, prime: int) -> None:
    """Subtract a multiple of a row from every row in place; `factors` says which multiple.

    Rows with factor 0 are skipped, so the cost is one pass over every row that changes.
    """
    for line in range(len(rows)):
        factor = factors[line]
        if factor == 0:
            continue
        step = factor / prime
        for place in range(len(row)):
            rest = rows[line, place] - factor * row[place] + np.int64(step * row[place]) * prime
            if rest < 0:
                rest += prime
            if rest < 0:
                rest += prime
            rows[line, place] = rest - prime if rest >= prime else rest
