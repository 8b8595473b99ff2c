"""Moves of single records between groups: what each would do to the SSE, in one walk over the columns, and doing it.

The SSE of a group of m points are the sum of their |x|² less |s|² / m, s being the sum of the points. Where records
change places, m and all |x|² together stay; if s becomes s + u, the SSE fall by 2 u·c + u·u / m, c being the centroid.
"""

from __future__ import annotations

from sfumato.algorithms.microaggregation.loops.membership import Membership, joining, leaving, relocate, seat
from sfumato.kernels.compiled import compiled, inlined


@inlined
def relocation_change(at: Membership, record: int, group: int) -> float:
    """By how much the SSE change when a record goes to another group."""
    return joining(at, record, group) - leaving(at, record)


@inlined
def swap_change(at: Membership, one: int, other: int) -> float:
    """By how much the SSE change when two records of different groups change places."""
    here, there = at.labels[one], at.labels[other]
    along, squared = 0.0, 0.0
    for column in range(at.points.shape[1]):
        step = at.points[other, column] - at.points[one, column]
        along += step * (at.centroids[there, column] - at.centroids[here, column])
        squared += step * step
    return float(2.0 * along - squared * (1.0 / at.sizes[here] + 1.0 / at.sizes[there]))


@compiled
def swap(at: Membership, one: int, other: int) -> None:
    """Let two records of different groups change places."""
    here, there = at.labels[one], at.labels[other]
    for column in range(at.points.shape[1]):
        step = at.points[other, column] - at.points[one, column]
        at.centroids[here, column] += step / at.sizes[here]
        at.centroids[there, column] -= step / at.sizes[there]
    place, further = at.places[one], at.places[other]
    seat(at, other, here, place)
    seat(at, one, there, further)


@compiled
def cycle_change(at: Membership, one: int, two: int, three: int) -> float:
    """By how much the SSE change when each of three records of different groups takes the next one's place."""
    first, second, third = at.labels[one], at.labels[two], at.labels[three]
    share, share_2, share_3 = 1.0 / at.sizes[first], 1.0 / at.sizes[second], 1.0 / at.sizes[third]
    total = 0.0
    for column in range(at.points.shape[1]):
        x, y, z = at.points[one, column], at.points[two, column], at.points[three, column]
        total += (z - x) * (2.0 * at.centroids[first, column] + (z - x) * share)
        total += (x - y) * (2.0 * at.centroids[second, column] + (x - y) * share_2)
        total += (y - z) * (2.0 * at.centroids[third, column] + (y - z) * share_3)
    return -total


@compiled
def cycle(at: Membership, one: int, two: int, three: int) -> None:
    """Let each of three records of different groups take the next one's place."""
    first, second, third = at.labels[one], at.labels[two], at.labels[three]
    for column in range(at.points.shape[1]):
        x, y, z = at.points[one, column], at.points[two, column], at.points[three, column]
        at.centroids[first, column] += (z - x) / at.sizes[first]
        at.centroids[second, column] += (x - y) / at.sizes[second]
        at.centroids[third, column] += (y - z) / at.sizes[third]
    place, place_2, place_3 = at.places[one], at.places[two], at.places[three]
    seat(at, three, first, place)
    seat(at, one, second, place_2)
    seat(at, two, third, place_3)


@compiled
def chain_change(at: Membership, one: int, two: int, group: int) -> float:
    """By how much the SSE change when one takes the place of two, which goes to a third group."""
    middle = at.labels[two]
    left = at.sizes[middle] - 1
    total = 0.0
    for column in range(at.points.shape[1]):
        centroid = at.centroids[middle, column]
        centroid -= (at.points[two, column] - centroid) / left
        step = at.points[one, column] - centroid
        total += step * step
    return float(relocation_change(at, two, group) + total * left / (left + 1) - leaving(at, one))


@compiled
def chain(at: Membership, one: int, two: int, group: int) -> None:
    """Let one go to the group of two, and two to a third group."""
    middle = at.labels[two]
    relocate(at, two, group)
    relocate(at, one, middle)
