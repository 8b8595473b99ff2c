"""One-pass k-means (OKA): every record joins the nearest centroid once, then sizes are evened out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.rows import Rows


@dataclass(frozen=True, kw_only=True)
class Oka(Clustering):
    """One-pass k-means: n / k random records start groups, and each other record joins the one with nearest centroid.

    Records come in the order of their quasi columns, and a centroid moves as soon as it is joined: to the mean of the
    group's numbers and to the commonest of its categories, the first of equally common ones; with taxonomies, to the
    commonest node on every level. Then groups of more than k give up the records that are furthest from their centroid,
    and each of these joins the nearest group of fewer than k, or the nearest of all when none is left.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> sorted(Oka().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist())
    [3, 4]

    References: Lin and Wei (2008), An efficient clustering method for k-anonymization; Kabir (2010), section 4.2.2.
    """

    randomized = True

    def _cluster(self, rows: Rows, k: int, random: np.random.Generator) -> Runs:
        from sfumato.algorithms.clustering.levelling import levelled
        from sfumato.algorithms.clustering.loops.centroid_covers import one_pass, spots_of

        spots = spots_of(rows.covers)
        seeds = rows.each[np.sort(random.choice(rows.records, rows.records // k, replace=False))]
        row, group, counts, centroids = one_pass(spots, rows.counts, seeds)
        return levelled(spots, centroids, row, group, counts, k)
