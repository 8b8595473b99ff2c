"""Cluster analysis: publish a table so that its clusters are found again, and measure whether they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Algorithm
from sfumato.data.table import Table
from sfumato.errors import SchemaError, UsageError
from sfumato.evaluation.clusterers.base import Clusterer
from sfumato.evaluation.clusterers.k_means import KMeans
from sfumato.evaluation.workloads.agreement import f_measure, match_point
from sfumato.evaluation.workloads.cluster_labels import free_name, labelled, unlabelled
from sfumato.evaluation.workloads.points import points_of
from sfumato.models.base import PrivacyModel
from sfumato.releases.release import Release
from sfumato.settings.params import Declared, param


@dataclass(frozen=True, eq=False)
class ClusterAgreement:
    """How far the clusters of what is published are those of the raw records.

    Both figures are 1 when every cluster was found again. `clusters` is how many the raw records have, `left_out` how
    many records are suppressed and so in no comparison. The release holds no label.
    """

    f_measure: float
    match_point: float
    clusters: int
    left_out: int
    release: Release


@dataclass(frozen=True, kw_only=True)
class ClusterAnalysis(Declared):
    """Masks a table so that its clusters can still be found, and says how well they are.

    The raw quasi columns are clustered, the cluster of every record becomes a target that guides the algorithm, what it
    publishes is clustered again, and both clusterings are compared record by record. An algorithm that looks at no
    target is measured in the same way, just not guided. Releasing one version for each number of clusters or each
    clusterer would let readers put them together: release one.

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
    again: Clusterer | None = param(None, doc="how the published records are clustered; as the raw ones if not said")
    points: Literal["midpoints", "labels"] = param(
        "midpoints", doc="published ranges of numbers and dates as their middles, or as categories"
    )

    def measure(
        self, table: Table, algorithm: Algorithm, model: PrivacyModel, *, suppression: float = 0.0, seed: int = 0
    ) -> ClusterAgreement:
        """Label, mask, cluster again and compare; what cannot be published is refused as the algorithm refuses it."""
        labels, name = self.label(table), free_name(table)
        release = algorithm.anonymize(labelled(table, labels, name), model, suppression=suppression, seed=seed)
        release = unlabelled(release, table, name, {"guided_by": self.clusterer.to_dict()})
        return self.compare(release, labels)

    def label(self, table: Table) -> NDArray[np.int32]:
        """The cluster of every row of a table, told by its raw quasi values alone."""
        return _clustered(table, self.clusterer, midpoints=True)

    def compare(self, release: Release, labels: NDArray[np.int32]) -> ClusterAgreement:
        """How far what is published has the given clusters, one for every row of the release's original."""
        candidate = release.candidate
        if labels.shape != (len(release.original),):
            raise UsageError(
                f"there must be one label for each of the {len(release.original)} rows of the original; "
                f"got {labels.shape}."
            )
        seen = candidate.seen
        natural = labels[candidate.origin[~candidate.suppressed]]
        found = _clustered(seen, self.again or self.clusterer, midpoints=self.points == "midpoints")
        return ClusterAgreement(
            f_measure=f_measure(natural, found, seen.counts),
            match_point=match_point(natural, found, seen.counts),
            clusters=len(np.unique(labels)),
            left_out=candidate.suppressed_records,
            release=release,
        )


def _clustered(table: Table, clusterer: Clusterer, *, midpoints: bool) -> NDArray[np.int32]:
    """A cluster for every row; rows that look the same are one point and weigh as much as their records."""
    if not table.schema.quasi:
        raise SchemaError("no column is declared quasi; there is nothing to cluster by.")
    distinct, row = table.condensed(table.schema.quasi)
    return clusterer.labels(points_of(distinct, midpoints=midpoints), distinct.counts)[row]
