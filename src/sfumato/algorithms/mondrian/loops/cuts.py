"""What the loops of the Mondrian family share: rows, cuts, and the loss of a group when it is published.

A group publishes, for each column, either the range of its codes or the set of its values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.shell_sort import shell_sort
from sfumato.runtime.representations import sizes_only

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Words = NDArray[np.uint64]

NOBODY = 2147483647
"""Above every code: the lowest code of no rows."""


class Rows(NamedTuple):
    """Distinct rows in the order of their groups: codes (rows x columns), counts, and the bits of their set columns."""

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    bits: NDArray[np.uint64]


class Losses(NamedTuple):
    """Tables from which the loss of a side is read: of range columns by position or tree, of set columns by bits.

    Range column r is column `column[r]`. Its codes lie at `position[offset[r] + code]` between 0 and 1. Codes from
    `present[r]` on are missing values, and a range that includes one loses 1. Where `height[r]` is not 0 the loss is
    that of the lowest taxonomy node over the range: the node of a code on a level is `node[offset[r] + level * size[r]
    + code]`, and its loss is the entry of `share` at the same index. In a column of numbers that is published as nodes,
    `rise[offset[r] + code]` is the highest level on which the next code has another node; it is -1 elsewhere.

    Set columns are segments of bits: segment s loses `weight[s]` for every bit of `mask[s]` in word `word[s]`. Set
    columns of very many values have no bits, because these would take more memory than the rows: column `wide[w]` loses
    `wide_weight[w]` for every value that occurs on a side. `base` is the loss counted for the first value of each set,
    which is subtracted.
    """

    column: NDArray[np.int32]
    offset: NDArray[np.int64]
    present: NDArray[np.int32]
    position: NDArray[np.float64]
    height: NDArray[np.int32]
    size: NDArray[np.int32]
    node: NDArray[np.int32]
    share: NDArray[np.float64]
    rise: NDArray[np.int32]
    word: NDArray[np.int32]
    mask: NDArray[np.uint64]
    weight: NDArray[np.float64]
    wide: NDArray[np.int32]
    wide_weight: NDArray[np.float64]
    base: float

    def __repr__(self) -> str:
        return sizes_only(self)


class Cuts(NamedTuple):
    """Candidate cuts: rows of a group with a code of at most `place` in `column` go left.

    `left` is the number of records on the left side; the losses are those of all records of a side together.
    """

    group: NDArray[np.int32]
    column: NDArray[np.int32]
    place: NDArray[np.int32]
    left: NDArray[np.int64]
    left_loss: NDArray[np.float64]
    right_loss: NDArray[np.float64]


def room_for(capacity: int) -> Cuts:
    """Memory for so many cuts."""
    kinds = (np.int32, np.int32, np.int32, np.int64, np.float64, np.float64)
    return Cuts._make(np.empty(capacity, dtype=kind) for kind in kinds)


@compiled
def _ones(word: np.uint64) -> np.uint64:
    """The number of bits that are set, by adding neighbouring bits, pairs, fours and so on side by side."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def range_loss(losses: Losses, r: int, lo: int, hi: int) -> float:
    """The loss per record of a range of codes of range column r."""
    if lo >= hi:
        return 0.0
    if losses.height[r] == 0:
        # missing values have the codes after all numbers, so they have no position and the range is published as a
        # whole
        if hi >= losses.present[r]:
            return 1.0
        span: float = losses.position[losses.offset[r] + hi] - losses.position[losses.offset[r] + lo]
        return span
    # the nodes of a level cover runs of neighbouring codes, so a node over both ends covers the whole range; the lowest
    # such node is the one that is published
    for level in range(1, losses.height[r] + 1):
        row = losses.offset[r] + level * losses.size[r]
        if losses.node[row + lo] == losses.node[row + hi]:
            share: float = losses.share[row + lo]
            return share
    return 1.0


@compiled
def side_loss(losses: Losses, lo: Codes, hi: Codes, words: Words) -> float:
    """The loss per record of a side over its columns; `lo` and `hi` are its ranges, `words` its sets.

    Set columns without bits are not included.
    """
    # every value of a set is counted below, and `base` takes off the first one, which loses nothing
    total = -losses.base
    for r in range(len(losses.column)):
        total += range_loss(losses, r, lo[r], hi[r])
    for s in range(len(losses.word)):
        total += losses.weight[s] * _ones(words[losses.word[s]] & losses.mask[s])
    return total


@compiled
def width(losses: Losses, column: int, lo: int, hi: int, distinct: int, size: int) -> float:
    """The fraction of a column's width that a group spans, between 0 and 1."""
    # a range column is as wide as its loss; a set column as the share of its values that occur, less one
    for r in range(len(losses.column)):
        if losses.column[r] == column:
            return range_loss(losses, r, lo, hi)
    return (distinct - 1) / (size - 1 if size > 1 else 1)


@compiled
def distinct_codes(codes: Codes, column: int, start: int, stop: int, slot: Codes, present: Codes) -> int:
    """List the codes of a column that occur in a group in ascending order; returns how many there are.

    `slot` has an entry per code of the column and is -1 everywhere before the call. Afterwards `present[i]` is the i-th
    code and `slot[code]` is its index i. The caller sets the entries of the listed codes back to -1, so the cost
    follows the rows of the group and not the size of the domain. Where the codes lie close together they are listed by
    a scan from the lowest to the highest, else they are sorted.
    """
    # list every code once, in the order of the rows, and note the ends of the range
    count, least, most = 0, NOBODY, -1
    for row in range(start, stop):
        code = codes[row, column]
        if slot[code] < 0:
            slot[code] = 0
            present[count] = code
            count += 1
            if code < least:
                least = code
            if code > most:
                most = code
    # a scan reads one neighbouring entry per code of the range, which is cheaper than a sort up to about 8 entries for
    # each code that occurs
    if most - least < 8 * count:
        count = 0
        for code in range(least, most + 1):
            if slot[code] >= 0:
                present[count] = code
                count += 1
    else:
        shell_sort(present, count)
    for place in range(count):
        slot[present[place]] = place
    return count
