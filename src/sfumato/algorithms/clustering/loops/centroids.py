"""Loops of `oka` and `k_center`: distances from centroids, which are means of numbers and modes of categories.

Each term has one array over all groups, so that the distances of a row from all centroids are sums of loops over
contiguous arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.covers import Covers
from sfumato.kernels.compiled import compiled

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Spots(NamedTuple):
    """Rows as terms of their distance from a centroid: numbers, and names of categories or of taxonomy nodes.

    Number term r costs the difference of `places[r]`, at most `whole`; name term m costs `price[m]` if the names
    differ.
    """

    places: Whole
    names: Whole
    price: Whole
    whole: int


class Centroids(NamedTuple):
    """The current centroids: `mean` and `mode` of each term, and in `often` the number of records with the mode.

    `total` is the sum of the places, `size` the number of records of the group.
    """

    mean: Floats
    total: Counts
    mode: Whole
    often: Counts
    size: Counts


def spots_of(covers: Covers) -> Spots:
    """The same rows with nodes and sets as names."""
    names = np.concatenate([covers.nodes, covers.values])
    return Spots(covers.places, names, np.concatenate([covers.node_price, covers.value_price]), covers.whole)


def no_centroids(spots: Spots, groups: int) -> Centroids:
    """The state of empty groups."""
    numbers, names = (len(spots.places), groups), (len(spots.names), groups)
    return Centroids(
        np.zeros(numbers),
        np.zeros(numbers, dtype=np.int64),
        np.zeros(names, dtype=np.int32),
        np.zeros(names, dtype=np.int64),
        np.zeros(groups, dtype=np.int64),
    )


@compiled
def distances(spots: Spots, centroids: Centroids, row: int, far: Floats) -> None:
    """The distance of a row from the centroid of each group, written to `far`."""
    far[:] = 0.0
    whole = float(spots.whole)
    for term in range(len(spots.places)):
        place, mean = float(spots.places[term, row]), centroids.mean[term]
        for group in range(len(far)):
            far[group] += min(whole, abs(mean[group] - place))
    for term in range(len(spots.names)):
        name, price, mode = spots.names[term, row], float(spots.price[term]), centroids.mode[term]
        for group in range(len(far)):
            far[group] += price if mode[group] != name else 0.0


@compiled
def own_distances(spots: Spots, centroids: Centroids, rows: Counts, groups: Whole) -> Floats:
    """The distance of each row from the centroid of its own group."""
    found = np.zeros(len(rows))
    for run in range(len(rows)):
        row, group = rows[run], groups[run]
        for term in range(len(spots.places)):
            apart = abs(centroids.mean[term, group] - spots.places[term, row])
            found[run] += min(float(spots.whole), apart)
        for term in range(len(spots.names)):
            if centroids.mode[term, group] != spots.names[term, row]:
                found[run] += spots.price[term]
    return found


@compiled
def _nearest(far: Floats, size: Counts, limit: int) -> int:
    """The first of the nearest groups with fewer than `limit` records; -1 if there is none."""
    best = -1
    for group in range(len(far)):
        if size[group] < limit and (best < 0 or far[group] < far[best]):
            best = group
    return best


@compiled
def one_pass(spots: Spots, counts: Counts, seeds: Counts) -> tuple[Counts, Whole, Counts, Centroids]:
    """Runs of records: each row in turn joins the group with the nearest centroid, which moves at once.

    Each group starts with one record of its seed row. All records of a row join the same group, because its centroid
    only comes closer when one of them joins.
    """
    groups, most = len(seeds), len(seeds) + len(counts)
    centroids = Centroids(
        np.zeros((len(spots.places), groups)),
        np.zeros((len(spots.places), groups), dtype=np.int64),
        np.zeros((len(spots.names), groups), dtype=np.int32),
        np.zeros((len(spots.names), groups), dtype=np.int64),
        np.zeros(groups, dtype=np.int64),
    )
    row, group, many = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int64)
    before, last = np.empty(most, np.int64), np.full(groups, -1)
    left, far, made = counts.copy(), np.empty(groups), 0
    for place in range(most):
        if place < groups:
            row[made], group[made], many[made] = seeds[place], place, 1
        elif left[place - groups] > 0:
            row[made], many[made] = place - groups, left[place - groups]
            distances(spots, centroids, row[made], far)
            group[made] = _nearest(far, centroids.size, np.iinfo(np.int64).max)
        else:
            continue
        left[row[made]] -= many[made]
        before[made], last[group[made]] = last[group[made]], made
        _move(spots, centroids, row, many, before, made, group[made])
        made += 1
    return row[:made], group[:made], many[:made], centroids


@compiled
def _move(spots: Spots, centroids: Centroids, row: Counts, many: Counts, before: Counts, run: int, group: int) -> None:
    """Update the centroid of a group after its last run; `before` links each run to the previous run of its group."""
    centroids.size[group] += many[run]
    for term in range(len(spots.places)):
        centroids.total[term, group] += many[run] * np.int64(spots.places[term, row[run]])
        centroids.mean[term, group] = centroids.total[term, group] / centroids.size[group]
    for term in range(len(spots.names)):
        name, often, other = spots.names[term, row[run]], 0, run
        while other >= 0:
            if spots.names[term, row[other]] == name:
                often += many[other]
            other = before[other]
        top = centroids.often[term, group]
        if often > top or (often == top and name < centroids.mode[term, group]):
            centroids.mode[term, group], centroids.often[term, group] = name, often


@compiled
def fill_up(spots: Spots, centroids: Centroids, rows: Counts, counts: Counts, k: int) -> tuple[Counts, Whole, Counts]:
    """Runs of records that join the nearest group with fewer than k records, or the nearest of all if there is none.

    The centroids do not move; sizes change.
    """
    most = len(rows) + len(centroids.size)
    row, group, many = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int64)
    far, made, wanting = np.empty(len(centroids.size)), 0, np.maximum(k - centroids.size, 0).sum()
    for run in range(len(rows)):
        left = counts[run]
        distances(spots, centroids, rows[run], far)
        while left > 0:
            best = _nearest(far, centroids.size, k if wanting > 0 else np.iinfo(np.int64).max)
            taken = min(left, k - centroids.size[best]) if wanting > 0 else left
            wanting -= taken if wanting > 0 else 0
            row[made], group[made], many[made] = rows[run], best, taken
            centroids.size[best] += taken
            left, made = left - taken, made + 1
    return row[:made], group[:made], many[:made]


@compiled
def farthest_first(spots: Spots, first: int, most: int) -> tuple[Counts, Whole]:
    """Up to `most` centres, each the row furthest from the previous ones, and the nearest centre of each row.

    It stops early when each row equals a centre. `least` is the distance of each row from its nearest centre, so that a
    new centre needs one pass over the rows.
    """
    rows = spots.places.shape[1]
    centres, nearest, least = np.empty(most, np.int64), np.zeros(rows, np.int32), np.full(rows, np.iinfo(np.int32).max)
    far, centre = np.empty(rows, np.int32), first
    for made in range(most):
        centres[made] = centre
        _apart(spots, centre, far)
        for row in range(rows):
            if far[row] < least[row]:
                least[row], nearest[row] = far[row], made
        centre = int(np.argmax(least))
        if least[centre] == 0:
            return centres[: made + 1], nearest
    return centres, nearest


@compiled
def _apart(spots: Spots, centre: int, far: Whole) -> None:
    """The distance of each row from one of them, written to `far`."""
    far[:] = 0
    whole = np.int32(spots.whole)
    for term in range(len(spots.places)):
        places, place = spots.places[term], spots.places[term, centre]
        for row in range(len(far)):
            far[row] += min(whole, abs(places[row] - place))
    for term in range(len(spots.names)):
        names, name, price = spots.names[term], spots.names[term, centre], spots.price[term]
        for row in range(len(far)):
            far[row] += price if names[row] != name else np.int32(0)
