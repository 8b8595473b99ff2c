"""Linkage of records that all go together and lie near each other, so that a recipient reconstructs counts well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.classes import Classes
from sfumato.algorithms.bucketization.guarded import drawn, guarded, hardest_first
from sfumato.algorithms.bucketization.margins import COARSE, association, coarsened
from sfumato.algorithms.bucketization.mended import mended, own_value_ruled_out
from sfumato.algorithms.bucketization.records import Records
from sfumato.algorithms.bucketization.swaps import swapped

NARROW, WIDER = 32, 2
"""How many records the first blocks have, and how many times as many those of every further pass."""


def near(records: Records, l: int, *, effort: float = 1.0, random: np.random.Generator) -> NDArray[np.int32]:
    """The bucket of every record, as `guarded` promises it, with members chosen for what can be learned from buckets.

    Records are put in an order of their quasi columns, those that tell most about the secret first, and drawn from
    narrow blocks of it, then from wider ones. After that records of the same value change places wherever this brings
    the margins that a recipient reconstructs nearer to those of the table; `effort` says how long it is tried. A record
    for which no bucket was found, or whose own value is ruled out for it, gets -1.

    >>> value, barred = np.array([0, 1, 0, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    >>> town, nothing = np.array([[0], [0], [1], [1]], dtype=np.int32), np.zeros((1, 2), dtype=bool)
    >>> records = Records(value, barred, nothing, town, (2,), (False,))
    >>> np.bincount(near(records, 2, random=np.random.default_rng(0)))
    array([2, 2])
    """
    buckets = mended(records, l, drawn(records, l, in_blocks(records, l, random)))
    if np.count_nonzero(buckets < 0) > own_value_ruled_out(records).sum():
        other = guarded(records, l)
        buckets = other if np.count_nonzero(other < 0) < np.count_nonzero(buckets < 0) else buckets
    return swapped(records, buckets, effort, random)


def in_blocks(records: Records, l: int, random: np.random.Generator) -> NDArray[np.int32]:
    """Linkage of l out of neighbours, as far as they are found; -1 for all other records."""
    from sfumato.algorithms.bucketization.loops.block_draws import Supply, draw_blocks
    from sfumato.algorithms.bucketization.loops.mending import Secrets

    secrets = Secrets(records.value, records.barred, records.ruled_out)
    order, hardness = neighbours(records, random), _hardness(records)
    whole = np.bincount(records.value[order], minlength=records.ruled_out.shape[1]).astype(np.int64)
    supply = Supply(whole, np.array([len(order)], dtype=np.int64), np.zeros(1, dtype=np.int64))
    buckets = np.full(len(records), -1, dtype=np.int32)
    width, total = max(NARROW, 2 * l), 0
    while len(order) >= l:
        block = np.minimum(np.arange(len(order)) // width, max(len(order) // width - 1, 0))
        seeds = order[np.lexsort((random.random(len(order)), hardness[order], block))]
        bounds = np.searchsorted(block, np.arange(block[-1] + 2))
        total = draw_blocks(secrets, seeds, bounds, supply, l, buckets, total)
        if width >= len(order):
            break
        order, width = order[buckets[order] < 0], width * WIDER
    return buckets


def _hardness(records: Records) -> NDArray[np.int32]:
    """The rank of every record's class among those that are hardest to find partners for."""
    classes = Classes.of_records(records)
    ranks = np.empty(len(classes.value), dtype=np.int32)
    ranks[hardest_first(classes, records.ruled_out)] = np.arange(len(ranks), dtype=np.int32)
    return ranks[classes.of]


def neighbours(records: Records, random: np.random.Generator) -> NDArray[np.int32]:
    """The records that can have their own value, ordered by quasi columns, alike ones at random."""
    rows = random.permutation(np.flatnonzero(~own_value_ruled_out(records)))
    columns = [coarsened(records, place, COARSE) for place in range(len(records.sizes))]
    columns.sort(key=lambda column: -association(column[0], column[1], records))
    key, codes = np.zeros(len(rows), dtype=np.int64), 1
    for column, size in columns:
        if codes * size < 2**62:
            key, codes = key * size + column[rows], codes * size
    return rows[np.argsort(key, kind="stable")].astype(np.int32)
