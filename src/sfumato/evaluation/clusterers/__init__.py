"""Clustering methods, used to measure how well a release preserves clusters. One clusterer per file."""

from sfumato.evaluation.clusterers.bisecting_k_means import BisectingKMeans
from sfumato.evaluation.clusterers.hierarchical import Hierarchical
from sfumato.evaluation.clusterers.k_means import KMeans

__all__ = ["BisectingKMeans", "Hierarchical", "KMeans"]
