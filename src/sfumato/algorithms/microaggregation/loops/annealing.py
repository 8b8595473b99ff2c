"""Simulated annealing on groups of points: moves are tried at random, and kept the rarer the more they cost.

A record is drawn from a window of the table, then one of its near records, nearer ones likelier; what is tried is
always something between the groups of the two, so that a group has to do only with those next to it.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.microaggregation.loops.group_moves import accepted, dissolve, found
from sfumato.algorithms.microaggregation.loops.membership import Membership, relocate
from sfumato.algorithms.microaggregation.loops.record_moves import (
    chain,
    chain_change,
    cycle,
    cycle_change,
    relocation_change,
    swap,
    swap_change,
)
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.random import Chance, draw

OF_GROUPS, OF_THREE = 0.01, 0.2
"""How often a whole group is moved, and how often three groups take part instead of two."""


@compiled
def anneal(at: Membership, k: int, window: tuple[int, int], tries: int, temperature: float, chance: Chance) -> float:
    """Try so many moves that begin at records of a window; returns by how much the SSE changed.

    Every group keeps at least k members and has at most as many as there is room for; at temperature 0 nothing is done
    that makes the SSE larger.
    """
    total, (begin, end) = 0.0, window
    steps, origins = np.empty(at.members.shape[1], dtype=np.int32), np.empty(at.members.shape[1], dtype=np.int32)
    for _ in range(tries):
        record = begin + int(draw(chance) * (end - begin))
        kind = draw(chance)
        if kind < OF_GROUPS / 2:
            total += dissolve(at, at.labels[record], temperature, chance, steps, origins)
        elif kind < OF_GROUPS:
            total += found(at, record, k, temperature, chance, steps, origins)
        else:
            group = neighbour(at, record, chance)
            if group != at.labels[record]:
                total += between(at, k, record, group, kind < OF_GROUPS + OF_THREE, temperature, chance)
    return total


@inlined
def neighbour(at: Membership, record: int, chance: Chance) -> int:
    """The group of one of the near records, which may be the record's own."""
    far = draw(chance)
    return int(at.labels[at.near[record, int(at.near.shape[1] * far * far)]])


@inlined
def between(at: Membership, k: int, record: int, group: int, three: bool, temperature: float, chance: Chance) -> float:
    """Try to bring a record into another group, alone or in exchange; returns by how much the SSE changed."""
    spared = at.sizes[at.labels[record]] > k
    if spared and at.sizes[group] < at.members.shape[1] and draw(chance) < 0.5:
        change = relocation_change(at, record, group)
        if not accepted(change, temperature, chance):
            return 0.0
        relocate(at, record, group)
        return change
    other = at.members[group, int(draw(chance) * at.sizes[group])]
    if three:
        return among_three(at, record, other, spared, temperature, chance)
    change = swap_change(at, record, other)
    if not accepted(change, temperature, chance):
        return 0.0
    swap(at, record, other)
    return change


@compiled
def among_three(at: Membership, record: int, other: int, spared: bool, temperature: float, chance: Chance) -> float:
    """A record takes another one's place, which goes to a third group, alone or in exchange for the first's place."""
    group = neighbour(at, other, chance)
    if group == at.labels[record] or group == at.labels[other]:
        return 0.0
    if spared and at.sizes[group] < at.members.shape[1] and draw(chance) < 0.5:
        change = chain_change(at, record, other, group)
        if not accepted(change, temperature, chance):
            return 0.0
        chain(at, record, other, group)
        return change
    third = at.members[group, int(draw(chance) * at.sizes[group])]
    change = cycle_change(at, record, other, third)
    if not accepted(change, temperature, chance):
        return 0.0
    cycle(at, record, other, third)
    return change
