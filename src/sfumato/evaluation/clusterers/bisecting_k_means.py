"""Bisecting k-means: split the worst cluster in two, repeatedly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sfumato.evaluation.clusterers.base import Clusterer, Points, Weights, scikit
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class BisectingKMeans(Clusterer):
    """Starts with one cluster and splits the most spread-out one in two by k-means until there are enough.

    Clusters are more even in size than those of k-means. With the same seed, the clusters for a smaller number are
    always unions of the clusters for a larger number.

    >>> import numpy as np
    >>> BisectingKMeans(clusters=3).labels(np.array([[0.0], [9.0], [1.0], [8.0], [30.0]])).tolist()
    [0, 1, 0, 1, 2]

    References: Steinbach, Karypis and Kumar (2000), "A comparison of document clustering techniques".
    """

    starts: int = param(10, doc="how many random starts each split is chosen from", at_least=1)

    def _labels(self, points: Points, weights: Weights) -> NDArray[Any]:
        method = scikit("cluster").BisectingKMeans(
            n_clusters=self.clusters, n_init=self.starts, random_state=self.seed, bisecting_strategy="biggest_inertia"
        )
        labels: NDArray[Any] = method.fit(points, sample_weight=weights).labels_
        return labels
