"""Weighted c-means: updates centroids and weights of coordinates in turn until they converge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.base import Clustering, Runs
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

_LITTLE = 0.01
"""The smallest fraction of variation inside groups that counts."""
_CELLS = 4_000_000
"""Number of distances computed at once."""


@dataclass(frozen=True, kw_only=True)
class WeightedCMeans(Clustering):
    """c-means with larger weights for the coordinates that separate groups.

    n / k random records are the first centroids. In each round, each record joins the nearest centroid, centroids move
    to the mean of their group, and the weight of coordinate j becomes proportional to D_j^(-1/(b - 1)), where D_j is
    the fraction of the variation in that coordinate that is inside groups, and b is `sharpness`. The rounds end when no
    record moves, or after `rounds`. Then groups with fewer than k records are merged into the nearest larger group.
    Numbers are standardized; a category is a point with a coordinate for each taxonomy node above it.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> WeightedCMeans().anonymize(hospital(), KAnonymity(k=2)).groups.sizes.tolist()
    [2, 5]

    References: Chiu and Tsai (2007), A k-anonymity clustering method for effective data privacy preservation; they and
    Kabir (2010), section 4.2.2, leave the weights open, which are those of Huang et al. (2005) here.
    """

    sharpness: float = param(2.0, doc="the larger, the less the weights of coordinates differ", above=1)
    rounds: int = param(20, doc="the largest number of rounds", at_least=1)

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        points, counts = rows.points, rows.counts.astype(np.float64)
        seeds = rows.each[random.choice(rows.records, rows.records // k, replace=False)]
        centroids, weights = points[np.unique(seeds)], np.full(points.shape[1], 1.0 / max(points.shape[1], 1))
        labels, whole = _nearest(points, centroids, weights), counts @ (points - counts @ points / counts.sum()) ** 2
        for _ in range(self.rounds):
            centroids, labels = _means(points, counts, labels)
            weights = self._weights(points - centroids[labels], counts, whole)
            moved = _nearest(points, centroids, weights)
            if np.array_equal(moved, labels):
                break
            labels = moved
        centroids, labels = _means(points, counts, labels)
        return np.arange(len(rows)), _merge_small_groups(centroids, weights, rows.counts, labels, k), rows.counts

    def _weights(self, apart: Floats, counts: Floats, whole: Floats) -> Floats:
        """Weights that sum to 1; a coordinate with a single value has weight 0.

        A coordinate without variation inside groups counts like one with very little; otherwise it would have all the
        weight.
        """
        share = np.divide(counts @ apart**2, whole, out=np.ones_like(whole), where=whole > 0)
        weights = np.maximum(share, _LITTLE) ** (-1.0 / (self.sharpness - 1.0)) * (whole > 0)
        return np.asarray(
            weights / weights.sum() if weights.any() else np.full_like(weights, 1.0 / max(len(weights), 1))
        )

    def _needs_points(self) -> bool:
        return True


def _nearest(points: Floats, centroids: Floats, weights: Floats) -> Labels:
    """The nearest centroid of each point; omits the term of the squared distance that is the same for all centroids."""
    found, step = np.empty(len(points), dtype=np.int32), max(_CELLS // len(centroids), 1)
    squared, twice = weights @ (centroids**2).T, 2 * (centroids * weights).T
    for start in range(0, len(points), step):
        found[start : start + step] = np.argmin(squared - points[start : start + step] @ twice, axis=1)
    return found


def _means(points: Floats, counts: Floats, labels: Labels) -> tuple[Floats, Labels]:
    """The mean of each group that has members, and the groups numbered without gaps."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    sums = [np.bincount(labels, weights=counts * axis) for axis in points.T]
    size = np.bincount(labels, weights=counts)
    return np.asarray(np.stack(sums, axis=1) / size[:, None]), labels


def _merge_small_groups(
    centroids: Floats, weights: Floats, counts: NDArray[np.int64], labels: Labels, k: int
) -> Labels:
    """Merge groups with fewer than k records into the nearest group with at least k, if there is one."""
    large = np.bincount(labels, weights=counts) >= k
    if not large.any():
        return labels
    place = np.flatnonzero(large)
    target = np.where(large, np.arange(len(large)), place[_nearest(centroids, centroids[large], weights)])
    return np.unique(target[labels], return_inverse=True)[1].astype(np.int32)
