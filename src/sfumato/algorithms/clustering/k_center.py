"""k-center: centres far from each other, and groups of the records nearest to each centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows


@dataclass(frozen=True, kw_only=True)
class KCenter(Clustering):
    """Farthest-point traversal: each of n / k centres is the record farthest from the previous ones.

    Each record joins the nearest centre, so that the diameter of a group is at most twice the smallest possible one.
    This does not limit sizes: groups with more than k records then give away their farthest records to groups with
    fewer than k, as far as these need them. The guarantee does not hold after this step.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> sorted(KCenter().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist())
    [3, 4]

    References: Gonzalez (1985), Clustering to minimize the maximum intercluster distance; Kabir (2010), section 4.2.2.
    """

    by_record: ClassVar[bool] = False

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        from sfumato.algorithms.clustering.centroids import level_sizes
        from sfumato.algorithms.clustering.loops.centroids import distance_terms, empty_centroids, farthest_first

        terms = distance_terms(rows.covers)
        first = rows.each[random.integers(rows.records)]
        centres, nearest = farthest_first(terms, first, rows.records // k)
        blank = empty_centroids(terms, len(centres))
        centroids = blank._replace(
            mean=terms.places[:, centres].astype(np.float64),
            mode=np.ascontiguousarray(terms.names[:, centres]),
            size=np.bincount(nearest, weights=rows.counts, minlength=len(centres)).astype(np.int64),
        )
        return level_sizes(terms, centroids, np.arange(len(rows)), nearest, rows.counts, k)
