"""Groups by fuzzy c-means, held to a least size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.dealing import all_alike, dealt_out
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

SOFTER = 1.02
"""By what the fuzziness is multiplied in every round, up to twice what it was."""

SHARE = 0.1
"""At least this share of the clusters is given up before the next round, so that it ends."""


def fuzzy_groups(points: Points, k: int, random: np.random.Generator, *, fuzziness: float, steps: int) -> Labels:
    """As many fuzzy clusters as fit, fewer and fuzzier ones while some are too small; large ones are clustered again.

    Every record goes to the cluster it belongs to most. Clusters with fewer than k records are given up, the others go
    on from where they are.
    """
    labels = np.zeros(len(points), dtype=np.int32)
    while np.bincount(labels).max() >= 2 * k:
        labels = split(points, labels, k, lambda part, k: _clustered(part, k, random, fuzziness, steps))
    return labels


def _clustered(points: Points, k: int, random: np.random.Generator, fuzziness: float, steps: int) -> Labels:
    """At least two groups of at least k points, of which there are 2k."""
    from sfumato.kernels.neighbours.nearest_centroid import nearest_centroids

    if all_alike(points):
        return dealt_out(len(points), k)
    places = np.unique(points, axis=0)
    centres = places[np.sort(random.choice(len(places), min(len(places), len(points) // k), replace=False))]
    softest = 2 * fuzziness
    while True:
        centres = _settled(points, centres, fuzziness, steps)
        labels = nearest_centroids(points, centres)
        sizes = np.bincount(labels, minlength=len(centres))
        small = np.flatnonzero(sizes < k)
        if not len(small):
            return labels
        if len(centres) == 2:
            return _topped_up(points, centres, k, int(sizes.argmin()))
        given_up = min(max(len(small), int(len(centres) * SHARE)), len(centres) - 2)
        centres = np.delete(centres, np.argsort(sizes, kind="stable")[:given_up], axis=0)
        fuzziness = min(fuzziness * SOFTER, softest)


def _settled(points: Points, centres: Points, fuzziness: float, steps: int) -> Points:
    """Let the centres move until they come to rest, or for so many steps."""
    from sfumato.algorithms.microaggregation.loops.fuzzy_c_means import moved_centres

    nearest = np.zeros(len(points), dtype=np.int32)
    for _ in range(steps):
        before, centres = centres, moved_centres(points, centres, fuzziness, nearest)
        if np.abs(centres - before).max() < 1e-3:
            break
    return centres


def _topped_up(points: Points, centres: Points, k: int, small: int) -> Labels:
    """Two groups: the k points that belong to the small cluster most, and the others."""
    own, other = (((points - centre) ** 2).sum(axis=1) for centre in (centres[small], centres[1 - small]))
    labels = np.ones(len(points), dtype=np.int32)
    labels[np.argsort(own - other, kind="stable")[:k]] = 0
    return labels
