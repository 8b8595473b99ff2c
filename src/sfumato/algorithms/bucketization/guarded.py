"""Linkage of records that all go together, in one quick pass that never leaves a frequent value for the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.classes import Classes
from sfumato.algorithms.bucketization.mended import mended, own_value_ruled_out
from sfumato.algorithms.bucketization.records import Records

RETRIES = 8
"""How often everything is shared out anew, in another order, while some record has no bucket."""

SMALL = 20_000
"""Up to so many records it is cheap to share out everything anew."""


def guarded(records: Records, l: int) -> NDArray[np.int32]:
    """The bucket of every record: l of them, or a few more, with different values of which none is ruled out for any.

    So every record has at least l valid values, and no value has more than one l-th of a bucket. A seed is of the value
    that would otherwise become too frequent among what is left, else of the class with the most records it does not go
    with; its partners are of the most frequent values that go with all members so far. What is left over in the end is
    exchanged for members that are easier to place, or joins a bucket of l. A record for which nothing was found, or
    whose own value is ruled out for it, gets -1.

    >>> value = np.array([0, 0, 1, 2, 2, 1], dtype=np.int32)
    >>> barred = np.array([1, 0, 0, 0, 0, 0], dtype=np.int32)
    >>> ruled_out = np.array([[False, False, False], [False, True, False]])
    >>> records = Records(value, barred, ruled_out, np.zeros((6, 0), dtype=np.int32), (), ())
    >>> buckets = guarded(records, 2)
    >>> np.bincount(buckets), value[buckets == buckets[0]]
    (array([2, 2, 2]), array([0, 2], dtype=int32))
    """
    nothing = np.full(len(records), -1, dtype=np.int32)
    best = mended(records, l, drawn(records, l, nothing))
    random = np.random.default_rng(0)
    hopeless = int(own_value_ruled_out(records).sum())
    for _ in range(RETRIES if len(records) <= SMALL else 0):
        if np.count_nonzero(best < 0) == hopeless:
            break
        other = mended(records, l, drawn(records, l, nothing, random))
        if np.count_nonzero(other < 0) < np.count_nonzero(best < 0):
            best = other
    return best


def drawn(
    records: Records, l: int, buckets: NDArray[np.int32], random: np.random.Generator | None = None
) -> NDArray[np.int32]:
    """Linkage of l drawn from the records at -1, beside those there are; seeds of hard classes first, or at random."""
    from sfumato.algorithms.bucketization.loops.guarded_draws import draw_buckets, hand_out
    from sfumato.algorithms.bucketization.loops.value_queues import piles_of

    rows = np.flatnonzero((buckets < 0) & ~own_value_ruled_out(records))
    if len(rows) < l:
        return buckets
    rest = replace(records, value=records.value[rows], barred=records.barred[rows], quasi=records.quasi[:0])
    classes = Classes.of_records(rest)
    piles = piles_of(classes.value, classes.barred, classes.counts, records.ruled_out.shape[1])
    order = hardest_first(classes, records.ruled_out) if random is None else random.permutation(len(classes.value))
    found = draw_buckets(piles, records.ruled_out, classes.rulings, classes.bounds, order.astype(np.int32), l)
    fresh = np.full(len(rows), -1, dtype=np.int32)
    hand_out(found, classes.rows, classes.starts, fresh)
    filled = buckets.copy()
    filled[rows] = np.where(fresh < 0, -1, fresh + int(buckets.max()) + 1)
    return filled


def hardest_first(classes: Classes, ruled_out: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Classes in falling order of how many records do not go with them."""
    values = ruled_out.shape[1]
    whole = np.bincount(classes.value, weights=classes.counts, minlength=values)
    per_set = np.bincount(classes.barred, weights=classes.counts, minlength=len(ruled_out))
    lengths = np.diff(classes.bounds)
    sets = np.repeat(np.arange(len(ruled_out)), lengths)
    ruling = np.bincount(classes.rulings, weights=per_set[sets], minlength=values)
    ruled = np.bincount(sets, weights=whole[classes.rulings], minlength=len(ruled_out))
    return np.argsort(-(whole[classes.value] + ruled[classes.barred] + ruling[classes.value]), kind="stable")
