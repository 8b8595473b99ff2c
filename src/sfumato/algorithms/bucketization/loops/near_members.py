"""Loops of `near_members`: draw buckets block by block from records whose order keeps similar records close.

The records of a block are sorted by value, and drawing a record swaps it behind the end of its value, so a failed
bucket is undone by moving these ends back. A later pass with larger blocks uses the records left over. Choosing a
member costs O(values of the block), plus a check against the bucket for few of them, each O(l * DEPTH) at most. State:
`buckets` has the bucket of each record, -1 while it has none; `Block` the free records of one block; `Supply` the free
records of the whole table, from which it follows whether the records that remain can still be bucketized.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.algorithms.bucketization.loops.member_exchange import Codes, Counts, SensitiveValues
from sfumato.kernels.compiled import compiled

DEPTH = 8
"""Number of records of a value that are tried as a member of a bucket."""

FAILURES = 8
"""Number of failed seeds after which a block is abandoned."""


class Block(NamedTuple):
    """Records of a block by value: the records of the value at place p of `values` are `rows[first[p] : last[p]]`.

    Records that are in a bucket are behind `last`. `place` is the place of each value, `where` the position of each
    record in `rows`; entries for values and records outside the block are undefined.
    """

    rows: Codes
    values: Codes
    first: Counts
    last: Counts
    place: Counts
    where: Codes


class Supply(NamedTuple):
    """Remaining records of all blocks: by value in `whole`, in total in `left[0]`; no value has more than `most[0]`."""

    whole: Counts
    left: Counts
    most: Counts


@compiled
def sort_block(sensitive: SensitiveValues, seeds: Codes, place: Counts, where: Codes) -> Block:
    """The records of a block by value, values in the order of their first record."""
    values = np.empty(len(seeds), dtype=np.int32)
    sizes = np.zeros(len(seeds) + 1, dtype=np.int64)
    # count the records of each value, one place too high, so that the running sums are the starts
    kinds = 0
    for record in seeds:
        value = sensitive.value[record]
        # `place` is not reset between blocks; an entry is valid if `values` confirms it
        if place[value] >= kinds or values[place[value]] != value:
            place[value], values[kinds] = kinds, value
            kinds += 1
        sizes[place[value] + 1] += 1
    first = np.cumsum(sizes)[:kinds]
    last = first.copy()
    rows = np.empty(len(seeds), dtype=np.int32)
    for record in seeds:
        # `last` runs from the start of the value to its end while its records are written
        kind = place[sensitive.value[record]]
        rows[last[kind]], where[record] = record, last[kind]
        last[kind] += 1
    return Block(rows, values[:kinds], first, last, place, where)


@compiled
def matching_row(sensitive: SensitiveValues, block: Block, place: int, bucket: Codes, size: int) -> int:
    """A record of a value that is compatible with all members of a bucket; -1 if none is found."""
    value = block.values[place]
    # the value itself must be compatible with all members
    for member in range(size):
        if sensitive.value[bucket[member]] == value or sensitive.ruled_out[sensitive.exclusion[bucket[member]], value]:
            return -1
    # from the last record on, which can be removed without a swap
    for at in range(block.last[place] - 1, max(block.first[place], block.last[place] - DEPTH) - 1, -1):
        exclusion, fine = sensitive.exclusion[block.rows[at]], True
        for member in range(size):
            if sensitive.ruled_out[exclusion, sensitive.value[bucket[member]]]:
                fine = False
                break
        if fine:
            return int(block.rows[at])
    return -1


@compiled
def next_member(sensitive: SensitiveValues, block: Block, supply: Supply, l: int, bucket: Codes, size: int) -> int:
    """A record with a value that all further buckets need, or else with the most frequent value of the block."""
    best, most = -1, 0
    for place in range(len(block.values)):
        count = block.last[place] - block.first[place]
        # a value with at least 1 in l of the remaining records comes before all others
        if count > 0 and supply.whole[block.values[place]] * l >= supply.left[0]:
            count += supply.left[0]
        # the check against the bucket is expensive, so it is made only for a value
        # that would be better than the best so far
        if count > most:
            record = matching_row(sensitive, block, place, bucket, size)
            if record >= 0:
                best, most = record, count
    return best


@compiled
def remove_from_block(sensitive: SensitiveValues, block: Block, record: int) -> None:
    """Remove a record from a block: it swaps places with the last record of its value."""
    place = block.place[sensitive.value[record]]
    block.last[place] -= 1
    end, at = block.last[place], block.where[record]
    other = block.rows[end]
    block.rows[at], block.rows[end] = other, record
    block.where[other], block.where[record] = at, end


@compiled
def draw_around(sensitive: SensitiveValues, block: Block, supply: Supply, l: int, seed: int, bucket: Codes) -> bool:
    """Draw a bucket of l around a seed; if this fails or leaves a value too frequent, the block is restored."""
    record = seed
    for size in range(l):
        if size > 0:
            record = next_member(sensitive, block, supply, l, bucket, size)
        if record >= 0:
            bucket[size] = record
            remove_from_block(sensitive, block, record)
        if record < 0 or (size == l - 1 and not leaves_enough(sensitive, supply, l, bucket)):
            # undo: the records are directly behind the ends of their values
            for member in range(size if record < 0 else l):
                block.last[block.place[sensitive.value[bucket[member]]]] += 1
            return False
    return True


@compiled
def leaves_enough(sensitive: SensitiveValues, supply: Supply, l: int, bucket: Codes) -> bool:
    """Whether after this bucket no value is too frequent for the remaining buckets."""
    # a quick answer: even the most frequent value is rare enough
    if supply.most[0] * l <= supply.left[0] - l:
        return True
    for value in range(len(supply.whole)):
        # every further bucket has at most one record of a value, so of `left - l` records at most 1 in l may have it;
        # this bucket takes one of them if it has the value
        if supply.whole[value] * l > supply.left[0] - l:
            held = False
            for member in range(l):
                held = held or sensitive.value[bucket[member]] == value
            if not held:
                return False
    return True


@compiled
def draw_from(
    sensitive: SensitiveValues, block: Block, seeds: Codes, supply: Supply, l: int, buckets: Codes, total: int
) -> int:
    """Draw buckets from one block, around its seeds in their order; return the number of buckets so far."""
    bucket = np.empty(l, dtype=np.int32)
    failed = 0
    for seed in seeds:
        # already in a bucket around an earlier seed
        if buckets[seed] >= 0:
            continue
        if draw_around(sensitive, block, supply, l, seed, bucket):
            for member in range(l):
                buckets[bucket[member]] = total
                supply.whole[sensitive.value[bucket[member]]] -= 1
            supply.left[0] -= l
            total += 1
        else:
            failed += 1
            if failed == FAILURES:
                break
    return total


@compiled
def draw_blocks(
    sensitive: SensitiveValues, seeds: Codes, bounds: Counts, supply: Supply, l: int, buckets: Codes, total: int
) -> int:
    """Draw buckets from all blocks `seeds[bounds[b] : bounds[b + 1]]`; return the number of buckets so far."""
    # shared by all blocks and never reset, which would cost all values for each block
    place = np.zeros(len(supply.whole), dtype=np.int64)
    where = np.empty(len(buckets), dtype=np.int32)
    for at in range(len(bounds) - 1):
        mine = seeds[bounds[at] : bounds[at + 1]]
        # counts only fall, so the maximum stays an upper bound while the block is drawn
        supply.most[0] = supply.whole.max()
        block = sort_block(sensitive, mine, place, where)
        total = draw_from(sensitive, block, mine, supply, l, buckets, total)
    return total
