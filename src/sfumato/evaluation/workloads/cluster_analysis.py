"""Cluster analysis: publish a table so that its clusters can still be found, and measure whether they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.table import Table
from sfumato.errors import SchemaError, UsageError
from sfumato.evaluation.clusterers.base import Clusterer
from sfumato.evaluation.clusterers.k_means import KMeans
from sfumato.evaluation.workloads.agreement import f_measure, match_point
from sfumato.evaluation.workloads.cluster_labels import free_name, with_cluster_target, without_cluster_target
from sfumato.evaluation.workloads.points import points_of
from sfumato.models.base import PrivacyModel
from sfumato.releases.table_release import TableRelease
from sfumato.settings.params import Declared, param


@dataclass(frozen=True, eq=False)
class ClusterAgreement:
    """How far the clusters of the published records agree with those of the raw records.

    Both measures are 1 if every cluster was found again. `clusters` is the number of clusters of the raw records,
    `left_out` the number of suppressed records, which are not compared. The release contains no cluster label.
    """

    f_measure: float
    match_point: float
    clusters: int
    left_out: int
    release: TableRelease


@dataclass(frozen=True, kw_only=True)
class ClusterAnalysis(Declared):
    """Masks a table so that its clusters can still be found, and measures how well they can.

    The raw quasi columns are clustered, and the cluster of every record becomes a target column that guides the
    algorithm. The published records are clustered again, and both clusterings are compared record by record. An
    algorithm that uses no target is measured in the same way, without guidance. Publish only one version: releases for
    several numbers of clusters or several clusterers could be combined by an attacker.

    >>> from sfumato.algorithms.mondrian.mondrian import Mondrian
    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> found = ClusterAnalysis().measure(hospital(), Mondrian(), KAnonymity(k=3))
    >>> found.f_measure, found.match_point, found.clusters
    (1.0, 1.0, 2)

    References: Fung, Wang, Wang and Hung (2009), "Privacy-preserving data publishing for cluster analysis"; book,
    section 7.2.
    """

    clusterer: Clusterer = param(KMeans(clusters=2), doc="how the raw records are clustered")
    again: Clusterer | None = param(None, doc="how the published records are clustered; by default as the raw ones")
    points: Literal["midpoints", "labels"] = param(
        "midpoints", doc="published ranges of numbers and dates as their middles, or as categories"
    )

    def measure(
        self, table: Table, algorithm: TableAlgorithm, model: PrivacyModel, *, suppression: float = 0.0, seed: int = 0
    ) -> ClusterAgreement:
        """Label the records, mask them, cluster again and compare; raises what the algorithm raises."""
        labels, name = self.label(table), free_name(table)
        release = algorithm.anonymize(
            with_cluster_target(table, labels, name), model, suppression=suppression, seed=seed
        )
        release = without_cluster_target(release, table, name, {"guided_by": self.clusterer.to_dict()})
        return self.compare(release, labels)

    def label(self, table: Table) -> NDArray[np.int32]:
        """The cluster of every row of a table, computed from its raw quasi values alone."""
        return _cluster_rows(table, self.clusterer, midpoints=True)

    def compare(self, release: TableRelease, labels: NDArray[np.int32]) -> ClusterAgreement:
        """How far the published records have the given clusters; `labels` has one for every row of the original."""
        candidate = release.candidate
        if labels.shape != (len(release.original),):
            raise UsageError(
                f"there must be one label for each of the {len(release.original)} rows of the original; "
                f"got {labels.shape}."
            )
        seen = candidate.published_rows
        natural = labels[candidate.origin[~candidate.suppressed]]
        found = _cluster_rows(seen, self.again or self.clusterer, midpoints=self.points == "midpoints")
        return ClusterAgreement(
            f_measure=f_measure(natural, found, seen.counts),
            match_point=match_point(natural, found, seen.counts),
            clusters=len(np.unique(labels)),
            left_out=candidate.suppressed_records,
            release=release,
        )


def _cluster_rows(table: Table, clusterer: Clusterer, *, midpoints: bool) -> NDArray[np.int32]:
    """A cluster for every row; rows with equal quasi values are one point, weighted by its number of records."""
    if not table.schema.quasi:
        raise SchemaError("no column is declared quasi; there is nothing to cluster by.")
    distinct, row = table.distinct(table.schema.quasi)
    return clusterer.labels(points_of(distinct, midpoints=midpoints), distinct.counts)[row]
