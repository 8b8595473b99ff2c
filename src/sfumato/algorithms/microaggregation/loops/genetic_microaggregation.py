"""Groups that are bred: of many ways to group some points the better ones have children, and the worst make room.

A chromosome is the group number of every point. Whatever is done to it is repaired at once, so that a number is used by
k to 2k - 1 points or by none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.loops.chromosomes import (
    Chromosome,
    chromosome,
    dissolve,
    join,
    leave,
    numbered,
    place,
    squared_error,
)
from sfumato.kernels.compiled import compiled
from sfumato.kernels.random import Chance, draw

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]

EXCHANGED = 0.5
"""How many of the children are changed by chance, too."""


@compiled
def bred(points: Points, k: int, population: int, children: int, chance: Chance) -> Numbers:
    """The best of all: labels from 0 without gaps, groups of k to 2k - 1 of at least 2k points."""
    n = len(points)
    everybody, errors = np.empty((population, n), dtype=np.int32), np.empty(population)
    child = chromosome(points, k)
    for one in range(population):
        _random(child, k, chance)
        everybody[one], errors[one] = child.labels, squared_error(child)
    for _ in range(children):
        mother, father = _fitter(errors, chance), _fitter(errors, chance)
        _take_over(child, everybody[mother])
        _inherit(child, everybody[father], k, chance)
        if draw(chance) < EXCHANGED:
            _exchange(child, k, chance)
        error = squared_error(child)
        worst = int(np.argmax(errors))
        if error < errors[worst] and not _known(errors, error):
            everybody[worst], errors[worst] = child.labels, error
    return numbered(everybody[int(np.argmin(errors))])


@compiled
def _random(child: Chromosome, k: int, chance: Chance) -> None:
    """Deal the points out by chance, to some number of groups that is possible."""
    n = len(child.labels)
    fewest, most = -(-n // (2 * k - 1)), n // k
    groups = fewest + int(draw(chance) * (most - fewest + 1))
    order = np.arange(n)
    for at in range(n - 1, 0, -1):
        other = int(draw(chance) * (at + 1))
        order[at], order[other] = order[other], order[at]
    labels = np.empty(n, dtype=np.int32)
    for at in range(n):
        labels[order[at]] = at % groups
    _take_over(child, labels)


@compiled
def _take_over(child: Chromosome, labels: Numbers) -> None:
    """Become like a parent."""
    child.labels[:] = -1
    child.sizes[:] = 0
    child.sums[:] = 0.0
    for point in range(len(labels)):
        join(child, point, labels[point])


@compiled
def _fitter(errors: Points, chance: Chance) -> int:
    """The better of two that are drawn by chance."""
    one, other = int(draw(chance) * len(errors)), int(draw(chance) * len(errors))
    return one if errors[one] <= errors[other] else other


@compiled
def _known(errors: Points, error: float) -> bool:
    """Whether there is one with this error already: twins would soon be all there is."""
    for one in range(len(errors)):
        if errors[one] == error:
            return True
    return False


@compiled
def _inherit(child: Chromosome, father: Numbers, k: int, chance: Chance) -> None:
    """Take over one of the other parent's groups as a whole, and find places for those who lost theirs."""
    group = father[int(draw(chance) * len(father))]
    for point in range(len(father)):
        if father[point] == group:
            leave(child, point)
    free = int(np.argmin(child.sizes))
    for point in range(len(father)):
        if father[point] == group:
            join(child, point, free)
    for other in range(len(child.sizes)):
        if 0 < child.sizes[other] < k:
            dissolve(child, other)
    for point in range(len(child.labels)):
        if child.labels[point] < 0:
            place(child, point, k)


@compiled
def _exchange(child: Chromosome, k: int, chance: Chance) -> None:
    """Let two points of different groups change places, or one move where there is room, by chance."""
    n = len(child.labels)
    one, other = int(draw(chance) * n), int(draw(chance) * n)
    here, there = child.labels[one], child.labels[other]
    if here == there:
        return
    leave(child, one)
    if child.sizes[here] >= k and child.sizes[there] < 2 * k - 1 and draw(chance) < 0.5:
        join(child, one, there)
        return
    leave(child, other)
    join(child, one, there)
    join(child, other, here)
