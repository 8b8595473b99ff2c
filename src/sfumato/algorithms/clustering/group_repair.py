"""Changes groups that a model rejects until the model holds for all groups.

If most groups hold, the others are dissolved: each of their records joins the group with the smallest increase of loss
(Kabir 2010, section 4.6). If this is not enough, or if few groups hold at the start, groups are merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.covers import compact_blocks, covers_at
from sfumato.algorithms.clustering.loops.group_repair import merge_failing
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.kernels.arrays import Flags
from sfumato.kernels.covers import Covers, empty_group_covers, join_least, join_runs
from sfumato.models.group_model import GroupModel

Labels = NDArray[np.int32]
Counts = NDArray[np.int64]

_AT_ONCE = 4000
"""The largest number of groups that are compared with each other; above it, only nearby groups are compared."""


def repair_groups(table: Table, covers: Covers, labels: Labels, model: GroupModel) -> Labels:
    """The group of each row of a table, such that the model holds for all groups or all rows are in one group."""
    labels, dissolving = labels.copy(), True
    while len(table) and labels.max() > 0:
        # Each round reduces the number of groups, so the loop ends, at the latest with one group.
        failing = ~model.holds(Groups.of_labels(table, labels))
        if not failing.any():
            break
        for rows in _neighbourhoods(covers, labels):
            if failing[labels[rows]].any():
                labels[rows] = _step(covers, table.counts, labels, rows, failing, dissolving)
        # Dissolving is tried once. Repeating it could move the same
        # records back and forth; merging always makes progress.
        labels, dissolving = np.unique(labels, return_inverse=True)[1].astype(np.int32), False
    return labels


def _neighbourhoods(covers: Covers, labels: Labels) -> list[Counts]:
    """The rows of groups near each other; all rows together if there are few groups."""
    groups = int(labels.max()) + 1
    if groups <= _AT_ONCE:
        return [np.arange(len(labels))]
    first = np.unique(labels, return_index=True)[1]
    block = np.empty(groups, dtype=np.int64)
    for number, near in enumerate(compact_blocks(covers_at(covers, first), np.ones(groups, dtype=np.int64), _AT_ONCE)):
        block[near] = number
    order = np.argsort(block[labels], kind="stable")
    return np.split(order, np.flatnonzero(np.diff(block[labels][order])) + 1)


def _step(covers: Covers, counts: Counts, labels: Labels, rows: Counts, failing: Flags, dissolving: bool) -> Labels:
    """The new groups of some rows: records of failing groups are moved, or failing groups are merged as a whole."""
    groups, local = np.unique(labels[rows], return_inverse=True)
    bad = failing[groups]
    step = _dissolve if dissolving and 2 * np.count_nonzero(bad) <= len(bad) else _merge
    return groups[step(covers_at(covers, rows), counts[rows], local.astype(np.int32), bad)].astype(np.int32)


def _dissolve(covers: Covers, counts: Counts, labels: Labels, bad: Flags) -> Labels:
    """Move each record of a failing group, in order, to the group that held and whose loss increases least."""
    kept = np.flatnonzero(~bad)
    place = np.cumsum(~bad).astype(np.int32) - 1
    stays = ~bad[labels]
    grown = empty_group_covers(covers, len(kept))
    join_runs(covers, grown, np.flatnonzero(stays), place[labels[stays]], counts[stays])
    found = labels.copy()
    found[~stays] = kept[join_least(covers, grown, np.flatnonzero(~stays), counts[~stays])]
    return found


def _merge(covers: Covers, counts: Counts, labels: Labels, bad: Flags) -> Labels:
    """Merge each failing group with another group."""
    grown = empty_group_covers(covers, len(bad))
    join_runs(covers, grown, np.arange(len(labels)), labels, counts)
    return merge_failing(covers, grown, bad)[labels]
