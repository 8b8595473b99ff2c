"""Strategy `three_phases` of Injector: the algorithm of Li and Li (2008).

It draws groups greedily; then the remaining records join groups, and groups merge where necessary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.group_merging import hopeless_classes, merge_in_turn
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.records import Records
from sfumato.kernels.arrays import Flags

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.three_phases import RemainingRecords


def three_phases(records: Records, l: int) -> NDArray[np.int32]:
    """The bucket of each record, so that each record has at least l valid values in its bucket.

    A group starts with the record that conflicts with the most others; each further member is the record that leaves
    the group with the fewest conflicts. A seed without enough partners is put aside. Then these seeds and the remaining
    records join the group with the fewest members in conflict with them. While they have fewer than l valid values
    there, the group merges with the group that adds the most values. Ties are broken in favour of the first record, and
    of the smallest group. These records get -1: records whose own value is ruled out, records that can have fewer than
    l of the values present, and records that still have fewer than l valid values when all groups are one.

    >>> value, exclusion = np.array([0, 1, 0, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    >>> quasi, nothing = np.zeros((4, 0), dtype=np.int32), np.zeros((1, 2), dtype=bool)
    >>> three_phases(Records(value, exclusion, nothing, quasi, (), ()), 2)
    array([0, 0, 1, 1], dtype=int32)
    """
    from sfumato.algorithms.bucketization.loops.three_phases import draw_groups

    classes = Classes.of_records(records)
    hopeless = hopeless_classes(records, classes, l)
    pool = _remaining_records(records, classes, hopeless)
    rest = np.empty(len(records), dtype=np.int32)
    groups, put_aside = draw_groups(pool, l, rest)
    buckets = np.full(len(records), -1, dtype=np.int32)
    buckets[groups] = np.arange(len(groups), dtype=np.int32)[:, None]
    # Seeds that found no partners have the most conflicts; they join groups first, while there is most choice.
    aside = rest[:put_aside]
    over = (buckets < 0) & ~hopeless[classes.of]
    over[aside] = False
    rest = np.concatenate((aside, np.flatnonzero(over).astype(np.int32)))
    return merge_in_turn(records, classes, l, buckets, rest)


def _remaining_records(records: Records, classes: Classes, hopeless: Flags) -> RemainingRecords:
    """All records except those of hopeless classes."""
    from sfumato.algorithms.bucketization.loops.three_phases import RemainingRecords

    values = records.ruled_out.shape[1]
    # `used` points to the next record of a class that is not in a group; a hopeless class starts used up.
    used = np.where(hopeless, classes.starts[1:], classes.starts[:-1])
    left = classes.starts[1:] - used
    whole = np.bincount(classes.value, weights=left, minlength=values).astype(np.int64)
    ruled = records.ruled_out.any(axis=0)
    # Most values are ruled out by no set. They share the last
    # line of the matrix, which stays 0, so the matrix is small.
    line = np.where(ruled, np.cumsum(ruled) - 1, ruled.sum()).astype(np.int32)
    exclusions_by_value = np.zeros((int(ruled.sum()) + 1, values), dtype=np.int64)
    for chosen, exclusion in enumerate(classes.exclusion):
        mine = classes.rulings[classes.bounds[exclusion] : classes.bounds[exclusion + 1]]
        # The number of remaining records, by own value, whose sets rule out
        # a value: the conflicts that a member with that value would add.
        exclusions_by_value[line[mine], classes.value[chosen]] += left[chosen]
    return RemainingRecords(
        classes.value, classes.exclusion, classes.rows, classes.starts, used, records.ruled_out, classes.rulings,
        classes.bounds, line, whole, exclusions_by_value, exclusions_by_value.sum(axis=1),
    )  # fmt: skip
