"""The compiled loop of fuzzy c-means: every centre moves to the mean of all points, weighted by their membership.

Most centres are so far from a point that their weight is negligible. The distance to such a centre is abandoned as soon
as it exceeds a limit that follows from the nearest centre so far. One step costs at most O(n * centres * columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.nearest_centroid import distance_below

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

LEAST = 1e-9
"""A centre is ignored for a point if the membership is below this share of that in the nearest centre so far."""


@compiled
def moved_centres(points: Points, centres: Points, fuzziness: float, nearest: Numbers) -> Points:
    """The centres after one step; a centre without members does not move.

    The membership of a point at squared distance d of a centre is proportional to d^(-1/(fuzziness - 1)); its weight is
    the membership to the power of the fuzziness. A point on a centre is a member of the centres at that place only.
    `nearest` is a guess of the nearest centre of every point, and is corrected; a good guess skips more centres.
    """
    sums, weights = np.zeros(centres.shape), np.zeros(len(centres))
    near_centres, shares = np.empty(len(centres), dtype=np.int32), np.empty(len(centres))
    # `near_centres` lists the centres near a point, `shares` first has their squared distances and then the memberships
    for row in range(len(points)):
        found = _near(points[row], centres, fuzziness, nearest[row], near_centres, shares)
        nearest[row] = near_centres[np.argmin(shares[:found])]
        total = _memberships(fuzziness, shares[:found])
        for at in range(found):
            centre, weight = near_centres[at], (shares[at] / total) ** fuzziness
            weights[centre] += weight
            for column in range(points.shape[1]):
                # differences from the old centre are summed, which keeps more digits than sums of coordinates
                sums[centre, column] += weight * (points[row, column] - centres[centre, column])
    moved = centres.copy()
    for centre in range(len(centres)):
        if weights[centre] > 0.0:
            moved[centre] += sums[centre] / weights[centre]
    return moved


@compiled
def _near(
    point: Points, centres: Points, fuzziness: float, guess: int, near_centres: Numbers, distances: Points
) -> int:
    """List the centres that count for a point, in their order, and their squared distances; returns their number."""
    # memberships differ by the factor LEAST where squared distances differ by this factor
    wide = LEAST ** (1.0 - fuzziness)
    limit = distance_below(point, centres[guess], np.inf) * wide
    found = 0
    for centre in range(len(centres)):
        # a limit of 0 means that the point is on a centre; then only centres at distance 0 count
        distance = distance_below(point, centres[centre], np.inf if limit == 0.0 else limit)
        # the limit only falls, so the list can include centres that would no longer
        # pass; their weight is correct and negligible
        if distance < limit or distance == 0.0:
            near_centres[found], distances[found] = centre, distance
            limit, found = min(limit, distance * wide), found + 1
    return found


@compiled
def _memberships(fuzziness: float, shares: Points) -> float:
    """Turn squared distances into memberships relative to the nearest centre, in place; returns their sum."""
    least, total = shares.min(), 0.0
    for at in range(len(shares)):
        # relative to the nearest centre, because powers of the distances themselves could overflow
        if shares[at] == least:
            shares[at] = 1.0
        elif least == 0.0:
            shares[at] = 0.0
        else:
            shares[at] = (least / shares[at]) ** (1.0 / (fuzziness - 1.0))
        total += shares[at]
    return total
