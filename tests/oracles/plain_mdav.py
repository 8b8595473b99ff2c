"""MDAV, MDAV-1 and MDAV-generic as one would write them down: every distance computed anew at every step.

Squared distances are sums over the columns from first to last, the mean of what is left is the exact sum, rounded once,
divided by how many there are, and ties go to the lowest record.
"""

import math

import numpy as np


def squared(points, place):
    total = np.zeros(len(points))
    for column in range(points.shape[1]):
        total += (points[:, column] - place[column]) ** 2
    return total


def mean(points):
    return np.array([math.fsum(column) / len(points) for column in points.T])


def farthest(points, free, place):
    return int(free[np.argmax(squared(points[free], place))])


def group_around(points, free, seed, k):
    others = free[free != seed]
    nearest = others[np.argsort(squared(points[others], points[seed]), kind="stable")[: k - 1]]
    return np.concatenate([[seed], nearest])


def without(free, group):
    return free[~np.isin(free, group)]


def pairs(points, k, enough):
    """Groups made in pairs while at least `enough` records are free, and who is left."""
    free, groups = np.arange(len(points)), []
    while len(free) >= enough:
        seed = farthest(points, free, mean(points[free]))
        groups.append(group_around(points, free, seed, k))
        free = without(free, groups[-1])
        opposite = farthest(points, free, points[seed])
        groups.append(group_around(points, free, opposite, k))
        free = without(free, groups[-1])
    return groups, free


def to_the_nearest(points, groups, free):
    """Everybody left joins the group with the nearest mean; means stay as they were."""
    means = np.array([mean(points[group]) for group in groups])
    joined = [int(np.argmin(squared(means, points[record]))) for record in free]
    return [np.concatenate([group, free[np.array(joined) == at]]) for at, group in enumerate(groups)]


def ended(points, k, groups, free, ending):
    if ending != "mdav" and len(free) >= (2 * k if ending == "generic" else k):
        groups = [*groups, group_around(points, free, farthest(points, free, mean(points[free])), k)]
        free = without(free, groups[-1])
    if len(free) >= k and ending != "mdav_1":
        return [*groups, free]
    return to_the_nearest(points, groups, free) if len(free) else groups


def plain_mdav(points, k, ending="mdav"):
    labels = np.zeros(len(points), dtype=np.int32)
    if len(points) < 2 * k:
        return labels
    groups, free = pairs(points, k, 3 * k if ending == "generic" else 2 * k)
    for label, group in enumerate(ended(points, k, groups, free, ending)):
        labels[group] = label
    return labels
