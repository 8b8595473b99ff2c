"""The entropy of a class in bits, and the information gained about it by splitting records into parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

_NOTHING = 1e-12
"""A gain of fewer bits comes from rounding logarithms."""


def entropy(counts: Counts) -> NDArray[np.float64]:
    """The entropy of each row of class counts (classes along the last axis); 0 where a row is empty.

    >>> entropy(np.array([[2, 2], [4, 0], [0, 0]])).tolist()
    [1.0, 0.0, 0.0]
    """
    total = counts.sum(axis=-1)
    logs = np.log2(counts, where=counts > 0, out=np.zeros(counts.shape))
    whole = np.log2(total, where=total > 0, out=np.zeros(total.shape))
    spread: NDArray[np.float64] = whole - (counts * logs).sum(axis=-1) / np.maximum(total, 1)
    return spread.clip(min=0.0)


def gains(parts: Counts) -> NDArray[np.float64]:
    """By how many bits the uncertainty about the class of a record falls when its part is known.

    `parts` has one row of class counts for every part, along the last two axes; the axes before them number the splits.

    >>> gains(np.array([[[5, 1], [0, 5]], [[2, 3], [3, 3]]])).round(4).tolist()
    [0.6395, 0.0072]
    """
    whole = parts.sum(axis=-2)
    records = np.maximum(whole.sum(axis=-1), 1)
    inside = (parts.sum(axis=-1) * entropy(parts)).sum(axis=-1) / records
    found: NDArray[np.float64] = entropy(whole) - inside
    return np.where(found < _NOTHING, 0.0, found)


def gain(parts: Counts) -> float:
    """The gain of one split.

    >>> round(gain(np.array([[5, 1], [0, 5]])), 4)
    0.6395
    """
    return float(gains(parts))
