"""Who is in which group and where its centroid lies, kept up to date while records move.

The squared errors (SSE) of a group of m points are the sum of their squared distances from its centroid. When x joins,
they grow by m / (m + 1) times its squared distance from the centroid; when it leaves, they fall by m / (m - 1) times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]


class Membership(NamedTuple):
    """`members[g, : sizes[g]]` are the records of group g, and record i is at `members[labels[i], places[i]]`.

    A group has at most as many members as the table has columns. `near` has the nearest records of each, nearest
    first. Groups without members are in `spare`, `spares[0]` of them; they come from its end.
    """

    points: Points
    near: Numbers
    labels: Numbers
    centroids: Points
    sizes: Numbers
    members: Numbers
    places: Numbers
    spare: Numbers
    spares: Numbers


def membership_of(points: Points, near: Numbers, labels: Numbers, k: int) -> Membership:
    """Groups of at least k and fewer than 2k records, to be settled yet; with room for as many as there can be."""
    groups, (records, columns) = len(points) // k, points.shape
    spare = np.arange(groups, labels.max(), -1, dtype=np.int32) - 1
    return Membership(
        points,
        near,
        labels.astype(np.int32),
        np.empty((groups, columns)),
        np.empty(groups, dtype=np.int32),
        np.empty((groups, 2 * k - 1), dtype=np.int32),
        np.empty(records, dtype=np.int32),
        np.concatenate([spare, np.empty(groups - len(spare), dtype=np.int32)])[:groups],
        np.array([groups - 1 - labels.max()], dtype=np.int32),
    )


@compiled
def settle(at: Membership) -> Points:
    """Everything anew from the labels, which also ends the drift of rounding; returns the SSE of every group."""
    at.sizes[:] = 0
    at.centroids[:] = 0.0
    columns = at.points.shape[1]
    for record in range(len(at.labels)):
        group = at.labels[record]
        at.places[record] = at.sizes[group]
        at.members[group, at.sizes[group]] = record
        at.sizes[group] += 1
        for column in range(columns):
            at.centroids[group, column] += at.points[record, column]
    for group in range(len(at.sizes)):
        for column in range(columns):
            at.centroids[group, column] /= max(at.sizes[group], 1)
    losses = np.zeros(len(at.sizes))
    for record in range(len(at.labels)):
        losses[at.labels[record]] += apart(at, record, at.labels[record])
    return losses


@compiled
def apart(at: Membership, record: int, group: int) -> float:
    """The squared distance of a record from the centroid of a group."""
    total = 0.0
    for column in range(at.points.shape[1]):
        step = at.points[record, column] - at.centroids[group, column]
        total += step * step
    return total


@compiled
def joining(at: Membership, record: int, group: int) -> float:
    """By how much the SSE grow when a record joins a group; nothing where it is the first."""
    size = at.sizes[group]
    return 0.0 if size == 0 else apart(at, record, group) * size / (size + 1)


@compiled
def leaving(at: Membership, record: int) -> float:
    """By how much the SSE fall when a record leaves its group; nothing where it is the last."""
    size = at.sizes[at.labels[record]]
    return 0.0 if size == 1 else apart(at, record, at.labels[record]) * size / (size - 1)


@compiled
def relocate(at: Membership, record: int, group: int) -> None:
    """Let a record go to another group, in which there must be room."""
    old = at.labels[record]
    left, size = at.sizes[old] - 1, at.sizes[group]
    last = at.members[old, left]
    at.members[old, at.places[record]] = last
    at.places[last] = at.places[record]
    at.members[group, size] = record
    at.places[record], at.labels[record] = size, group
    at.sizes[old], at.sizes[group] = left, size + 1
    for column in range(at.points.shape[1]):
        value = at.points[record, column]
        if left > 0:
            at.centroids[old, column] -= (value - at.centroids[old, column]) / left
        if size > 0:
            at.centroids[group, column] += (value - at.centroids[group, column]) / (size + 1)
        else:
            at.centroids[group, column] = value


@compiled
def seat(at: Membership, record: int, group: int, place: int) -> None:
    """Put a record where another one was; centroids are somebody else's business."""
    at.members[group, place] = record
    at.places[record], at.labels[record] = place, group
