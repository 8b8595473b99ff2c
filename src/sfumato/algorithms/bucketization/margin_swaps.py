"""Swaps members between buckets so that a recipient reconstructs margins better.

A margin counts the records by a quasi column, or a pair of quasi columns, and the sensitive value. Two records of the
same sensitive value may swap buckets without a change to the values of either bucket. `swap_members` makes the swaps
that lower the squared error of the margins. `coarsen` and `association` also order the records of `near_members`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.records import Records
from sfumato.runtime.progress import advance
from sfumato.runtime.secret_random import Randomness
from sfumato.runtime.time_limit import enough

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.margin_swaps import BucketSlots, Views

SHARE = 32_768
"""Approximate number of records improved together: few enough for the processor's cache, enough for good margins."""

ROUND = 8
"""Number of swaps tried per record in a round; after a round the search checks whether to stop."""

TRIES, MOST = 64, 16_000_000
"""The largest number of swaps tried per record, and for all records together."""

WORTH = 0.002
"""A share is done when a round lowers its squared error by less than this fraction."""

FINE, COARSE, VAGUE = 256, 12, 5
"""The largest number of codes of a column: alone, in pairs with other columns, and in an additional coarser view."""

PAIRS, KINDS = 36, 64
"""The largest number of column pairs, and of kinds in which sensitive values are counted."""

Column = tuple[NDArray[np.int64], int]


def swap_members(records: Records, buckets: NDArray[np.int32], effort: float, random: Randomness) -> NDArray[np.int32]:
    """The same buckets with other members: two records of the same value swap places where this improves the margins.

    The values, sizes and compatibility of the buckets do not change, and records at -1 stay at -1. The buckets are
    divided at random into shares, which are improved one after the other; the margins of a share approach its own true
    margins.
    """
    placed = np.flatnonzero(buckets >= 0)
    if len(placed) == 0 or not records.sizes:
        return buckets
    better = buckets.copy()
    rounds = _rounds(len(placed), effort)
    shares = _shares(buckets, placed, random)
    for done, rows in enumerate(shares):
        advance("exchanging members", done, len(shares))
        if enough():
            break
        _improve(records, better, rows, rounds, random)
    return better


