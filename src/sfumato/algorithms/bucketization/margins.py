"""The margins that a recipient of buckets may ask for: every quasi column and every pair of them against the secret."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.records import Records

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.margin_swaps import Views

FINE, COARSE, VAGUE = 256, 12, 5
"""How many codes a column has at most by itself, in pairs with others, and once more by itself in a vaguer view."""

PAIRS, KINDS = 36, 64
"""How many pairs of columns are looked at, and in how many kinds the values of the secret are counted."""

Column = tuple[NDArray[np.int64], int]


def views_of(records: Records) -> tuple[Views, int, int]:
    """The views of the quasi columns, how many codes they have, and in how many kinds values are counted."""
    from sfumato.algorithms.bucketization.loops.margin_swaps import Views

    columns = _columns(records)
    codes = np.empty((len(records), len(columns)), dtype=np.int32)
    cells = 0
    for place, (column, size) in enumerate(columns):
        codes[:, place] = column + cells
        cells += size
    kind = _most_frequent(records.value, records.ruled_out.shape[1], KINDS)
    return Views(codes, kind.astype(np.int32)), cells, int(kind.max(initial=0)) + 1


def _columns(records: Records) -> list[Column]:
    alone = [coarsened(records, place, FINE) for place in range(len(records.sizes))]
    coarse = [coarsened(records, place, COARSE) for place in range(len(records.sizes))]
    vague = [coarsened(records, place, VAGUE) for place, size in enumerate(records.sizes) if size > COARSE]
    bits = [association(column, size, records) for column, size in coarse]
    pairs = sorted(combinations(range(len(alone)), 2), key=lambda pair: -bits[pair[0]] - bits[pair[1]])
    return alone + vague + [_crossed(coarse[one], coarse[other]) for one, other in pairs[:PAIRS]]


def coarsened(records: Records, place: int, most: int) -> Column:
    """A column with at most so many codes: neighbours together where there is an order, else rare codes together."""
    column, size = records.quasi[:, place], records.sizes[place]
    if size <= most:
        return column.astype(np.int64), size
    if not records.ordered[place]:
        return _most_frequent(column, size, most)[column], most
    counts = np.bincount(column, minlength=size)
    middles = (np.cumsum(counts) - counts / 2) / max(len(column), 1)
    return np.minimum((middles * most).astype(np.int64), most - 1)[column], most


def _most_frequent(column: NDArray[np.int32], size: int, most: int) -> NDArray[np.int64]:
    """A number for each code: the most frequent ones have their own, all others share the last."""
    if size <= most:
        return np.arange(size)
    ranks = np.empty(size, dtype=np.int64)
    ranks[np.argsort(-np.bincount(column, minlength=size), kind="stable")] = np.arange(size)
    return np.minimum(ranks, most - 1)


def _crossed(one: Column, other: Column) -> Column:
    return one[0] * other[1] + other[0], one[1] * other[1]


def association(column: NDArray[np.int64], size: int, records: Records) -> float:
    """How much a column tells about the secret, in nats, less what it would tell by chance."""
    values = records.ruled_out.shape[1]
    kind = _most_frequent(records.value, values, KINDS)
    kinds = int(kind.max(initial=0)) + 1
    counts = np.bincount(column * kinds + kind[records.value], minlength=size * kinds).reshape(size, kinds)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(records), 1)
    seen = counts > 0
    told = float((counts[seen] * np.log(counts[seen] / expected[seen])).sum())
    return (told - (size - 1) * (kinds - 1) / 2) / max(len(records), 1)
