"""Bisecting k-means: cut the worst cluster in two, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sfumato.evaluation.clusterers.base import Clusterer, Points, Weights, scikit
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class BisectingKMeans(Clusterer):
    """Starts with one cluster and cuts the most spread-out one in two by k-means until there are enough.

    Clusters come out more even than those of k-means, and those of a smaller number are always unions of those of a
    larger one as long as the seed stays.

    >>> import numpy as np
    >>> BisectingKMeans(clusters=3).labels(np.array([[0.0], [9.0], [1.0], [8.0], [30.0]])).tolist()
    [0, 1, 0, 1, 2]

    References: Steinbach, Karypis and Kumar (2000), "A comparison of document clustering techniques".
    """

    starts: int = param(10, doc="how many random starts to choose each cut from", at_least=1)

    def _labels(self, points: Points, weights: Weights) -> NDArray[Any]:
        method = scikit("cluster").BisectingKMeans(
            n_clusters=self.clusters, n_init=self.starts, random_state=self.seed, bisecting_strategy="biggest_inertia"
        )
        labels: NDArray[Any] = method.fit(points, sample_weight=weights).labels_
        return labels
