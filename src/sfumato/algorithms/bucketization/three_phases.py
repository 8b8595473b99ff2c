"""Groups as Li and Li (2008) choose them: draw greedily, then let what is left over join, merging groups if need be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.classes import Classes
from sfumato.algorithms.bucketization.joined import hopeless_classes, joined_in_turn
from sfumato.algorithms.bucketization.records import Records

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.fewest_conflicts import Waiting


def three_phases(records: Records, l: int) -> NDArray[np.int32]:
    """The bucket of every record, so that each has at least l valid values in it.

    Records are counted by class; a group is drawn around the record in conflict with most others, each further member
    being one that leaves the group in conflict with fewest, and a seed without enough partners is put aside. Then those
    put aside and those left over join the group in which they are in conflict with fewest members, and that group is
    merged with the one that adds most values to it while they have fewer than l valid values there. Of equal choices
    that of the first record is taken, of equally good groups the smallest. A record whose own value is ruled out for it
    gets -1, and so do those who can have fewer than l of the values there are, and those who have fewer than l valid
    values when all groups have become one.

    >>> value, barred = np.array([0, 1, 0, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    >>> quasi, nothing = np.zeros((4, 0), dtype=np.int32), np.zeros((1, 2), dtype=bool)
    >>> three_phases(Records(value, barred, nothing, quasi, (), ()), 2)
    array([0, 0, 1, 1], dtype=int32)
    """
    from sfumato.algorithms.bucketization.loops.fewest_conflicts import draw_groups

    classes = Classes.of_records(records)
    hopeless = hopeless_classes(records, classes, l)
    waiting = _waiting(records, classes, hopeless)
    rest = np.empty(len(records), dtype=np.int32)
    groups, put_aside = draw_groups(waiting, l, rest)
    buckets = np.full(len(records), -1, dtype=np.int32)
    buckets[groups] = np.arange(len(groups), dtype=np.int32)[:, None]
    aside = rest[:put_aside]
    over = (buckets < 0) & ~hopeless[classes.of]
    over[aside] = False
    rest = np.concatenate((aside, np.flatnonzero(over).astype(np.int32)))
    return joined_in_turn(records, classes, l, buckets, rest)


def _waiting(records: Records, classes: Classes, hopeless: NDArray[np.bool_]) -> Waiting:
    """All records but for those of hopeless classes."""
    from sfumato.algorithms.bucketization.loops.fewest_conflicts import Waiting

    values = records.ruled_out.shape[1]
    used = np.where(hopeless, classes.starts[1:], classes.starts[:-1])
    left = classes.starts[1:] - used
    whole = np.bincount(classes.value, weights=left, minlength=values).astype(np.int64)
    ruled = records.ruled_out.any(axis=0)
    line = np.where(ruled, np.cumsum(ruled) - 1, ruled.sum()).astype(np.int32)
    bars = np.zeros((int(ruled.sum()) + 1, values), dtype=np.int64)
    for chosen, barred in enumerate(classes.barred):
        mine = classes.rulings[classes.bounds[barred] : classes.bounds[barred + 1]]
        bars[line[mine], classes.value[chosen]] += left[chosen]
    return Waiting(
        classes.value, classes.barred, classes.rows, classes.starts, used, records.ruled_out, classes.rulings,
        classes.bounds, line, whole, bars, bars.sum(axis=1),
    )  # fmt: skip
