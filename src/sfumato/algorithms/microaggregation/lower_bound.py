"""How small the squared errors (SSE) of groups of at least k points could be at best: a bound that no partition beats.

The SSE of a group of m points are the squared distances d² of all its pairs, summed and divided by m.

*Nearest neighbours.* Share out the SSE of a partition: a point in a group of m bears half of the d² to its fellows,
divided by m. Its fellows are at least as far as its m - 1 nearest neighbours, and the d² to the m - 1 nearest, summed
and divided by m, do not fall as m grows: the m-th is at least as far as those before it, so that m times its d² is no
less than their sum. With m >= k each point bears at least the d² to its k - 1 nearest, summed and divided by 2k.

*Linear programme.* Give every pair a number x between 0 and 1 so that the pairs of each point add up to k - 1 or more,
and the sum of x d² / k is least. A partition is one such choice: x = k / m for pairs inside a group of m, else 0. It is
at most 1 as m >= k, a point's m - 1 pairs add up to (m - 1) k / m >= k - 1, and its cost is the SSE exactly. (That some
best partition has groups of at most 2k - 1, because parts of larger ones lose no more than the whole, is not even
needed.) So the least cost over all x is a bound, and it is never below that of the nearest neighbours, which lets both
ends of a pair choose for themselves.

*Safety.* A bound is not read off the solver's x, but from prices: for any y >= 0, one price a point,

    (k - 1) * sum of y_i  -  sum over all pairs of max(0, y_i + y_j - d²_ij / k)

is at most the least cost. For every x allowed, the sum of x d² / k is no less than the sum of x (y_i + y_j) less that
of x max(0, y_i + y_j - d² / k). The former counts every y_i as often as the pairs of i add up to, at least k - 1 times;
in the latter x <= 1. The solver is shown near pairs only, and stops at some tolerance; either makes the prices worse,
never the bound wrong, since it is computed from them over all pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

MOST_RECORDS, MOST_PAIRS = 10_000, 250_000
"""Up to so many records and pairs shown to it the linear programme is solved; it takes seconds."""

SHOWN = 4
"""How many times k near records the solver is shown of each; more would hardly change the prices."""

BLOCK = 512
SLACK = 1e-9
"""The share by which a bound is lowered, more than all rounding could have added."""


def lower_bound(points: Points, k: int) -> float:
    """A number that the SSE of no partition into groups of at least k points are below.

    >>> lower_bound(np.array([[0.0], [1.0], [10.0], [12.0]]), 2) <= 0.5 + 2.0
    True
    """
    if len(points) < 2 * k:
        return (1 - SLACK) * float(((points - points.mean(axis=0)) ** 2).sum()) if k > 1 and len(points) else 0.0
    if k == 1:
        return 0.0
    bound = nearest_bound(points, k)
    if len(points) <= MOST_RECORDS and len(points) * SHOWN * k <= MOST_PAIRS:
        bound = max(bound, priced_bound(points, k, prices(points, k)))
    return bound


def nearest_bound(points: Points, k: int) -> float:
    """What the k - 1 nearest neighbours of every point say."""
    from scipy.spatial import cKDTree

    tree, total = cKDTree(points, balanced_tree=False), 0.0
    for begin in range(0, len(points), 2**16):
        # In the order of the leaves, one search finds in the processor's cache what the one before has looked at.
        far, _ = tree.query(points[tree.indices[begin : begin + 2**16]], k, workers=-1)
        total += float((far**2).sum())
    return (1 - SLACK) * total / (2 * k)


def priced_bound(points: Points, k: int, price: Points) -> float:
    """What any prices say, one a point and none below 0; each pair that is worth more than it costs is charged."""
    from scipy.spatial.distance import cdist

    paid, charged = (k - 1) * float(price.sum()), 0.0
    for begin in range(0, len(points), BLOCK):
        own = slice(begin, begin + BLOCK)
        worth = price[own, None] + price - cdist(points[own], points, "sqeuclidean") / k
        worth[np.arange(len(worth)), np.arange(begin, begin + len(worth))] = 0.0
        charged += float(np.maximum(worth, 0.0).sum()) / 2
    return paid - charged - SLACK * (paid + charged)


def prices(points: Points, k: int) -> Points:
    """The best prices as far as near pairs tell; all 0 where the solver finds none."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    one, other = _near_pairs(points, min(SHOWN * k, len(points) - 1))
    pairs = np.arange(len(one))
    ends, both = np.concatenate([one, other]), np.concatenate([pairs, pairs])
    degrees = csr_array((np.full(len(ends), -1.0), (ends, both)), shape=(len(points), len(one)))
    cost = ((points[one] - points[other]) ** 2).sum(axis=1) / k
    # Solvers take numbers around 1 for granted; costs of very near or far points would drown in their tolerance.
    scale = float(cost.mean()) or 1.0
    asked = np.full(len(points), 1.0 - k)
    solved = linprog(cost / scale, A_ub=degrees, b_ub=asked, bounds=(0, 1), method="highs-ds")
    if solved.status != 0:
        return np.zeros(len(points))
    return np.maximum(-scale * np.asarray(solved.ineqlin.marginals), 0.0)


def _near_pairs(points: Points, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every pair of which one is among the nearest of the other, once."""
    from scipy.spatial import cKDTree

    _, near = cKDTree(points, balanced_tree=False).query(points, count + 1)
    own = np.repeat(np.arange(len(points)), count + 1)
    one, other = np.minimum(own, near.ravel()), np.maximum(own, near.ravel())
    found = np.unique((one * len(points) + other)[one < other])
    return found // len(points), found % len(points)
