"""Microaggregation the obvious way: free records in a list, every distance computed when it is asked for.

Sums run over columns from left to right and over records from first to last, so that the fast versions, which add up in
the same order, break ties alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Groups = list[list[int]]
Split = Callable[[Points, int], Groups]


def labels_of(groups: Groups, n: int) -> NDArray[np.int32]:
    """The number of every record's group."""
    labels = np.full(n, -1, dtype=np.int32)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


def squares(points: Points, place: Points) -> Points:
    """The squared distance of all points from a place, one column after the other."""
    total = np.zeros(len(points))
    for column in range(points.shape[1]):
        total = total + (points[:, column] - place[column]) ** 2
    return total


def middle(points: Points, group: Sequence[int]) -> Points:
    """The mean of a group."""
    total = np.zeros(points.shape[1])
    for member in sorted(group):
        total = total + points[member]
    return total / len(group)


def spread(points: Points, group: Sequence[int]) -> float:
    """The squared distances of a group from its mean, added up."""
    total = 0.0
    for distance in squares(points[sorted(group)], middle(points, group)):
        total += float(distance)
    return total


def loss(points: Points, groups: Groups) -> float:
    """The squared distances of all records from their group's mean."""
    return sum(spread(points, group) for group in groups)


def farthest(points: Points, free: list[int], place: Points) -> int:
    """The free record farthest from a place, the first of several."""
    distance = squares(points[free], place)
    return free[int(np.argmax(distance))]


def nearest_of(points: Points, free: list[int], seed: int, k: int) -> list[int]:
    """A seed and its k - 1 nearest free records, the first of several."""
    others = [record for record in free if record != seed]
    distance = squares(points[others], points[seed]) if others else np.zeros(0)
    order = np.argsort(distance, kind="stable")[: k - 1]
    return [seed, *(others[place] for place in order)]


def without(free: list[int], group: Sequence[int]) -> list[int]:
    """The free records that are not of a group."""
    gone = set(group)
    return [record for record in free if record not in gone]


def with_leftovers(points: Points, groups: Groups, free: list[int]) -> Groups:
    """Every record that is left joins the group whose mean, before anybody joined, is nearest."""
    if not groups:
        return [free]
    means = np.array([middle(points, group) for group in groups])
    joined = [list(group) for group in groups]
    for record in free:
        joined[int(np.argmin(squares(means, points[record])))].append(record)
    return joined


def cbfs(points: Points, k: int) -> Groups:
    """One group after the other around the record farthest from the mean of those that are left."""
    free, groups = list(range(len(points))), []
    while len(free) >= k:
        groups.append(nearest_of(points, free, farthest(points, free, middle(points, free)), k))
        free = without(free, groups[-1])
    return with_leftovers(points, groups, free)


def tfrp_1(points: Points, k: int) -> Groups:
    """Groups around the record farthest from the least, then from the greatest corner, and so on."""
    corners = [np.full(points.shape[1], points.min()), np.full(points.shape[1], points.max())]
    free, groups = list(range(len(points))), []
    while len(free) >= k:
        groups.append(nearest_of(points, free, farthest(points, free, corners[len(groups) % 2]), k))
        free = without(free, groups[-1])
    return with_leftovers(points, groups, free)


def v_mdav(points: Points, k: int, gamma: float) -> Groups:
    """Groups that go on growing while the next record is nearer to them than to anybody else."""
    free, groups = list(range(len(points))), []
    centre = middle(points, free)
    while len(free) >= k:
        group = nearest_of(points, free, farthest(points, free, centre), k)
        free = without(free, group)
        while len(group) < 2 * k - 1 and len(free) > 1:
            inside = [min(squares(points[group], points[record])) for record in free]
            place = int(np.argmin(inside))
            others = [record for record in free if record != free[place]]
            outside = min(squares(points[others], points[free[place]]))
            if not np.sqrt(inside[place]) < gamma * np.sqrt(outside):
                break
            group.append(free.pop(place))
        groups.append(group)
    return with_leftovers(points, groups, free)


def density_group(points: Points, free: list[int], k: int) -> list[int]:
    """The free record and its k - 1 nearest that lie closest together."""
    best, least = None, np.inf
    for record in free:
        group = nearest_of(points, free, record, k)
        if best is None or spread(points, group) < least:
            best, least = group, spread(points, group)
    return best or []


def dba_1(points: Points, k: int) -> Groups:
    """The densest neighbourhood of what is left, again and again."""
    free, groups = list(range(len(points))), []
    while len(free) >= k:
        groups.append(density_group(points, free, k))
        free = without(free, groups[-1])
    return with_leftovers(points, groups, free)


def mdav_1(points: Points, k: int) -> Groups:
    """Two groups at a time: around the record farthest from the mean, and around that farthest from this one."""
    free, groups = list(range(len(points))), []
    while len(free) >= 2 * k:
        one = farthest(points, free, middle(points, free))
        groups.append(nearest_of(points, free, one, k))
        free = without(free, groups[-1])
        groups.append(nearest_of(points, free, farthest(points, free, points[one]), k))
        free = without(free, groups[-1])
    if len(free) >= k:
        groups.append(nearest_of(points, free, farthest(points, free, middle(points, free)), k))
        free = without(free, groups[-1])
    return with_leftovers(points, groups, free)


