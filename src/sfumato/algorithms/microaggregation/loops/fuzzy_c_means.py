"""One step of fuzzy c-means: every centre moves to the mean of all points, weighted by how far they belong to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

LEAST = 1e-9
"""A point that belongs to a centre by less than this share of what it belongs to the nearest is not counted there."""


@compiled
def moved_centres(points: Points, centres: Points, fuzziness: float, nearest: Numbers) -> Points:
    """Where the centres are after one step; one that nobody belongs to stays.

    A point at squared distances d belongs to a centre in proportion to d^(-1/(fuzziness - 1)), which counts to the
    power of the fuzziness; one that lies on a centre belongs to the centres there alone. `nearest` is a guess which
    centre is nearest to every point, and is corrected; the better it is, the sooner others can be passed over.
    """
    sums, weights = np.zeros(centres.shape), np.zeros(len(centres))
    who, shares = np.empty(len(centres), dtype=np.int32), np.empty(len(centres))
    for row in range(len(points)):
        found = _near(points[row], centres, fuzziness, nearest[row], who, shares)
        nearest[row] = who[np.argmin(shares[:found])]
        total = _shared(fuzziness, shares[:found])
        for at in range(found):
            centre, weight = who[at], (shares[at] / total) ** fuzziness
            weights[centre] += weight
            for column in range(points.shape[1]):
                sums[centre, column] += weight * (points[row, column] - centres[centre, column])
    moved = centres.copy()
    for centre in range(len(centres)):
        if weights[centre] > 0.0:
            moved[centre] += sums[centre] / weights[centre]
    return moved


@compiled
def _near(point: Points, centres: Points, fuzziness: float, guess: int, who: Numbers, distances: Points) -> int:
    """Note the centres that a point may belong to, in their order, and how far they are; how many there are."""
    wide = LEAST ** (1.0 - fuzziness)
    limit = distance_below(point, centres[guess], np.inf) * wide
    found = 0
    for centre in range(len(centres)):
        distance = distance_below(point, centres[centre], np.inf if limit == 0.0 else limit)
        if distance < limit or distance == 0.0:
            who[found], distances[found] = centre, distance
            limit, found = min(limit, distance * wide), found + 1
    return found


@compiled
def _shared(fuzziness: float, shares: Points) -> float:
    """Make squared distances shares of what belongs to the nearest; all of them together."""
    least, total = shares.min(), 0.0
    for at in range(len(shares)):
        if shares[at] == least:
            shares[at] = 1.0
        elif least == 0.0:
            shares[at] = 0.0
        else:
            shares[at] = (least / shares[at]) ** (1.0 / (fuzziness - 1.0))
        total += shares[at]
    return total
