"""Hierarchical clustering: merge the two nearest clusters, repeatedly."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from sfumato.errors import UsageError
from sfumato.evaluation.clusterers.base import Clusterer, Points, Weights, scikit
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Hierarchical(Clusterer):
    """Starts with every point as a cluster and merges the two nearest clusters until few enough are left.

    `linkage` defines which two are nearest: the least growth of squared distances (ward), the mean, the largest or the
    smallest distance between their points. Equal points count once, regardless of their weights, and nothing is random.
    It needs the distances of all pairs of points, so a large number of points is refused.

    >>> import numpy as np
    >>> Hierarchical(clusters=2, linkage="single").labels(np.array([[0.0], [9.0], [1.0], [8.0]])).tolist()
    [0, 1, 0, 1]

    References: Ward (1963); Lance and Williams (1967).
    """

    linkage: Literal["ward", "average", "complete", "single"] = param("ward", doc="distance between two clusters")
    most: int = param(20_000, doc="largest number of distinct points it accepts", at_least=1)

    def _labels(self, points: Points, weights: Weights) -> NDArray[Any]:
        if len(points) > self.most:
            raise UsageError(
                f"hierarchical clustering needs the distances of all pairs of {len(points)} different points, and "
                f"takes at most {self.most} points; use bisecting_k_means, or raise 'most'."
            )
        method = scikit("cluster").AgglomerativeClustering(n_clusters=self.clusters, linkage=self.linkage)
        with warnings.catch_warnings():
            # scipy suspects that points such as (0, 1) and (1, 0) are a matrix of distances; they are points here
            warnings.filterwarnings("ignore", message=".*uncondensed distance matrix")
            labels: NDArray[Any] = method.fit(points).labels_
        return labels
