"""Entropy of class counts in bits, and the information gain of splitting records into parts.

`class_entropy` uses it, and algorithms that choose splits by information gain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

_ROUNDING = 1e-12
"""A smaller gain comes from rounding logarithms and counts as 0."""


def entropy(counts: Counts) -> NDArray[np.float64]:
    """The entropy of each row of class counts (classes along the last axis); 0 for an empty row.

    >>> entropy(np.array([[2, 2], [4, 0], [0, 0]])).tolist()
    [1.0, 0.0, 0.0]
    """
    total = counts.sum(axis=-1)
    logs = np.log2(counts, where=counts > 0, out=np.zeros(counts.shape))
    whole = np.log2(total, where=total > 0, out=np.zeros(total.shape))
    spread: NDArray[np.float64] = whole - (counts * logs).sum(axis=-1) / np.maximum(total, 1)
    return spread.clip(min=0.0)


def gains(parts: Counts) -> NDArray[np.float64]:
    """The information gain of each split: by how many bits knowing the part of a record reduces the class entropy.

    `parts` has one row of class counts for every part, along the last two axes; the axes before them number the splits.

    >>> gains(np.array([[[5, 1], [0, 5]], [[2, 3], [3, 3]]])).round(4).tolist()
    [0.6395, 0.0072]
    """
    whole = parts.sum(axis=-2)
    records = np.maximum(whole.sum(axis=-1), 1)
    inside = (parts.sum(axis=-1) * entropy(parts)).sum(axis=-1) / records
    found: NDArray[np.float64] = entropy(whole) - inside
    return np.where(found < _ROUNDING, 0.0, found)


def gain(parts: Counts) -> float:
    """The gain of one split.

    >>> round(gain(np.array([[5, 1], [0, 5]])), 4)
    0.6395
    """
    return float(gains(parts))