def _rounds(records: int, effort: float) -> list[int]:
    """Number of swaps that each round tries per record."""
    tries = int(np.ceil(effort * min(TRIES, MOST / records)))
    return [ROUND] * (tries // ROUND) + [tries % ROUND] * (tries % ROUND > 0)


def _shares(buckets: NDArray[np.int32], placed: NDArray[np.int64], random: Randomness) -> list[NDArray[np.int64]]:
    """The placed records in the order of their buckets, in shares of about equal size with random buckets."""
    how_many = max(1, round(len(placed) / SHARE))
    # Whole buckets are assigned to a share, so that swaps within a share involve complete buckets only.
    share = (random.permutation(int(buckets.max()) + 1) % how_many)[buckets[placed]]
    order = np.lexsort((buckets[placed], share))
    return np.split(placed[order], np.searchsorted(share[order], np.arange(1, how_many)))


def _improve(
    records: Records,
    buckets: NDArray[np.int32],
    rows: NDArray[np.int64],
    rounds: list[int],
    random: Randomness,
) -> None:
    """Swap records of one share, which are in the order of their buckets; changes `buckets` in place."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import margin_errors, swap_round

    share = replace(
        records,
        value=records.value[rows],
        exclusion=records.exclusion[rows],
        quasi=np.ascontiguousarray(records.quasi[rows]),
    )
    views, cells, kinds = views_of(share)
    slots = slots_of(buckets[rows], share.value, records.ruled_out.shape[1])
    errors = margin_errors(slots, views, cells, kinds)
    for tries in rounds:
        # The draws are made here, because the compiled loop cannot use secret randomness.
        draws = random.integers(0, 2**32, size=(tries * len(rows), 2), dtype=np.uint32)
        gained = swap_round(slots, views, share.exclusion, records.ruled_out, errors, draws)
        if gained < WORTH * float(np.square(errors).sum()) or enough():
            break
    # Slot i belongs to the bucket of the i-th record of the share, and `holder[i]` is the record that has it now.
    buckets[rows[slots.holder]] = buckets[rows]


def slots_of(buckets: NDArray[np.int32], value: NDArray[np.int32], values: int) -> BucketSlots:
    """The slots of records that are in the order of their buckets; each record holds its own slot."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import BucketSlots

    begins = np.flatnonzero(np.diff(buckets, prepend=-1))
    starts = np.append(begins, len(buckets)).astype(np.int64)
    bucket = np.repeat(np.arange(len(begins), dtype=np.int32), np.diff(starts))
    # The slots sorted by value: the partners of a swap must have the same value, and are drawn from this list.
    pool = np.argsort(value, kind="stable").astype(np.int32)
    first = np.searchsorted(value[pool], np.arange(values + 1)).astype(np.int64)
    return BucketSlots(starts, bucket, value.copy(), np.arange(len(value), dtype=np.int32), pool, first)


def views_of(records: Records) -> tuple[Views, int, int]:
    """The views of the quasi columns, their number of codes, and the number of kinds of sensitive values."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import Views

    columns = _columns(records)
    codes = np.empty((len(records), len(columns)), dtype=np.int32)
    cells = 0
    for place, (column, size) in enumerate(columns):
        # Every view gets its own range of numbers, so that one matrix can hold the margins of all views.
        codes[:, place] = column + cells
        cells += size
    kind = _most_frequent(records.value, records.ruled_out.shape[1], KINDS)
    return Views(codes, kind.astype(np.int32)), cells, int(kind.max(initial=0)) + 1


def _columns(records: Records) -> list[Column]:
    """The columns of all views: single columns, coarser ones, and pairs of the most associated columns."""
    alone = [coarsen(records, place, FINE) for place in range(len(records.sizes))]
    coarse = [coarsen(records, place, COARSE) for place in range(len(records.sizes))]
    # Fine codes give sparse margins, in which single swaps hardly show; the coarser view adds a smooth direction.
    vague = [coarsen(records, place, VAGUE) for place, size in enumerate(records.sizes) if size > COARSE]
    bits = [association(column, size, records) for column, size in coarse]
    pairs = sorted(combinations(range(len(alone)), 2), key=lambda pair: -bits[pair[0]] - bits[pair[1]])
    return alone + vague + [_cross(coarse[one], coarse[other]) for one, other in pairs[:PAIRS]]


def coarsen(records: Records, place: int, most: int) -> Column:
    """A column with at most `most` codes: it joins neighbours if codes have an order, and otherwise rare codes."""
    column, size = records.quasi[:, place], records.sizes[place]
    if size <= most:
        return column.astype(np.int64), size
    if not records.ordered[place]:
        return _most_frequent(column, size, most)[column], most
    counts = np.bincount(column, minlength=size)
    # The middle of a code's share of the records decides its
    # quantile, so the joined codes have about equal frequency.
    middles = (np.cumsum(counts) - counts / 2) / max(len(column), 1)
    return np.minimum((middles * most).astype(np.int64), most - 1)[column], most


def _most_frequent(column: NDArray[np.int32], size: int, most: int) -> NDArray[np.int64]:
    """A number for each code: the most frequent codes have their own, all others share the last one."""
    if size <= most:
        return np.arange(size)
    ranks = np.empty(size, dtype=np.int64)
    ranks[np.argsort(-np.bincount(column, minlength=size), kind="stable")] = np.arange(size)
    return np.minimum(ranks, most - 1)


def _cross(one: Column, other: Column) -> Column:
    """A pair of columns as one column."""
    return one[0] * other[1] + other[0], one[1] * other[1]


def association(column: NDArray[np.int64], size: int, records: Records) -> float:
    """The mutual information of a column and the sensitive value in nats, less the amount expected by chance."""
    values = records.ruled_out.shape[1]
    kind = _most_frequent(records.value, values, KINDS)
    kinds = int(kind.max(initial=0)) + 1
    counts = np.bincount(column * kinds + kind[records.value], minlength=size * kinds).reshape(size, kinds)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(records), 1)
    seen = counts > 0
    information = float((counts[seen] * np.log(counts[seen] / expected[seen])).sum())
    # The likelihood-ratio statistic of independent columns has this expectation (half the degrees of freedom, in
    # nats). Without the correction, columns with many codes would always seem associated.
    return (information - (size - 1) * (kinds - 1) / 2) / max(len(records), 1)
