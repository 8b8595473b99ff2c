"""Ways of finding clusters, to measure what a release kept of them. One clusterer a file."""

from sfumato.clusterers.bisecting_k_means import BisectingKMeans
from sfumato.clusterers.hierarchical import Hierarchical
from sfumato.clusterers.k_means import KMeans

__all__ = ["BisectingKMeans", "Hierarchical", "KMeans"]
