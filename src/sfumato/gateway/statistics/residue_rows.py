"""Rows of whole numbers modulo a prime below 2^50, with products that do not fit into a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Row = NDArray[np.int64]
Rows = NDArray[np.int64]


@compiled
def multiply(row: Row, factor: int, prime: int) -> Row:
    """The row times a factor."""
    out = np.empty_like(row)
    step = factor / prime
    for place in range(len(row)):
        # the quotient is off by one at most, and what runs over the word cancels out
        rest = factor * row[place] - np.int64(step * row[place]) * prime
        out[place] = rest + prime if rest < 0 else rest - prime if rest >= prime else rest
    return out


@compiled
def subtract(rows: Rows, factors: Row, row: Row, prime: int) -> None:
    """Take a row away from every row as often as its factor says."""
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
