"""Ways of finding clusters, to measure what a release kept of them. One clusterer a file."""

from sfumato.evaluation.clusterers.bisecting_k_means import BisectingKMeans
from sfumato.evaluation.clusterers.hierarchical import Hierarchical
from sfumato.evaluation.clusterers.k_means import KMeans

__all__ = ["BisectingKMeans", "Hierarchical", "KMeans"]