def dissolved(points: Points, groups: Groups, order: Sequence[int], most: float = np.inf) -> Groups:
    """Give up every group in turn whose records do better with the others."""
    alive: dict[int, list[int]] = dict(enumerate(groups))
    rounding = 1e-12 * loss(points, groups)
    for number in order:
        others = {other: list(group) for other, group in alive.items() if other != number}
        means = {other: middle(points, group) for other, group in others.items()}
        fits = True
        for record in sorted(alive[number]):
            open_ = [other for other in others if len(others[other]) < most]
            if not open_:
                fits = False
                break
            distance = squares(np.array([means[other] for other in open_]), points[record])
            others[open_[int(np.argmin(distance))]].append(record)
        before = loss(points, list(alive.values()))
        if fits and others and loss(points, list(others.values())) < before - rounding:
            alive = others
    return list(alive.values())


def split(points: Points, groups: Groups, k: int, anew: Split) -> Groups:
    """Groups of 2k or more are cut by another method."""
    found: Groups = []
    for group in groups:
        if len(group) < 2 * k:
            found.append(group)
        else:
            members = sorted(group)
            found += [[members[place] for place in part] for part in anew(points[members], k)]
    return found


def heaviest_first(points: Points, groups: Groups) -> list[int]:
    """Groups by what they lose, most first."""
    return sorted(range(len(groups)), key=lambda number: -spread(points, groups[number]))


def tfrp_2(points: Points, k: int, most: float = np.inf) -> Groups:
    """TFRP-1, then groups given up in descending order of loss, then TFRP-1 in those that grew too large."""
    groups = tfrp_1(points, k)
    return split(points, dissolved(points, groups, heaviest_first(points, groups), most), k, tfrp_1)


def mdav_2(points: Points, k: int) -> Groups:
    """MDAV-1, then groups given up in descending order of loss, then MDAV-1 in those that grew too large."""
    groups = mdav_1(points, k)
    return split(points, dissolved(points, groups, heaviest_first(points, groups)), k, mdav_1)


def dba_2(points: Points, k: int) -> Groups:
    """DBA-1, then groups given up from the last to the first, then MDAV-1 in those that grew too large."""
    groups = dba_1(points, k)
    return split(points, dissolved(points, groups, range(len(groups) - 1, -1, -1)), k, mdav_1)


def sums(points: Points) -> list[float]:
    """The columns of every record added up."""
    total = np.zeros(len(points))
    for column in range(points.shape[1]):
        total = total + points[:, column]
    return [float(value) for value in total]


def in_order(points: Points) -> list[int]:
    """Records by the sum of their columns."""
    total = sums(points)
    return sorted(range(len(points)), key=lambda record: total[record])


def last_of(points: Points, free: list[int]) -> int:
    """The free record with the greatest sum, the first of several."""
    total = sums(points)
    return min(free, key=lambda record: (-total[record], record))


def grown(points: Points, free: list[int], seed: int, k: int) -> list[int]:
    """A seed and k - 1 records, each the nearest to the mean of those before it."""
    group, total = [seed], points[seed].copy()
    while len(group) < k:
        others = without(free, group)
        distance = squares(points[others], total / len(group))
        nearest = min(zip(distance, others, strict=True))[1]
        group.append(nearest)
        total = total + points[nearest]
    return group


def pairwise_systematic(points: Points, k: int, nearest: str = "centroid", last: str = "held") -> Groups:
    """Groups around the first and the last record in order, two at a time; the last is held back from the first."""
    around = grown if nearest == "centroid" else (lambda p, free, seed, k: nearest_of(p, sorted(free), seed, k))
    free, groups = in_order(points), []
    while len(free) >= 3 * k:
        final = last_of(points, free[1:])
        groups.append(around(points, without(free, [final]) if last == "held" else free, free[0], k))
        free = without(free, groups[-1])
        groups.append(around(points, free, final if last == "held" else last_of(points, free), k))
        free = without(free, groups[-1])
    if len(free) >= 2 * k:
        groups.append(around(points, free, free[0], k))
        free = without(free, groups[-1])
    return [*groups, free]


def systematic(points: Points, k: int, places: Sequence[int], cost: Callable[[Points, Points], float]) -> Groups:
    """All groups grow at once, by records a step of k apart; `places` is the order in which those steps begin."""
    order = in_order(points)
    count = len(points) // k
    if count < 2:
        return [order]
    groups = [[order[places[0] + k * number]] for number in range(count)]
    for place in places[1:]:
        for number in range(count):
            record = order[place + k * number]
            cheapest(points, groups, [g for g in range(count) if len(groups[g]) < k], record, cost)
    for record in order[count * k :]:
        cheapest(points, groups, list(range(count)), record, cost)
    return groups


def cheapest(
    points: Points, groups: Groups, open_: list[int], record: int, cost: Callable[[Points, Points], float]
) -> None:
    """Put a record into the open group that loses least by it."""
    prices = [cost(points[groups[number]], points[record]) for number in open_]
    groups[open_[int(np.argmin(prices))]].append(record)


def squared_cost(members: Points, record: Points) -> float:
    """What a group's sum of squares grows by when a record joins."""
    total = np.zeros(members.shape[1])
    for member in members:
        total = total + member
    size = len(members)
    return float(squares(record[None, :], total / size)[0] * (size / (size + 1)))


def absolute_cost(members: Points, record: Points) -> float:
    """What a group's absolute deviations from its median grow by when a record joins."""
    joined = np.vstack([members, record])
    return float(np.abs(joined - np.median(joined, axis=0)).sum() - np.abs(members - np.median(members, axis=0)).sum())
