"""How much two columns tell of each other, and which columns belong together by that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table

Columns = tuple[str, ...]
Codes = NDArray[np.int32]

BINS = 10
"""Numbers are compared as so many ranges of about equally many records."""


def contingency(table: Table, one: str, other: str) -> float:
    """The mean-square contingency coefficient: 0 if two columns are independent, 1 if one decides the other.

    A column of only one value tells nothing. Numbers are compared by ranges.

    >>> from sfumato.datasets import hospital
    >>> contingency(hospital(), "Job", "Sex"), round(contingency(hospital(), "Sex", "Disease"), 4)
    (1.0, 0.5625)

    References: Li, Li, Zhang and Molloy (2012), section 4.1.
    """
    return _coefficient(_binned(table, one), _binned(table, other), table.counts)


def closest(table: Table, columns: Sequence[str], to: Sequence[str], how_many: int) -> Columns:
    """The columns that tell most of one of some others, in their order in the table; the first of equals."""
    told = [max((contingency(table, name, other) for other in to), default=0.0) for name in columns]
    best = np.argsort(-np.array(told), kind="stable")[:how_many]
    return tuple(columns[place] for place in sorted(best.tolist()))


def correlated_blocks(table: Table, columns: Sequence[str], how_many: int) -> tuple[Columns, ...]:
    """Blocks of columns that tell most of each other: the two closest blocks are joined until so many are left.

    How close two blocks are is the mean coefficient between a column of the one and one of the other.
    """
    blocks = [[place] for place in range(len(columns))]
    binned = [_binned(table, name) for name in columns]
    near = np.zeros((len(columns), len(columns)))
    for one, other in zip(*np.triu_indices(len(columns), k=1), strict=True):
        near[one, other] = near[other, one] = _coefficient(binned[one], binned[other], table.counts)
    while len(blocks) > how_many:
        pairs = [(one, other) for other in range(len(blocks)) for one in range(other)]
        first, second = max(pairs, key=lambda pair: near[np.ix_(blocks[pair[0]], blocks[pair[1]])].mean())
        blocks[first] += blocks.pop(second)
    return tuple(tuple(columns[place] for place in sorted(block)) for block in sorted(map(sorted, blocks)))


def _coefficient(one: Codes, other: Codes, counts: NDArray[np.int64]) -> float:
    rows, columns = (np.bincount(codes, weights=counts) for codes in (one, other))
    kinds = min(np.count_nonzero(rows), np.count_nonzero(columns)) - 1
    if kinds < 1:
        return 0.0
    cells, place = np.unique(one.astype(np.int64) * len(columns) + other, return_inverse=True)
    often = np.bincount(place, weights=counts)
    expected = rows[cells // len(columns)] * columns[cells % len(columns)]
    return float(np.clip(((often**2 / expected).sum() - 1) / kinds, 0, 1))


def _binned(table: Table, name: str) -> Codes:
    """The codes of a column; those of many numbers by ranges of about equally many records, missing ones apart."""
    domain, codes = table.domain(name), table.codes[name]
    if domain.numbers is None or len(domain) <= BINS:
        return codes
    order = np.argsort(domain.numbers, kind="stable")
    often = table.histogram(name)[order].astype(np.float64)
    often[domain.present :] = 0
    middle = np.cumsum(often) - often / 2
    bins = np.minimum(middle * BINS / max(often.sum(), 1), BINS - 1).astype(np.int32)
    bins[domain.present :] = BINS
    bin_of = np.empty(len(domain), dtype=np.int32)
    bin_of[order] = bins
    return bin_of[codes]
