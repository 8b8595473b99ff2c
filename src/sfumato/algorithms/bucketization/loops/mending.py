"""Places for records that a quick choice of buckets left over: by exchanging them for members that are easier to place.

Whatever is tried, every bucket stays one of records that go together, so that the search may stop at any time. Records
left over are at the beginning of `free`; a bucket is a row of `members`, of which the first `sizes` places are taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

GLANCE = 64
"""How many of the records left over are tried in the place of a member."""


class Secrets(NamedTuple):
    """The value of every record, the set of values ruled out for it, and what each set rules out."""

    value: Codes
    barred: Codes
    ruled_out: Mask


@compiled
def go_together(secrets: Secrets, one: int, other: int) -> bool:
    """Whether two records have different values, and neither has one that is ruled out for the other."""
    mine, yours = secrets.value[one], secrets.value[other]
    if mine == yours or secrets.ruled_out[secrets.barred[one], yours]:
        return False
    return not secrets.ruled_out[secrets.barred[other], mine]


@compiled
def fits(secrets: Secrets, bucket: Codes, size: int, without: int, record: int) -> bool:
    """Whether a record goes with all members of a bucket, but for the one in the place `without`."""
    for place in range(size):
        if place != without and not go_together(secrets, bucket[place], record):
            return False
    return True


@compiled
def drop(free: Codes, count: int, place: int) -> int:
    """Take a record out of those left over; returns how many stay."""
    free[place] = free[count - 1]
    return count - 1


@compiled
def exchange(
    secrets: Secrets, members: Codes, sizes: Codes, buckets: int, free: Codes, count: int, start: int, looks: Counts
) -> tuple[int, int, int]:
    """Bucket, place in it and place in `free` of a member that a record left over can stand in for.

    The member fits the fresh bucket behind the last one. The search goes round the buckets from `start`, as long as
    there are `looks` left; -1 three times if it finds nothing.
    """
    for step in range(min(buckets, looks[0])):
        looks[0] -= 1
        bucket = (start + step) % buckets
        for place in range(sizes[bucket]):
            member = members[bucket, place]
            if not fits(secrets, members[buckets], sizes[buckets], -1, member):
                continue
            for other in range(min(count, GLANCE)):
                if fits(secrets, members[bucket], sizes[bucket], place, free[other]):
                    return bucket, place, other
    return -1, -1, -1


@compiled
def build(
    secrets: Secrets, members: Codes, sizes: Codes, buckets: int, free: Codes, count: int, l: int, looks: Counts
) -> int:
    """Fill the bucket after the last one, which has one member, up to l; returns how many records stay left over."""
    start = members[buckets, 0] % max(buckets, 1)
    while sizes[buckets] < l:
        found = -1
        for other in range(count):
            if fits(secrets, members[buckets], sizes[buckets], -1, free[other]):
                found = other
                break
        if found >= 0:
            joining = free[found]
        else:
            bucket, place, found = exchange(secrets, members, sizes, buckets, free, count, start, looks)
            if found < 0:
                return count
            joining = members[bucket, place]
            members[bucket, place] = free[found]
            start = (bucket + 1) % buckets
        count = drop(free, count, found)
        members[buckets, sizes[buckets]] = joining
        sizes[buckets] += 1
    return count


@compiled
def add_buckets(
    secrets: Secrets, members: Codes, sizes: Codes, buckets: int, free: Codes, count: int, l: int, looks: Counts
) -> tuple[int, int]:
    """Make buckets of l out of what is left over; returns how many buckets there are and how many records are left.

    The members of a bucket that could not be filled are left over in their turn, behind the others. The search ends
    when nothing was found for any record, or when there are no `looks` at other buckets left.
    """
    failed = 0
    while count >= l and failed < count and looks[0] > 0:
        looks[0] -= 1
        members[buckets, 0], sizes[buckets] = free[0], 1
        for place in range(1, count):
            free[place - 1] = free[place]
        count = build(secrets, members, sizes, buckets, free, count - 1, l, looks)
        if sizes[buckets] == l:
            buckets, failed = buckets + 1, 0
        else:
            for place in range(sizes[buckets] - 1, -1, -1):
                free[count] = members[buckets, place]
                count += 1
            failed += 1
    return buckets, count


@compiled
def roomy(secrets: Secrets, members: Codes, sizes: Codes, buckets: int, record: int, size: int, start: int) -> int:
    """The first bucket of a size, from `start` on, that a record fits; -1 if there is none."""
    for step in range(buckets):
        bucket = (start + step) % buckets
        if sizes[bucket] == size and fits(secrets, members[bucket], size, -1, record):
            return bucket
    return -1


@compiled
def trade(secrets: Secrets, members: Codes, sizes: Codes, buckets: int, record: int, start: int) -> tuple[int, int]:
    """Bucket and place of a member of another class that a record can stand in for, from `start` on; -1 if none."""
    for step in range(buckets):
        bucket = (start + step) % buckets
        for place in range(sizes[bucket]):
            member = members[bucket, place]
            alike = secrets.value[member] == secrets.value[record] and secrets.barred[member] == secrets.barred[record]
            if not alike and fits(secrets, members[bucket], sizes[bucket], place, record):
                return bucket, place
    return -1, -1


@compiled
def join(secrets: Secrets, members: Codes, sizes: Codes, buckets: int, record: int, l: int, trades: int) -> int:
    """Let a record join a bucket, the smaller the better; returns -1, or the record that found no room in the end.

    Where it fits no bucket of l it takes the place of a member, who looks for room instead, a few times over.
    """
    start = record % max(buckets, 1)
    for _ in range(trades):
        bucket = roomy(secrets, members, sizes, buckets, record, l, start)
        if bucket >= 0:
            members[bucket, l] = record
            sizes[bucket] += 1
            return -1
        bucket, place = trade(secrets, members, sizes, buckets, record, start)
        if bucket < 0:
            break
        members[bucket, place], record = record, members[bucket, place]
        start = (bucket + 1) % buckets
    for size in range(l, members.shape[1]):
        bucket = roomy(secrets, members, sizes, buckets, record, size, start)
        if bucket >= 0:
            members[bucket, size] = record
            sizes[bucket] += 1
            return -1
    return record
