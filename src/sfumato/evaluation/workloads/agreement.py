"""How far two clusterings of the same records agree, computed from their contingency table.

`cluster_analysis` is the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import UsageError

Clusters = NDArray[np.integer]
Meetings = NDArray[Any]


def contingency(one: Clusters, other: Clusters, weights: NDArray[Any] | None = None) -> Meetings:
    """The number of records (or the weight) in each pair of a cluster of the first and one of the second clustering.

    Rows and columns are sorted by label; a label that does not occur has no row or column.

    >>> contingency(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 2])).tolist()
    [[2, 1], [0, 2]]
    """
    one, other = np.asarray(one), np.asarray(other)
    heavy = np.ones(len(one), dtype=np.int64) if weights is None else np.asarray(weights)
    _check(one, other, heavy)
    rows, row = np.unique(one, return_inverse=True)
    columns, column = np.unique(other, return_inverse=True)
    met = np.zeros(len(rows) * len(columns), dtype=heavy.dtype)
    np.add.at(met, row.reshape(-1) * len(columns) + column.reshape(-1), heavy)
    return met.reshape(len(rows), len(columns))


def f_scores(met: Meetings) -> NDArray[np.float64]:
    """How well each found cluster (column) matches each natural one (row): the harmonic mean of recall and precision.

    >>> f_scores(np.array([[2, 19], [10, 3]])).round(4).tolist()
    [[0.1212, 0.8837], [0.8, 0.1714]]
    """
    sizes = met.sum(axis=1, keepdims=True) + met.sum(axis=0, keepdims=True)
    scores: NDArray[np.float64] = 2 * met / np.where(sizes > 0, sizes, 1)
    return scores


def f_measure(natural: Clusters, found: Clusters, weights: NDArray[Any] | None = None) -> float:
    """How well the found clusters match the natural ones: 1 if each natural cluster was found unchanged.

    Every natural cluster is compared with the found cluster that matches it best, weighted by its records. Found
    clusters that match none best do not count, so the measure is not symmetric.

    >>> round(f_measure(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 2])), 4)
    0.8

    References: van Rijsbergen (1979); book, equations 7.3 to 7.6.
    """
    met = contingency(natural, found, weights)
    shares = met.sum(axis=1) / met.sum()
    return float(shares @ f_scores(met).max(axis=1))


def match_point(one: Clusters, other: Clusters, weights: NDArray[Any] | None = None) -> float:
    """The share of all pairs of records that are together in both clusterings or separate in both.

    Pairs are ordered, and a record forms a pair with itself. The pairs are not enumerated: the squares of the counts in
    the contingency table and of its margins say how many are together in one, in the other and in both. With weights, a
    row stands for as many records as its weight.

    >>> match_point(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 2]))
    0.68

    References: Fung, Wang, Wang and Hung (2009), "Privacy-preserving data publishing for cluster analysis"; book,
    equation 7.7.
    """
    met = contingency(one, other, weights).astype(np.float64)
    pairs = float(met.sum()) ** 2
    # Pairs that are together in one clustering only: those together in the
    # first plus those in the second, minus twice those together in both.
    differing = (met.sum(axis=1) ** 2).sum() + (met.sum(axis=0) ** 2).sum() - 2 * (met**2).sum()
    return float(min((pairs - differing) / pairs, 1.0))


def _check(one: Clusters, other: Clusters, weights: NDArray[Any]) -> None:
    if not one.ndim == other.ndim == weights.ndim == 1 or not len(one) == len(other) == len(weights):
        raise UsageError(
            f"two clusterings and their weights must be lists of one length; got {one.shape}, {other.shape} and "
            f"{weights.shape}."
        )
    if not len(one):
        raise UsageError("there are no records whose clusters could be compared.")
    if not (weights > 0).all():
        raise UsageError("weights must be above 0; leave out rows that stand for no record.")
