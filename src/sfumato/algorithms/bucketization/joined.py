"""What found no bucket joins one: the last phase of Li and Li (2008)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.classes import Classes
from sfumato.algorithms.bucketization.records import Records

Codes = NDArray[np.int32]


def joined(records: Records, l: int, buckets: Codes) -> Codes:
    """The bucket of every record after those without one have joined the others, so that each has l valid values in it.

    A record whose own value is ruled out for it gets -1, and so do those who can have fewer than l of the values there
    are, and those who have fewer than l valid values when all buckets have become one. A value may make up more than
    one l-th of a bucket afterwards.
    """
    classes = Classes.of_records(records)
    rest = np.flatnonzero((buckets < 0) & ~hopeless_classes(records, classes, l)[classes.of])
    return joined_in_turn(records, classes, l, buckets, rest.astype(np.int32))


def joined_in_turn(records: Records, classes: Classes, l: int, buckets: Codes, rest: Codes) -> Codes:
    """The bucket of every record after those in `rest`, which have none, have joined the others one after the other.

    Each joins the bucket in which it is in conflict with the fewest members, of equally good ones the smallest, and
    that bucket is merged with the one that adds most values to it while the record has fewer than l valid values there.
    Without any bucket all of them are one.
    """
    if len(rest) == 0:
        return buckets
    buckets = buckets.copy()
    if buckets.max(initial=-1) < 0:
        buckets[rest] = 0
        return _numbered(_without_exposed(records, classes, buckets, l))
    fine = _join(records, classes, buckets, rest, l)
    return _numbered(buckets if fine else _without_exposed(records, classes, buckets, l))


def hopeless_classes(records: Records, classes: Classes, l: int) -> NDArray[np.bool_]:
    """Classes whose own value is ruled out for them, or that can have fewer than l values of the others."""
    hopeless = records.ruled_out[classes.barred, classes.value]
    while True:
        there = np.zeros(records.ruled_out.shape[1], dtype=np.bool_)
        there[classes.value[~hopeless]] = True
        few = (~records.ruled_out & there).sum(axis=1)[classes.barred] < l
        if not (few & ~hopeless).any():
            return hopeless
        hopeless = hopeless | few


def _join(records: Records, classes: Classes, buckets: Codes, rest: Codes, l: int) -> bool:
    """Write where everybody ends into `buckets`; says whether all of them have l valid values there."""
    from sfumato.algorithms.bucketization.loops.joining_groups import Chains, join_groups

    placed = np.flatnonzero(buckets >= 0)
    order = placed[np.argsort(buckets[placed], kind="stable")]
    starts = np.searchsorted(buckets[order], np.arange(buckets.max() + 2)).astype(np.int64)
    nodes = len(order) + len(rest)
    of, after = np.empty(nodes, dtype=np.int32), np.full(nodes, -1, dtype=np.int32)
    of[: len(order)] = classes.of[order]
    after[: len(order)] = np.arange(1, len(order) + 1)
    after[starts[1:] - 1] = -1
    chains = Chains(
        classes.value, classes.barred, records.ruled_out, starts[:-1].astype(np.int32), of,
        np.ones(nodes, dtype=np.int32), after, np.array([len(order)], dtype=np.int64),
    )  # fmt: skip
    joins, merged = np.empty(len(rest), dtype=np.int32), np.arange(len(starts) - 1, dtype=np.int32)
    fine = join_groups(chains, classes.of[rest], l, joins, merged)
    buckets[rest] = joins
    while not np.array_equal(merged[merged], merged):
        merged = merged[merged]
    buckets[:] = np.where(buckets < 0, -1, merged[buckets])
    return bool(fine)


def _without_exposed(records: Records, classes: Classes, buckets: Codes, l: int) -> Codes:
    """The one bucket there is, without the records that have fewer than l valid values in it.

    Those have no more of them in any part of it, so that what stays is the largest bucket that there can be.
    """
    from sfumato.algorithms.bucketization.loops.joining_groups import count_valid

    inside = buckets >= 0
    while inside.any():
        members = np.unique(classes.of[inside])
        valid = [count_valid(members, classes.value, classes.barred, records.ruled_out, member) for member in members]
        exposed = members[np.array(valid) < l]
        if len(exposed) == 0:
            break
        inside &= ~np.isin(classes.of, exposed)
    return np.where(inside, buckets, -1).astype(np.int32)


def _numbered(buckets: Codes) -> Codes:
    """The same buckets without gaps in their numbers."""
    kept = np.bincount(buckets[buckets >= 0], minlength=int(buckets.max(initial=-1)) + 1) > 0
    numbers = np.append(np.cumsum(kept) - 1, -1).astype(np.int32)
    return numbers[buckets]
