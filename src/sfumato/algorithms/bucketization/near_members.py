"""Strategy `near` of Injector: buckets of compatible records with similar quasi values.

The more similar the members of a bucket, the better a recipient can reconstruct counts from the release.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.guarded_members import draw_members, guarded_buckets, hardest_first
from sfumato.algorithms.bucketization.margin_swaps import COARSE, association, coarsen, swap_members
from sfumato.algorithms.bucketization.member_exchange import place_by_exchange
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.records import Records
from sfumato.runtime.secret_random import Randomness

NARROW, WIDER = 32, 2
"""Number of records of the first blocks, and the factor by which blocks grow from pass to pass."""


def near_buckets(records: Records, l: int, *, effort: float = 1.0, random: Randomness) -> NDArray[np.int32]:
    """The bucket of each record, with the guarantees of `guarded_buckets` and with members that keep the data useful.

    Records are sorted by their quasi columns, those most associated with the sensitive value first, and buckets are
    drawn from narrow blocks of this order, then from wider ones. Then records of the same value swap places where this
    brings the margins that a recipient reconstructs closer to those of the table; `effort` scales the number of swaps.
    A record without a bucket, or whose own value is ruled out, gets -1.

    >>> value, exclusion = np.array([0, 1, 0, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    >>> town, nothing = np.array([[0], [0], [1], [1]], dtype=np.int32), np.zeros((1, 2), dtype=bool)
    >>> records = Records(value, exclusion, nothing, town, (2,), (False,))
    >>> np.bincount(near_buckets(records, 2, random=np.random.default_rng(0)))
    array([2, 2])
    """
    buckets = place_by_exchange(records, l, draw_members(records, l, draw_in_blocks(records, l, random)))
    # Narrow blocks can use up the rare values. The one-pass strategy ignores nearness and may place more records.
    if np.count_nonzero(buckets < 0) > records.own_value_ruled_out.sum():
        other = guarded_buckets(records, l)
        buckets = other if np.count_nonzero(other < 0) < np.count_nonzero(buckets < 0) else buckets
    return swap_members(records, buckets, effort, random)


def draw_in_blocks(records: Records, l: int, random: Randomness) -> NDArray[np.int32]:
    """Buckets of l drawn from neighbours as far as possible; -1 for all other records."""
    from sfumato.algorithms.bucketization.loops.member_exchange import SensitiveValues
    from sfumato.algorithms.bucketization.loops.near_members import Supply, draw_blocks

    sensitive = SensitiveValues(records.value, records.exclusion, records.ruled_out)
    order, hardness = neighbours(records, random), _hardness(records)
    whole = np.bincount(records.value[order], minlength=records.ruled_out.shape[1]).astype(np.int64)
    supply = Supply(whole, np.array([len(order)], dtype=np.int64), np.zeros(1, dtype=np.int64))
    buckets = np.full(len(records), -1, dtype=np.int32)
    width, total = max(NARROW, 2 * l), 0
    while len(order) >= l:
        # The last, incomplete block is joined to the one before it, because few neighbours seldom make a bucket.
        block = np.minimum(np.arange(len(order)) // width, max(len(order) // width - 1, 0))
        # Inside a block, the hardest classes are seeds first, while many partners are left. Ties are random.
        seeds = order[np.lexsort((random.random(len(order)), hardness[order], block))]
        bounds = np.searchsorted(block, np.arange(block[-1] + 2))
        total = draw_blocks(sensitive, seeds, bounds, supply, l, buckets, total)
        if width >= len(order):
            break
        order, width = order[buckets[order] < 0], width * WIDER
    return buckets


def _hardness(records: Records) -> NDArray[np.int32]:
    """The rank of each record's class by conflicts: the class with the most conflicts has rank 0."""
    classes = Classes.of_records(records)
    ranks = np.empty(len(classes.value), dtype=np.int32)
    ranks[hardest_first(classes, records.ruled_out)] = np.arange(len(ranks), dtype=np.int32)
    return ranks[classes.of]


def neighbours(records: Records, random: Randomness) -> NDArray[np.int32]:
    """The records whose own value is allowed, sorted by quasi columns; records with equal keys in random order."""
    rows = random.permutation(np.flatnonzero(~records.own_value_ruled_out))
    columns = [coarsen(records, place, COARSE) for place in range(len(records.sizes))]
    columns.sort(key=lambda column: -association(column[0], column[1], records))
    key, codes = np.zeros(len(rows), dtype=np.int64), 1
    for column, size in columns:
        # A column that does not fit into the 64-bit key is skipped;
        # the most associated columns come first and do fit.
        if codes * size < 2**62:
            key, codes = key * size + column[rows], codes * size
    return rows[np.argsort(key, kind="stable")].astype(np.int32)
