"""A lower bound of the squared error (SSE) that any partition into groups of at least k points must have.

The SSE of a group of m points is the sum of the squared distances d² of all its pairs, divided by m.

*Nearest neighbours.* Divide the SSE of a partition among its points: a point in a group of m gets half of the sum of
its d² to the other members, divided by m. The other members are at least as far as its m - 1 nearest neighbours. The
sum of the d² to the m - 1 nearest, divided by m, does not fall as m grows, because the m-th is at least as far as those
before it, so that m times its d² is no less than their sum. With m >= k each point gets at least the sum of the d² to
its k - 1 nearest, divided by 2k.

*Linear programme.* Give every pair a number x between 0 and 1, so that the pairs of each point add up to k - 1 or more
and the sum of x d² / k is least. A partition is one such choice: x = k / m for pairs inside a group of m, else 0. It is
at most 1 because m >= k, the m - 1 pairs of a point add up to (m - 1) k / m >= k - 1, and the cost is exactly the SSE.
(The proof does not need that some best partition has groups of at most 2k - 1.) The least cost over all x is therefore
a lower bound. It is never below the bound of the nearest neighbours, where both ends of a pair choose independently.

*Safety.* The bound is not computed from the solver's x, but from prices: for any y >= 0, one price per point,

    (k - 1) * sum of y_i  -  sum over all pairs of max(0, y_i + y_j - d²_ij / k)

is at most the least cost. For every permitted x, the sum of x d² / k is no less than the sum of x (y_i + y_j) minus the
sum of x max(0, y_i + y_j - d² / k). The first sum counts every y_i as often as the pairs of i add up to, at least k - 1
times; in the second one x <= 1. The solver only gets near pairs and stops at a tolerance. Both can make the prices
worse but not the bound wrong, because the bound is computed from the prices over all pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

MOST_RECORDS, MOST_PAIRS = 10_000, 250_000
"""The linear programme is solved up to this number of records and of pairs; it takes seconds."""

SHOWN = 4
"""The solver gets this number times k near records of each record; more would hardly change the prices."""

BLOCK = 512
"""The number of points whose distances from all points are computed at once."""
SLACK = 1e-9
"""The share by which a bound is lowered; it is larger than the sum of all rounding errors."""


def lower_bound(points: Points, k: int) -> float:
    """A number that is no larger than the SSE of any partition into groups of at least k points.

    >>> lower_bound(np.array([[0.0], [1.0], [10.0], [12.0]]), 2) <= 0.5 + 2.0
    True
    """
    if len(points) < 2 * k:
        # Fewer than 2k points have one partition only, whose SSE is the exact bound.
        return (1 - SLACK) * float(((points - points.mean(axis=0)) ** 2).sum()) if k > 1 and len(points) else 0.0
    if k == 1:
        return 0.0
    bound = nearest_bound(points, k)
    if len(points) <= MOST_RECORDS and len(points) * SHOWN * k <= MOST_PAIRS:
        bound = max(bound, priced_bound(points, k, prices(points, k)))
    return bound


def nearest_bound(points: Points, k: int) -> float:
    """The bound from the k - 1 nearest neighbours of every point."""
    from scipy.spatial import cKDTree

    tree, total = cKDTree(points, balanced_tree=False), 0.0
    for begin in range(0, len(points), 2**16):
        # In the order of the leaves, consecutive searches visit the same nodes, which are then in the cache.
        far, _ = tree.query(points[tree.indices[begin : begin + 2**16]], k, workers=-1)
        total += float((far**2).sum())
    return (1 - SLACK) * total / (2 * k)


def priced_bound(points: Points, k: int, price: Points) -> float:
    """The bound from any prices, one per point and none below 0, computed over all pairs."""
    from scipy.spatial.distance import cdist

    paid, charged = (k - 1) * float(price.sum()), 0.0
    for begin in range(0, len(points), BLOCK):
        own = slice(begin, begin + BLOCK)
        worth = price[own, None] + price - cdist(points[own], points, "sqeuclidean") / k
        # A point forms no pair with itself. Every other pair occurs in both orders, hence the division by 2.
        worth[np.arange(len(worth)), np.arange(begin, begin + len(worth))] = 0.0
        charged += float(np.maximum(worth, 0.0).sum()) / 2
    return paid - charged - SLACK * (paid + charged)


def prices(points: Points, k: int) -> Points:
    """The best prices for near pairs; all 0 where the solver finds none."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    one, other = _near_pairs(points, min(SHOWN * k, len(points) - 1))
    pairs = np.arange(len(one))
    ends, both = np.concatenate([one, other]), np.concatenate([pairs, pairs])
    degrees = csr_array((np.full(len(ends), -1.0), (ends, both)), shape=(len(points), len(one)))
    cost = ((points[one] - points[other]) ** 2).sum(axis=1) / k
    # The tolerance of solvers is made for numbers around 1, so costs are scaled to a mean of 1.
    scale = float(cost.mean()) or 1.0
    asked = np.full(len(points), 1.0 - k)
    solved = linprog(cost / scale, A_ub=degrees, b_ub=asked, bounds=(0, 1), method="highs-ds")
    if solved.status != 0:
        return np.zeros(len(points))
    # The marginals are the dual values of the degree constraints;
    # a rounding error below 0 would not be a permitted price.
    return np.maximum(-scale * np.asarray(solved.ineqlin.marginals), 0.0)


def _near_pairs(points: Points, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every pair in which one point is among the nearest of the other, listed once."""
    from scipy.spatial import cKDTree

    _, near = cKDTree(points, balanced_tree=False).query(points, count + 1)
    own = np.repeat(np.arange(len(points)), count + 1)
    one, other = np.minimum(own, near.ravel()), np.maximum(own, near.ravel())
    found = np.unique((one * len(points) + other)[one < other])
    return found // len(points), found % len(points)
