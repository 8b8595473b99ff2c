"""K-means: every point belongs to the nearest of k centres, and every centre is the mean of its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sfumato.evaluation.clusterers.base import Clusterer, Points, Weights, scikit
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class KMeans(Clusterer):
    """Assigns every point to the nearest of k means, using the best of several random starts.

    It moves the centres until the squared distances to the nearest one no longer shrink. That finds a good solution,
    not always the best one; more starts make a bad solution less likely.

    >>> import numpy as np
    >>> KMeans(clusters=2).labels(np.array([[0.0], [9.0], [1.0], [8.0]])).tolist()
    [0, 1, 0, 1]

    References: Lloyd (1982); Arthur and Vassilvitskii (2007) for the starts.
    """

    starts: int = param(10, doc="how many random starts to choose the best of", at_least=1)

    def _labels(self, points: Points, weights: Weights) -> NDArray[Any]:
        method = scikit("cluster").KMeans(n_clusters=self.clusters, n_init=self.starts, random_state=self.seed)
        labels: NDArray[Any] = method.fit(points, sample_weight=weights).labels_
        return labels
