"""Groups whose records are published at different levels: each at the first node at which it is taken.

`LocalRecoding` publishes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.distinct_rows import DistinctRows, GroupQuestion, RecodedRows
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.level_costs import LevelCosts
from sfumato.algorithms.full_domain.nodes import LevelLabels
from sfumato.kernels.arrays import Flags
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

Labels = NDArray[np.int32]

_MOST = 50_000
"""Nodes that are looked at in the order of their bounds; in larger lattices the rest is a way up to the roots."""


def groups_by_levels(
    lattice: Lattice, costs: LevelCosts, rows: DistinctRows, way: Callable[[RecodedRows], Flags], least: int
) -> Labels:
    """The group of every row: at each node, the groups that are taken; those that no node takes are one group."""
    labels, levels_of = np.zeros(len(rows.table), dtype=np.int32), LevelLabels(lattice, rows.table)
    left, made = np.arange(len(rows.table)), 1
    for levels in _in_order(lattice, costs):
        recoded = rows.relabel(*levels_of.at(levels))
        if recoded.records_in_small_groups(least)[0] == rows.table.records:
            continue
        taken = way(recoded)
        if not taken.any():
            continue
        number = recoded.numbering(lattice.columns).number
        inside = taken[number]
        labels[left[inside]] = made + (np.cumsum(taken) - 1)[number[inside]]
        left, made = left[~inside], made + int(taken.sum())
        advance("grouping", len(labels) - len(left), len(labels))
        if not len(left):
            break
        rows = replace(rows, table=rows.table.rows_where(~inside))
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _in_order(lattice: Lattice, costs: LevelCosts) -> Iterator[Levels]:
    """The nodes from the least bound on; after so many, or when the time is over, only a way up to the roots."""
    waiting, seen, levels = [(costs.bound(lattice.bottom), lattice.bottom)], {lattice.bottom}, lattice.bottom
    for _ in range(_MOST):
        if not waiting or enough():
            break
        _, levels = heappop(waiting)
        yield levels
        for above in lattice.above(levels):
            if above not in seen:
                seen.add(above)
                heappush(waiting, (costs.bound(above), above))
    while levels != lattice.top:
        levels = min(lattice.above(levels), key=costs.bound)
        yield levels


def holding(recoded: RecodedRows) -> Flags:
    """Which groups satisfy the model; so do unions of them, if less is known.

    Models that compare groups with the whole compare them with the records that are left, so that what is taken leaves
    the rest as it was; repair judges all groups by the whole table in the end.
    """
    rows, holds = recoded.rows, np.ones(recoded.numbering(recoded.rows.columns).groups, dtype=bool)
    for member in rows.model.measured():
        question = GroupQuestion(member, rows.columns, member.sensitive_columns(rows.table.schema))
        holds &= member.holds(recoded.groups(question))
    return holds


def of_size(recoded: RecodedRows, least: int) -> Flags:
    """Which groups have so many records."""
    number, groups = recoded.numbering(recoded.rows.columns)
    return np.bincount(number, weights=recoded.rows.table.counts, minlength=groups) >= least
