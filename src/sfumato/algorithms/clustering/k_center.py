"""k-center: centres as far from each other as can be, and records around the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.rows import Rows


@dataclass(frozen=True, kw_only=True)
class KCenter(Clustering):
    """Farthest-point traversal: each of n / k centres is the record furthest from those before it.

    Every record joins the nearest centre, so that no two records of a group are more than twice as far apart as they
    need be. That says nothing of how many there are: groups of more than k then give up their furthest records to
    groups of fewer than k, as far as these need them; this costs the guarantee.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> sorted(KCenter().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist())
    [3, 4]

    References: Gonzalez (1985), Clustering to minimize the maximum intercluster distance; Kabir (2010), section 4.2.2.
    """

    randomized = True
    by_record: ClassVar[bool] = False

    def _cluster(self, rows: Rows, k: int, random: np.random.Generator) -> Runs:
        from sfumato.algorithms.clustering.levelling import levelled
        from sfumato.algorithms.clustering.loops.centroid_covers import farthest_first, no_centroids, spots_of

        spots = spots_of(rows.covers)
        first = rows.each[random.integers(rows.records)]
        centres, nearest = farthest_first(spots, first, rows.records // k)
        blank = no_centroids(spots, len(centres))
        centroids = blank._replace(
            mean=spots.places[:, centres].astype(np.float64),
            mode=np.ascontiguousarray(spots.names[:, centres]),
            size=np.bincount(nearest, weights=rows.counts, minlength=len(centres)).astype(np.int64),
        )
        return levelled(spots, centroids, np.arange(len(rows)), nearest, rows.counts, k)
