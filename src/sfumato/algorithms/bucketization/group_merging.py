"""Places the remaining records by merging groups: the last phase of Li and Li (2008).

`place_by_merging` completes the buckets of any strategy; `three_phases` calls `merge_in_turn` with its own order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.records import Records
from sfumato.kernels.arrays import Flags

Codes = NDArray[np.int32]


def place_by_merging(records: Records, l: int, buckets: Codes) -> Codes:
    """The bucket of each record after the remaining records joined groups; each has at least l valid values there.

    These records get -1: records whose own value is ruled out, records that can have fewer than l of the values
    present, and records that still have fewer than l valid values when all groups are one. Afterwards a value may make
    up more than 1 in l of a bucket.
    """
    classes = Classes.of_records(records)
    rest = np.flatnonzero((buckets < 0) & ~hopeless_classes(records, classes, l)[classes.of])
    return merge_in_turn(records, classes, l, buckets, rest.astype(np.int32))


def merge_in_turn(records: Records, classes: Classes, l: int, buckets: Codes, rest: Codes) -> Codes:
    """The bucket of each record after the records in `rest`, which have none, joined a group one after the other.

    A record joins the group with the fewest members in conflict with it, and the smallest of equally good groups. While
    the record has fewer than l valid values there, its group merges with the group that adds the most values. If there
    are no groups yet, all of `rest` become one group.
    """
    if len(rest) == 0:
        return buckets
    buckets = buckets.copy()
    if buckets.max(initial=-1) < 0:
        buckets[rest] = 0
        return _renumber(_without_exposed(records, classes, buckets, l))
    all_valid = _join(records, classes, buckets, rest, l)
    return _renumber(buckets if all_valid else _without_exposed(records, classes, buckets, l))


def hopeless_classes(records: Records, classes: Classes, l: int) -> Flags:
    """Whether a class fits no bucket: its own value is ruled out, or it can have fewer than l of the values present.

    A hopeless class takes its value away from the others, so the check repeats until no further class is hopeless.
    """
    hopeless = records.ruled_out[classes.exclusion, classes.value]
    while True:
        there = np.zeros(records.ruled_out.shape[1], dtype=np.bool_)
        # Only values of records that can be placed are available to the others.
        there[classes.value[~hopeless]] = True
        few = (~records.ruled_out & there).sum(axis=1)[classes.exclusion] < l
        if not (few & ~hopeless).any():
            return hopeless
        hopeless = hopeless | few


def _join(records: Records, classes: Classes, buckets: Codes, rest: Codes, l: int) -> bool:
    """Write the final bucket of all records into `buckets`; return whether all records have l valid values."""
    from sfumato.algorithms.bucketization.loops.group_merging import Chains, join_groups

    placed = np.flatnonzero(buckets >= 0)
    # The members of each bucket as a linked list: `after` is the next member and -1 the end. So the loop merges two
    # buckets without copying. Records that join later use the nodes behind `len(order)`.
    order = placed[np.argsort(buckets[placed], kind="stable")]
    starts = np.searchsorted(buckets[order], np.arange(buckets.max() + 2)).astype(np.int64)
    nodes = len(order) + len(rest)
    of, after = np.empty(nodes, dtype=np.int32), np.full(nodes, -1, dtype=np.int32)
    of[: len(order)] = classes.of[order]
    after[: len(order)] = np.arange(1, len(order) + 1)
    after[starts[1:] - 1] = -1
    chains = Chains(
        classes.value, classes.exclusion, records.ruled_out, starts[:-1].astype(np.int32), of,
        np.ones(nodes, dtype=np.int32), after, np.array([len(order)], dtype=np.int64),
    )  # fmt: skip
    joins, merged_into = np.empty(len(rest), dtype=np.int32), np.arange(len(starts) - 1, dtype=np.int32)
    all_valid = join_groups(chains, classes.of[rest], l, joins, merged_into)
    buckets[rest] = joins
    # A bucket may have merged into one that merged later. Following all chains at once, their length halves per pass.
    while not np.array_equal(merged_into[merged_into], merged_into):
        merged_into = merged_into[merged_into]
    buckets[:] = np.where(buckets < 0, -1, merged_into[buckets])
    return bool(all_valid)


def _without_exposed(records: Records, classes: Classes, buckets: Codes, l: int) -> Codes:
    """The only bucket, without the records that have fewer than l valid values in it.

    A subset of the bucket offers these records no additional valid values, so the result is the largest possible
    bucket.
    """
    from sfumato.algorithms.bucketization.loops.group_merging import count_valid

    inside = buckets >= 0
    while inside.any():
        members = np.unique(classes.of[inside])
        valid = [
            count_valid(members, classes.value, classes.exclusion, records.ruled_out, member) for member in members
        ]
        exposed = members[np.array(valid) < l]
        if len(exposed) == 0:
            break
        # Without these records, others may lose valid values, so the check repeats.
        inside &= ~np.isin(classes.of, exposed)
    return np.where(inside, buckets, -1).astype(np.int32)


def _renumber(buckets: Codes) -> Codes:
    """The same buckets, numbered without gaps."""
    kept = np.bincount(buckets[buckets >= 0], minlength=int(buckets.max(initial=-1)) + 1) > 0
    # Index -1 reads the appended last entry, so records without a bucket keep -1.
    numbers = np.append(np.cumsum(kept) - 1, -1).astype(np.int32)
    return numbers[buckets]
