"""One-pass k-means (OKA): each record joins the nearest centroid once, then sizes are equalized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows


@dataclass(frozen=True, kw_only=True)
class Oka(Clustering):
    """One-pass k-means: n / k random records start groups, and the others join the group with the nearest centroid.

    Records are processed in the order of their quasi columns, and a centroid moves as soon as a record joins: to the
    mean of the group's numbers and to the most frequent of its categories, the first of equally frequent ones; with
    taxonomies, to the most frequent node on each level. Then groups with more than k records give away the records
    farthest from their centroid. Each of these joins the nearest group with fewer than k records, or the nearest of all
    groups if there is none.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> sorted(Oka().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist())
    [3, 4]

    References: Lin and Wei (2008), An efficient clustering method for k-anonymization; Kabir (2010), section 4.2.2.
    """

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        from sfumato.algorithms.clustering.centroids import level_sizes
        from sfumato.algorithms.clustering.loops.centroids import distance_terms, one_pass

        terms = distance_terms(rows.covers)
        seeds = rows.each[np.sort(random.choice(rows.records, rows.records // k, replace=False))]
        row, group, counts, centroids = one_pass(terms, rows.counts, seeds)
        return level_sizes(terms, centroids, row, group, counts, k)
