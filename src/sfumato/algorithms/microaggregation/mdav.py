"""MDAV (maximum distance to average vector): the algorithm, and the groups of MDAV, MDAV-1 and MDAV-generic.

The three differ in the last step, when too few records are free for another pair of groups. All other steps are one
compiled loop over a tree of the free records, which finds exactly the groups that comparing all records would find. A
few records are compared with numpy instead, because that takes less time than loading the loop, or compiling it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import assign_leftovers
from sfumato.settings.params import param

Ending = Literal["mdav", "mdav_1", "generic"]

FEW = 2000
"""Up to so many records all are compared, unless they are a block of more: that adds up over many blocks."""


@dataclass(frozen=True, kw_only=True)
class Mdav(Microaggregation):
    """Groups the record farthest from the mean with its k - 1 nearest, then the record farthest from that one.

    The mean and the distances count only free records, that is records without a group. Pairs of groups are made until
    too few records are free for another pair. The k to 2k - 1 records that are left then become one group, or two where
    there are more. With `leftovers="nearest"` pairs are made while 2k records are free, and fewer than k records that
    are left join the groups with the nearest means. The search in a tree of the free records finds the same groups as
    comparing all of them, in a small part of the time.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "25", "40", "44", "45"]})
    >>> Mdav().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '43')

    References: Domingo-Ferrer and Mateo-Sanz (2002), "Practical data-oriented microaggregation for statistical
    disclosure control"; Domingo-Ferrer and Torra (2005).
    """

    leftovers: Literal["group", "nearest"] = param(
        "group", doc="whether the last records are a group, or join the nearest ones where they are fewer than k"
    )

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        few = self.rows_at_once is None and len(points) <= FEW
        return mdav_groups(points, k, ending="generic" if self.leftovers == "group" else "mdav", few=few)


def mdav_groups(points: Points, k: int, *, ending: Ending, few: bool = False) -> Labels:
    """Groups of at least k points, numbered in the order in which they are made.

    "mdav": pairs while 2k points are free, then one group of the k or more that are left, or each of fewer than k joins
    the group with the nearest mean. "mdav_1": the same, but the last group has only k points and each of the others
    joins the group with the nearest mean. "generic": pairs while 3k points are free, then one or two groups of all
    others, so that no group has 2k points. `few` only says how the same groups are found.

    >>> mdav_groups(np.array([[0.0], [10.0], [1.0], [11.0], [4.0]]), 2, ending="mdav").tolist()
    [1, 0, 1, 0, 1]
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    labels = _pairs(few)(points, k, 3 * k if ending == "generic" else 2 * k)
    free = np.flatnonzero(labels < 0)
    if len(free) >= (2 * k if ending == "generic" else k) and ending != "mdav":
        # MDAV-generic makes one more group of k if 2k or more are left; MDAV-1 makes its last group of k.
        members = _outermost_group(points, free, _exact_sums(points[free])[0] / len(free), k)
        labels[members] = labels.max() + 1
        free = np.flatnonzero(labels < 0)
    # What is left is a group of its own if it is large enough;
    # otherwise `assign_leftovers` places the records one by one.
    if len(free) >= k and ending != "mdav_1":
        labels[free] = labels.max() + 1
    return assign_leftovers(points, labels)


def _pairs(few: bool) -> Callable[[Points, int, int], Labels]:
    if few:
        return pairs_of_few
    from sfumato.algorithms.microaggregation.loops.mdav import pairs_of_groups

    return pairs_of_groups


def pairs_of_few(points: Points, k: int, enough: int) -> Labels:
    """The same groups as `loops.mdav.pairs_of_groups`, by comparing all free points in every step.

    The sums are rounded in the same order as in the loop, so that no tie is decided differently.
    """
    labels, group, sums = np.full(len(points), -1, dtype=np.int32), 0, _exact_sums(points)
    free = np.arange(len(points))
    while len(free) >= enough:
        centre = sums[0] / len(free)
        for _ in range(2):  # the second group is farthest from the first point of the first
            members = _outermost_group(points, free, centre, k)
            centre = points[members[0]]
            labels[members] = group
            for point in points[members]:
                _add(sums, -point)
            free, group = free[labels[free] < 0], group + 1
    return labels


def _outermost_group(points: Points, free: NDArray[np.int64], centre: Points, k: int) -> NDArray[np.int64]:
    """Of the free points, in ascending order, the one farthest from a centre and the k - 1 nearest to it."""
    seed = int(np.argmax(_squared_distances(points[free], centre)))
    distances = _squared_distances(points[free], points[free[seed]])
    distances[seed] = -1.0  # sorts the seed before equal points
    return free[np.argsort(distances, kind="stable")[:k]]


def _exact_sums(points: Points) -> Points:
    """The sum of every column and below it what rounding lost, as in `kernels/neighbours/exact_sums.py`."""
    sums = np.zeros((2, points.shape[1]))
    for point in points:
        _add(sums, point)
    return sums


def _add(sums: Points, point: Points) -> None:
    old = sums[0].copy()
    rounded = old + point
    # Knuth's exact sum of two floats: the rounding error is a float itself and is carried in the second row.
    share = rounded - old
    lost = sums[1] + ((old - (rounded - share)) + (point - share))
    sums[0] = rounded + lost
    sums[1] = lost - (sums[0] - rounded)


def _squared_distances(points: Points, place: Points) -> Points:
    """Squared distances, summed from the first column to the last as in the kernels, so that ties are the same."""
    total = np.zeros(len(points))
    for column in range(points.shape[1]):
        total += (points[:, column] - place[column]) ** 2
    return total
