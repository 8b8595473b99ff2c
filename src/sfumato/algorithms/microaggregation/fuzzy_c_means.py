"""Fuzzy c-means microaggregation: the algorithm and the functions that make its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import all_equal, consecutive_groups, split
from sfumato.settings.params import param

FUZZIER = 1.02
"""The fuzziness is multiplied by this in every round, up to twice its first value."""

SHARE = 0.1
"""At least this share of the clusters is removed before the next round, so that the loop ends."""


@dataclass(frozen=True, kw_only=True)
class FuzzyCMeans(Microaggregation):
    """Microaggregation by fuzzy c-means: many sharp clusters, then fewer and fuzzier ones until all are large enough.

    Every record is a member of all clusters, to a higher degree where the centre is nearer. The centres begin at n / k
    random records. A record counts for the cluster of its highest degree; clusters with fewer than k records are
    removed, and the remaining centres move on. Groups with 2k records or more are clustered again by themselves, so
    groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61", "62"]})
    >>> FuzzyCMeans().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '41', '61')

    References: Domingo-Ferrer and Torra (2003), Towards fuzzy c-means based microaggregation; Kabir (2010), section
    6.2.
    """

    most_rows = 10_000

    fuzziness: float = param(
        1.1, doc="the exponent of memberships at first; near 1 every record belongs to one cluster", above=1
    )
    steps: int = param(5, doc="how often centres move before clusters that are too small are removed", at_least=1)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return fuzzy_groups(points, k, random, fuzziness=self.fuzziness, steps=self.steps)


def fuzzy_groups(points: Points, k: int, random: np.random.Generator, *, fuzziness: float, steps: int) -> Labels:
    """Cluster all points, then cluster every group of 2k points or more again, until there is none.

    Every record goes to the cluster it belongs to most. Clusters with fewer than k records are removed; the centres of
    the others continue from where they are.
    """
    labels = np.zeros(len(points), dtype=np.int32)
    while np.bincount(labels).max() >= 2 * k:
        labels = split(points, labels, k, lambda part, k: _cluster(part, k, random, fuzziness, steps))
    return labels


def _cluster(points: Points, k: int, random: np.random.Generator, fuzziness: float, steps: int) -> Labels:
    """Make at least two groups of at least k points; there must be 2k points."""
    from sfumato.kernels.neighbours.nearest_centroid import nearest_centroids

    if all_equal(points):
        return consecutive_groups(len(points), k)
    # Centres at equal points would stay equal for ever, so they start at different ones.
    places = np.unique(points, axis=0)
    centres = places[np.sort(random.choice(len(places), min(len(places), len(points) // k), replace=False))]
    fuzziest = 2 * fuzziness
    while True:
        centres = _move_centres(points, centres, fuzziness, steps)
        labels = nearest_centroids(points, centres)
        sizes = np.bincount(labels, minlength=len(centres))
        small = np.flatnonzero(sizes < k)
        if not len(small):
            return labels
        # two centres are the fewest; the smaller cluster gets k records
        if len(centres) == 2:
            return _two_groups(points, centres, k, int(sizes.argmin()))
        # At least two centres stay, so that every call divides the points and the outer loop ends.
        removed = min(max(len(small), int(len(centres) * SHARE)), len(centres) - 2)
        centres = np.delete(centres, np.argsort(sizes, kind="stable")[:removed], axis=0)
        fuzziness = min(fuzziness * FUZZIER, fuzziest)


def _move_centres(points: Points, centres: Points, fuzziness: float, steps: int) -> Points:
    """Move the centres until they change by less than 0.001, or for this number of steps."""
    from sfumato.algorithms.microaggregation.loops.fuzzy_c_means import moved_centres

    nearest = np.zeros(len(points), dtype=np.int32)
    for _ in range(steps):
        before, centres = centres, moved_centres(points, centres, fuzziness, nearest)
        if np.abs(centres - before).max() < 1e-3:
            break
    return centres


def _two_groups(points: Points, centres: Points, k: int, small: int) -> Labels:
    """Make two groups: the k points that belong most to the small cluster, and the others."""
    own, other = (((points - centre) ** 2).sum(axis=1) for centre in (centres[small], centres[1 - small]))
    labels = np.ones(len(points), dtype=np.int32)
    labels[np.argsort(own - other, kind="stable")[:k]] = 0
    return labels
