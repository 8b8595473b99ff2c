"""Loops of `member_exchange`: place remaining records by exchanging them for members that are easier to place.

All buckets have compatible members at any time, so the search may stop at any time. `free` starts with the remaining
records. A bucket is a row of `members`, of which the first `sizes` places are in use. A check of a record against a
bucket costs one step per member; `looks` bounds the number of buckets that are searched. Searching one bucket for an
exchange costs at most l * (GLANCE + 1) checks.

`looks` does not bound the passes over the remaining records, one for each seed and at most one for each member that
joins, so the time can grow with their square. Few records remain in practice, because those that are hard to place are
drawn first: of a million records with ten values about 12,000, of which a pass takes some microseconds. With 400,000
records left over on purpose the search took three minutes, nearly all of it for checks; moving the records up after
each seed was about five seconds of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

GLANCE = 64
"""Number of remaining records that are tried in the place of a member."""


class SensitiveValues(NamedTuple):
    """The sensitive value of each record, the number of its excluded set, and the values that each set rules out."""

    value: Codes
    exclusion: Codes
    ruled_out: Flags


@compiled
def compatible(sensitive: SensitiveValues, one: int, other: int) -> bool:
    """Whether two records are compatible: different values, neither of them ruled out for the other record."""
    mine, yours = sensitive.value[one], sensitive.value[other]
    if mine == yours or sensitive.ruled_out[sensitive.exclusion[one], yours]:
        return False
    return not sensitive.ruled_out[sensitive.exclusion[other], mine]


@compiled
def fits(sensitive: SensitiveValues, bucket: Codes, size: int, without: int, record: int) -> bool:
    """Whether a record is compatible with all members of a bucket except the one at place `without`."""
    for place in range(size):
        if place != without and not compatible(sensitive, bucket[place], record):
            return False
    return True


@compiled
def drop(free: Codes, count: int, place: int) -> int:
    """Remove a remaining record; return how many are left."""
    free[place] = free[count - 1]
    return count - 1


@compiled
def exchange(
    sensitive: SensitiveValues,
    members: Codes,
    sizes: Codes,
    buckets: int,
    free: Codes,
    count: int,
    start: int,
    looks: Counts,
) -> tuple[int, int, int]:
    """Bucket, place in it, and place in `free`, of a member that a remaining record can replace.

    The member fits the new bucket, which comes after the last one. The search visits the buckets cyclically from
    `start` and stops when `looks` is used up; returns -1 three times if it finds no member.
    """
    # a member that fits the new bucket is only taken if a remaining record can replace it, so no bucket shrinks
    for step in range(min(buckets, looks[0])):
        looks[0] -= 1
        bucket = (start + step) % buckets
        for place in range(sizes[bucket]):
            member = members[bucket, place]
            if not fits(sensitive, members[buckets], sizes[buckets], -1, member):
                continue
            for other in range(min(count, GLANCE)):
                if fits(sensitive, members[bucket], sizes[bucket], place, free[other]):
                    return bucket, place, other
    return -1, -1, -1


@compiled
def build(
    sensitive: SensitiveValues,
    members: Codes,
    sizes: Codes,
    buckets: int,
    free: Codes,
    count: int,
    l: int,
    looks: Counts,
) -> int:
    """Fill the new bucket after the last one, which has one member, up to l; return how many records remain."""
    # the search starts at a bucket that depends on the seed and continues after the last exchange, so
    # that not always the same buckets are changed
    start = members[buckets, 0] % max(buckets, 1)
    while sizes[buckets] < l:
        # first a remaining record that fits; if there is none, a member of another bucket whose place a remaining
        # record can take
        found = -1
        for other in range(count):
            if fits(sensitive, members[buckets], sizes[buckets], -1, free[other]):
                found = other
                break
        if found >= 0:
            joining = free[found]
        else:
            bucket, place, found = exchange(sensitive, members, sizes, buckets, free, count, start, looks)
            if found < 0:
                return count
            joining = members[bucket, place]
            members[bucket, place] = free[found]
            start = (bucket + 1) % buckets
        # either way one remaining record is placed, and the new bucket has one member more
        count = drop(free, count, found)
        members[buckets, sizes[buckets]] = joining
        sizes[buckets] += 1
    return count


@compiled
def add_buckets(
    sensitive: SensitiveValues,
    members: Codes,
    sizes: Codes,
    buckets: int,
    free: Codes,
    count: int,
    l: int,
    looks: Counts,
) -> tuple[int, int]:
    """Form buckets of l from the remaining records; return the number of buckets and of remaining records.

    The members of a bucket that cannot be filled return to the end of the remaining records. The search ends when no
    record finds a bucket, or when `looks` is used up. A seed counts as one look, whatever its passes over the remaining
    records cost.
    """
    # `failed` is the number of seeds without a bucket since the last success; with as many as
    # there are remaining records, the search ends
    failed = 0
    while count >= l and failed < count and looks[0] > 0:
        looks[0] -= 1
        members[buckets, 0], sizes[buckets] = free[0], 1
        # the first remaining record is the seed, and the others keep their order
        for place in range(1, count):
            free[place - 1] = free[place]
        count = build(sensitive, members, sizes, buckets, free, count - 1, l, looks)
        if sizes[buckets] == l:
            buckets, failed = buckets + 1, 0
        else:
            # records that came from other buckets return as well; their successors stay
            # there, so all buckets are still complete
            for place in range(sizes[buckets] - 1, -1, -1):
                free[count] = members[buckets, place]
                count += 1
            failed += 1
    return buckets, count


@compiled
def bucket_with_room(
    sensitive: SensitiveValues, members: Codes, sizes: Codes, buckets: int, record: int, size: int, start: int
) -> int:
    """The first bucket of a size, cyclically from `start`, that a record fits; -1 if there is none."""
    for step in range(buckets):
        bucket = (start + step) % buckets
        if sizes[bucket] == size and fits(sensitive, members[bucket], size, -1, record):
            return bucket
    return -1


@compiled
def trade(
    sensitive: SensitiveValues, members: Codes, sizes: Codes, buckets: int, record: int, start: int
) -> tuple[int, int]:
    """Bucket and place of a member of another class that a record can replace, cyclically from `start`; -1 if none."""
    for step in range(buckets):
        bucket = (start + step) % buckets
        for place in range(sizes[bucket]):
            member = members[bucket, place]
            # a member of the same class would find no room either
            same_class = (
                sensitive.value[member] == sensitive.value[record]
                and sensitive.exclusion[member] == sensitive.exclusion[record]
            )
            if not same_class and fits(sensitive, members[bucket], sizes[bucket], place, record):
                return bucket, place
    return -1, -1


@compiled
def join(
    sensitive: SensitiveValues, members: Codes, sizes: Codes, buckets: int, record: int, l: int, trades: int
) -> int:
    """Let a record join a bucket, the smaller the better; return -1, or the record without room at the end.

    If the record fits no bucket of l, it replaces a member, which needs room instead, at most `trades` times.
    """
    start = record % max(buckets, 1)
    for _ in range(trades):
        bucket = bucket_with_room(sensitive, members, sizes, buckets, record, l, start)
        if bucket >= 0:
            members[bucket, l] = record
            sizes[bucket] += 1
            return -1
        # no bucket of l has room: take the place of a member, and look for room for that member
        bucket, place = trade(sensitive, members, sizes, buckets, record, start)
        if bucket < 0:
            break
        members[bucket, place], record = record, members[bucket, place]
        start = (bucket + 1) % buckets
    # still no room: join a larger bucket, the smallest one that fits
    for size in range(l, members.shape[1]):
        bucket = bucket_with_room(sensitive, members, sizes, buckets, record, size, start)
        if bucket >= 0:
            members[bucket, size] = record
            sizes[bucket] += 1
            return -1
    return record
