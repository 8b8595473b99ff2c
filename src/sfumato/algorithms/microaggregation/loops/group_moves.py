"""Moves of whole groups: one is given up and its records go to those nearby, or one is founded by spare records.

Both are done step by step, since every record changes what the next one finds, and taken back if they are not wanted.
`steps` has room for the records that moved, `origins` for the groups they came from.
"""

from __future__ import annotations

from numpy import exp, inf

from sfumato.algorithms.microaggregation.loops.membership import Membership, Numbers, joining, leaving, relocate
from sfumato.kernels.compiled import compiled, inlined
from sfumato.kernels.random import Chance, draw

WOBBLE, PASSED_OVER = 0.4, 0.15
"""How much of chance is in the choice of a group to go to, and how often a near record is not asked to found one."""


@inlined
def accepted(change: float, temperature: float, chance: Chance) -> bool:
    """Whether to make a move: always if it loses nothing, else the rarer the more it loses and the colder it is."""
    if change <= 0.0:
        return True
    return temperature > 0.0 and draw(chance) < exp(-change / temperature)


@compiled
def undo(at: Membership, steps: Numbers, origins: Numbers, count: int) -> None:
    """Take relocations back, the last one first."""
    for step in range(count - 1, -1, -1):
        relocate(at, steps[step], origins[step])


@compiled
def refuge(at: Membership, record: int, chance: Chance) -> int:
    """The group of a near record in which a record does about least harm; -1 where none has room."""
    least, found, own = inf, -1, at.labels[record]
    for place in range(at.near.shape[1]):
        group = at.labels[at.near[record, place]]
        if group != own and group != found and at.sizes[group] < at.members.shape[1]:
            harm = joining(at, record, group) * (1.0 - WOBBLE / 2 + WOBBLE * draw(chance))
            if harm < least:
                least, found = harm, group
    return found


@compiled
def dissolve(at: Membership, group: int, temperature: float, chance: Chance, steps: Numbers, origins: Numbers) -> float:
    """Give up a group if chance and temperature allow; returns by how much the SSE changed."""
    total, count = 0.0, 0
    while at.sizes[group] > 0:
        record = at.members[group, at.sizes[group] - 1]
        target = refuge(at, record, chance)
        if target < 0:
            break
        total += joining(at, record, target) - leaving(at, record)
        steps[count], origins[count] = record, group
        count += 1
        relocate(at, record, target)
    if at.sizes[group] > 0 or not accepted(total, temperature, chance):
        undo(at, steps, origins, count)
        return 0.0
    at.spare[at.spares[0]] = group
    at.spares[0] += 1
    return total


@compiled
def found(at: Membership, seed: int, k: int, temperature: float, chance: Chance, steps: Numbers,
          origins: Numbers) -> float:  # fmt: skip
    """A group of a record and k - 1 near ones that theirs can spare, if chance and temperature allow it.

    Returns by how much the SSE changed.
    """
    if at.spares[0] == 0 or at.sizes[at.labels[seed]] <= k:
        return 0.0
    group, total, count = at.spare[at.spares[0] - 1], 0.0, 0
    for place in range(-1, at.near.shape[1]):
        record = seed if place < 0 else at.near[seed, place]
        if at.labels[record] == group or at.sizes[at.labels[record]] <= k:
            continue
        if place >= 0 and draw(chance) < PASSED_OVER:
            continue
        total += joining(at, record, group) - leaving(at, record)
        steps[count], origins[count] = record, at.labels[record]
        count += 1
        relocate(at, record, group)
        if count == k:
            break
    if count < k or not accepted(total, temperature, chance):
        undo(at, steps, origins, count)
        return 0.0
    at.spares[0] -= 1
    return total
