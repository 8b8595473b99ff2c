"""Strategy `guarded` of Injector: buckets of compatible records, drawn in one pass.

The pass takes frequent values in time, so that no value is left that is too frequent for the remaining buckets. The
module also holds `draw_members`, by which the strategy `near` fills up its buckets.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.member_exchange import place_by_exchange
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.records import Records
from sfumato.kernels.arrays import Flags
from sfumato.runtime.secret_random import Randomness

RETRIES = 8
"""How often the records are drawn again in another order while some record has no bucket."""

SMALL = 20_000
"""The largest number of records for which drawing again is cheap."""


def guarded_buckets(records: Records, l: int) -> NDArray[np.int32]:
    """The bucket of each record: l or a few more records with distinct values, none of them ruled out for a member.

    So each record has at least l valid values, and no value makes up more than 1 in l of a bucket. The seed of a bucket
    has the value that would otherwise become too frequent among the remaining records; if there is no such value, the
    seed is of the class with the most conflicts. Its partners have the most frequent values that are compatible with
    all members. At the end, remaining records are exchanged for members that are easier to place, or join a bucket of
    l. A record without a bucket, or whose own value is ruled out, gets -1.

    >>> value = np.array([0, 0, 1, 2, 2, 1], dtype=np.int32)
    >>> exclusion = np.array([1, 0, 0, 0, 0, 0], dtype=np.int32)
    >>> ruled_out = np.array([[False, False, False], [False, True, False]])
    >>> records = Records(value, exclusion, ruled_out, np.zeros((6, 0), dtype=np.int32), (), ())
    >>> buckets = guarded_buckets(records, 2)
    >>> np.bincount(buckets), value[buckets == buckets[0]]
    (array([2, 2, 2]), array([0, 2], dtype=int32))
    """
    nothing = np.full(len(records), -1, dtype=np.int32)
    best = place_by_exchange(records, l, draw_members(records, l, nothing))
    # A fixed seed is safe: it only varies the order of classes, and the
    # records themselves were shuffled with secret randomness before.
    random = np.random.default_rng(0)
    hopeless = int(records.own_value_ruled_out.sum())
    for _ in range(RETRIES if len(records) <= SMALL else 0):
        if np.count_nonzero(best < 0) == hopeless:
            break
        other = place_by_exchange(records, l, draw_members(records, l, nothing, random))
        if np.count_nonzero(other < 0) < np.count_nonzero(best < 0):
            best = other
    return best


def draw_members(
    records: Records, l: int, buckets: NDArray[np.int32], random: Randomness | None = None
) -> NDArray[np.int32]:
    """Buckets of l drawn from the records at -1, in addition to the given buckets.

    Seeds come from the classes with the most conflicts first, or in random order if `random` is given.
    """
    from sfumato.algorithms.bucketization.loops.guarded_members import assign_records, draw_buckets, sorted_counts

    rows = np.flatnonzero((buckets < 0) & ~records.own_value_ruled_out)
    if len(rows) < l:
        return buckets
    # Buckets are chosen by class, so the quasi codes are not needed and not copied.
    rest = replace(records, value=records.value[rows], exclusion=records.exclusion[rows], quasi=records.quasi[:0])
    classes = Classes.of_records(rest)
    counts_left = sorted_counts(classes.value, classes.exclusion, classes.counts, records.ruled_out.shape[1])
    order = hardest_first(classes, records.ruled_out) if random is None else random.permutation(len(classes.value))
    found = draw_buckets(counts_left, records.ruled_out, classes.rulings, classes.bounds, order.astype(np.int32), l)
    fresh = np.full(len(rows), -1, dtype=np.int32)
    assign_records(found, classes.rows, classes.starts, fresh)
    filled = buckets.copy()
    filled[rows] = np.where(fresh < 0, -1, fresh + int(buckets.max()) + 1)
    return filled


def hardest_first(classes: Classes, ruled_out: Flags) -> NDArray[np.int64]:
    """Classes in falling order of the number of records they conflict with."""
    values = ruled_out.shape[1]
    # A class conflicts with all records of the same value, with the records of the values that it rules out, and with
    # the records whose sets rule out its own value. The three counts below are these.
    whole = np.bincount(classes.value, weights=classes.counts, minlength=values)
    per_set = np.bincount(classes.exclusion, weights=classes.counts, minlength=len(ruled_out))
    lengths = np.diff(classes.bounds)
    sets = np.repeat(np.arange(len(ruled_out)), lengths)
    ruling = np.bincount(classes.rulings, weights=per_set[sets], minlength=values)
    ruled = np.bincount(sets, weights=whole[classes.rulings], minlength=len(ruled_out))
    return np.argsort(-(whole[classes.value] + ruled[classes.exclusion] + ruling[classes.value]), kind="stable")
