"""Loops of `oka` and `k_center`: distances from centroids, which are means of numbers and modes of categories.

Each term has one array over all groups, so that the distances of a row from all centroids are sums of loops over
contiguous arrays. One such pass costs O(groups * terms). Means follow from integer sums, so they do not depend on the
order in which records joined; modes follow from counts, with the lowest name on ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.covers import Covers
from sfumato.runtime.representations import sizes_only

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class DistanceTerms(NamedTuple):
    """Rows as terms of their distance from a centroid: numbers, and names of categories or of taxonomy nodes.

    Number term r costs the difference of `places[r]`, at most `whole`; name term m costs `price[m]` if the names
    differ. Arrays are term by row.
    """

    places: Whole
    names: Whole
    price: Whole
    whole: int


class Centroids(NamedTuple):
    """The current centroids, term by group, updated in place."""

    mean: Floats
    """The mean place of the records of a group, for each number term."""
    total: Counts
    """The sum of these places, from which the mean is computed without rounding errors that add up."""
    mode: Whole
    """The most frequent name of the records of a group, for each name term."""
    mode_count: Counts
    """The number of records with that name."""
    size: Counts
    """The number of records of each group."""

    def __repr__(self) -> str:
        return sizes_only(self)


def distance_terms(covers: Covers) -> DistanceTerms:
    """The same rows with nodes and sets as names."""
    names = np.concatenate([covers.nodes, covers.values])
    return DistanceTerms(covers.places, names, np.concatenate([covers.node_price, covers.value_price]), covers.whole)


@compiled
def empty_centroids(terms: DistanceTerms, groups: int) -> Centroids:
    """The state of empty groups."""
    numbers, names = (len(terms.places), groups), (len(terms.names), groups)
    return Centroids(
        np.zeros(numbers),
        np.zeros(numbers, dtype=np.int64),
        np.zeros(names, dtype=np.int32),
        np.zeros(names, dtype=np.int64),
        np.zeros(groups, dtype=np.int64),
    )


@compiled
def distances(terms: DistanceTerms, centroids: Centroids, row: int, distance: Floats) -> None:
    """The distance of a row from the centroid of each group, written to `distance`."""
    distance[:] = 0.0
    whole = float(terms.whole)
    for term in range(len(terms.places)):
        place, mean = float(terms.places[term, row]), centroids.mean[term]
        for group in range(len(distance)):
            distance[group] += min(whole, abs(mean[group] - place))
    for term in range(len(terms.names)):
        name, price, mode = terms.names[term, row], float(terms.price[term]), centroids.mode[term]
        for group in range(len(distance)):
            distance[group] += price if mode[group] != name else 0.0


@compiled
def own_distances(terms: DistanceTerms, centroids: Centroids, rows: Counts, groups: Whole) -> Floats:
    """The distance of each row from the centroid of its own group."""
    found = np.zeros(len(rows))
    for run in range(len(rows)):
        row, group = rows[run], groups[run]
        for term in range(len(terms.places)):
            apart = abs(centroids.mean[term, group] - terms.places[term, row])
            found[run] += min(float(terms.whole), apart)
        for term in range(len(terms.names)):
            if centroids.mode[term, group] != terms.names[term, row]:
                found[run] += terms.price[term]
    return found


@compiled
def _nearest(distance: Floats, size: Counts, limit: int) -> int:
    """The first of the nearest groups with fewer than `limit` records; -1 if there is none."""
    best = -1
    for group in range(len(distance)):
        if size[group] < limit and (best < 0 or distance[group] < distance[best]):
            best = group
    return best


@compiled
def one_pass(terms: DistanceTerms, counts: Counts, seeds: Counts) -> tuple[Counts, Whole, Counts, Centroids]:
    """Runs of records: each row in turn joins the group with the nearest centroid, which moves at once.

    Each group starts with one record of its seed row. All records of a row join the same group, because its centroid
    only comes closer when one of them joins. Cost: O(rows * groups * terms) for the distances, and one pass over the
    runs of the joined group per row and name term for the modes.
    """
    groups, most = len(seeds), len(seeds) + len(counts)
    centroids = empty_centroids(terms, groups)
    # a run is `many` records of `row` that join `group`; `before` links it to the previous run of the same group
    row, group, many = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int64)
    before, last = np.empty(most, np.int64), np.full(groups, -1)
    left, distance, made = counts.copy(), np.empty(groups), 0
    for place in range(most):
        # first a record of each seed row, then the remaining records of all rows
        if place < groups:
            row[made], group[made], many[made] = seeds[place], place, 1
        elif left[place - groups] > 0:
            row[made], many[made] = place - groups, left[place - groups]
            distances(terms, centroids, row[made], distance)
            group[made] = _nearest(distance, centroids.size, np.iinfo(np.int64).max)
        else:
            continue
        # record the run, link it to its group and move the centroid
        left[row[made]] -= many[made]
        before[made], last[group[made]] = last[group[made]], made
        _move(terms, centroids, row, many, before, made, group[made])
        made += 1
    return row[:made], group[:made], many[:made], centroids


@compiled
def _move(
    terms: DistanceTerms, centroids: Centroids, row: Counts, many: Counts, before: Counts, run: int, group: int
) -> None:
    """Update the centroid of a group after its last run; `before` links each run to the previous run of its group.

    Only the count of the name that has just been added can exceed that of the mode, so it is the only one that is
    counted, by a pass over the runs of the group.
    """
    centroids.size[group] += many[run]
    for term in range(len(terms.places)):
        centroids.total[term, group] += many[run] * np.int64(terms.places[term, row[run]])
        centroids.mean[term, group] = centroids.total[term, group] / centroids.size[group]
    for term in range(len(terms.names)):
        name, mode_count, other = terms.names[term, row[run]], 0, run
        # count the records with this name over all runs of the group
        while other >= 0:
            if terms.names[term, row[other]] == name:
                mode_count += many[other]
            other = before[other]
        # the counts of all other names are unchanged, so the mode stays or becomes this name
        top = centroids.mode_count[term, group]
        if mode_count > top or (mode_count == top and name < centroids.mode[term, group]):
            centroids.mode[term, group], centroids.mode_count[term, group] = name, mode_count


@compiled
def fill_up(
    terms: DistanceTerms, centroids: Centroids, rows: Counts, counts: Counts, k: int
) -> tuple[Counts, Whole, Counts]:
    """Runs of records that join the nearest group with fewer than k records, or the nearest of all if there is none.

    The centroids do not move; sizes change. `missing` is the number of records that groups still lack to have k each. A
    row is divided into several runs only where a group becomes full, so there are at most rows + groups runs.
    Cost: O(rows * groups * terms).
    """
    most = len(rows) + len(centroids.size)
    row, group, many = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int64)
    distance, made, missing = np.empty(len(centroids.size)), 0, np.maximum(k - centroids.size, 0).sum()
    for run in range(len(rows)):
        left = counts[run]
        distances(terms, centroids, rows[run], distance)
        # the nearest group that still lacks records takes as many as it lacks; when none lacks any, the nearest takes
        # all
        while left > 0:
            best = _nearest(distance, centroids.size, k if missing > 0 else np.iinfo(np.int64).max)
            taken = min(left, k - centroids.size[best]) if missing > 0 else left
            missing -= taken if missing > 0 else 0
            row[made], group[made], many[made] = rows[run], best, taken
            centroids.size[best] += taken
            left, made = left - taken, made + 1
    return row[:made], group[:made], many[:made]


@compiled
def farthest_first(terms: DistanceTerms, first: int, most: int) -> tuple[Counts, Whole]:
    """Up to `most` centres, each the row farthest from the previous ones, and the nearest centre of each row.

    It stops early when each row equals a centre. `least` is the distance of each row from its nearest centre, so that a
    new centre needs one pass over the rows: O(centres * rows * terms).
    """
    rows = terms.places.shape[1]
    centres, nearest, least = np.empty(most, np.int64), np.zeros(rows, np.int32), np.full(rows, np.iinfo(np.int32).max)
    distance, centre = np.empty(rows, np.int32), first
    for made in range(most):
        centres[made] = centre
        _distances_from_row(terms, centre, distance)
        # the new centre is the nearest one of some rows
        for row in range(rows):
            if distance[row] < least[row]:
                least[row], nearest[row] = distance[row], made
        # the first of the rows that are farthest from their nearest centre
        centre = int(np.argmax(least))
        if least[centre] == 0:
            return centres[: made + 1], nearest
    return centres, nearest


@compiled
def _distances_from_row(terms: DistanceTerms, centre: int, distance: Whole) -> None:
    """The distance of each row from the row `centre`, written to `distance`."""
    distance[:] = 0
    whole = np.int32(terms.whole)
    for term in range(len(terms.places)):
        places, place = terms.places[term], terms.places[term, centre]
        for row in range(len(distance)):
            distance[row] += min(whole, abs(places[row] - place))
    for term in range(len(terms.names)):
        names, name, price = terms.names[term], terms.names[term, centre], terms.price[term]
        for row in range(len(distance)):
            distance[row] += price if names[row] != name else np.int32(0)
