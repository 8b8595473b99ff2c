"""Linkage made more useful: records of the same secret change places until margins come out near those of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.margins import views_of
from sfumato.algorithms.bucketization.records import Records
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.margin_swaps import Slots

SHARE = 32_768
"""About how many records are looked at together: few enough for the processor's cache, enough for good margins."""

ROUND = 8
"""How many exchanges are tried for every record before asking whether it is enough."""

TRIES, MOST = 64, 16_000_000
"""How many exchanges are tried for every record, and for all of them together."""

WORTH = 0.002
"""A share is done when a round lowers its squared error by less than this part."""


def swapped(
    records: Records, buckets: NDArray[np.int32], effort: float, random: np.random.Generator
) -> NDArray[np.int32]:
    """The same buckets with other members: two records of the same value change places where margins gain by it.

    Values, sizes and compatibility of the buckets stay as they are, and records at -1 stay there. Linkage are dealt out
    at random into shares that are looked at one after the other; the margins of each come near to its own.
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
    """How many exchanges each round tries for every record."""
    tries = int(np.ceil(effort * min(TRIES, MOST / records)))
    return [ROUND] * (tries // ROUND) + [tries % ROUND] * (tries % ROUND > 0)


def _shares(
    buckets: NDArray[np.int32], placed: NDArray[np.int64], random: np.random.Generator
) -> list[NDArray[np.int64]]:
    """The placed records in order of their bucket, buckets dealt out at random into shares of about equal size."""
    how_many = max(1, round(len(placed) / SHARE))
    share = (random.permutation(int(buckets.max()) + 1) % how_many)[buckets[placed]]
    order = np.lexsort((buckets[placed], share))
    return np.split(placed[order], np.searchsorted(share[order], np.arange(1, how_many)))


def _improve(
    records: Records,
    buckets: NDArray[np.int32],
    rows: NDArray[np.int64],
    rounds: list[int],
    random: np.random.Generator,
) -> None:
    """Let the records of one share, which are in order of their bucket, change places; in `buckets` itself."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import margin_errors, swap_round

    share = replace(
        records, value=records.value[rows], barred=records.barred[rows], quasi=np.ascontiguousarray(records.quasi[rows])
    )
    views, cells, kinds = views_of(share)
    slots = slots_of(buckets[rows], share.value, records.ruled_out.shape[1])
    errors = margin_errors(slots, views, cells, kinds)
    for tries in rounds:
        draws = random.integers(0, 2**32, size=(tries * len(rows), 2), dtype=np.uint32)
        gained = swap_round(slots, views, share.barred, records.ruled_out, errors, draws)
        if gained < WORTH * float(np.square(errors).sum()) or enough():
            break
    buckets[rows[slots.holder]] = buckets[rows]


def slots_of(buckets: NDArray[np.int32], value: NDArray[np.int32], values: int) -> Slots:
    """The slots of records in order of their bucket, each held by its record."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import Slots

    begins = np.flatnonzero(np.diff(buckets, prepend=-1))
    starts = np.append(begins, len(buckets)).astype(np.int64)
    bucket = np.repeat(np.arange(len(begins), dtype=np.int32), np.diff(starts))
    pool = np.argsort(value, kind="stable").astype(np.int32)
    first = np.searchsorted(value[pool], np.arange(values + 1)).astype(np.int64)
    return Slots(starts, bucket, value.copy(), np.arange(len(value), dtype=np.int32), pool, first)
