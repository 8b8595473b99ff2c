"""Every way to cut a group of rows in two along one column, with what both sides would lose.

Going through the values of a column in order, a side only ever grows, so its ranges and sets are kept up to date
instead of being computed anew: one pass over the rows of a group for each column gives the losses of all cuts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import (
    NOBODY,
    Codes,
    Counts,
    Cuts,
    Losses,
    Rows,
    Words,
    distinct_codes,
    side_loss,
)
from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def _gathered(
    rows: Rows,
    losses: Losses,
    column: int,
    start: int,
    stop: int,
    slot: Codes,
    count: int,
    size: Counts,
    lo: Codes,
    hi: Codes,
    words: Words,
) -> None:
    """For every value of a column: how many records have it, and what the other columns hold beside it."""
    ranges, width = len(losses.column), rows.bits.shape[1]
    size[:count] = 0
    lo[:count] = NOBODY
    hi[:count] = -1
    words[:count] = 0
    for row in range(start, stop):
        place = slot[rows.codes[row, column]]
        size[place] += rows.counts[row]
        for r in range(ranges):
            code = rows.codes[row, losses.column[r]]
            if code < lo[place, r]:
                lo[place, r] = code
            if code > hi[place, r]:
                hi[place, r] = code
        for w in range(width):
            words[place, w] |= rows.bits[row, w]


@compiled
def _join(lo: Codes, hi: Codes, words: Words, into_lo: Codes, into_hi: Codes, into_words: Words) -> None:
    for r in range(len(lo)):
        into_lo[r] = min(into_lo[r], lo[r])
        into_hi[r] = max(into_hi[r], hi[r])
    for w in range(len(words)):
        into_words[w] |= words[w]


@compiled
def _swept(losses: Losses, count: int, size: Counts, lo: Codes, hi: Codes, words: Words, loss: Floats) -> None:
    """Losses of growing sides: row 0 from the left up to each value, row 1 from each value to the right."""
    side_lo = np.empty(lo.shape[1], dtype=np.int32)
    side_hi = np.empty(hi.shape[1], dtype=np.int32)
    side_words = np.empty(words.shape[1], dtype=np.uint64)
    for side in range(2):
        side_lo[:] = NOBODY
        side_hi[:] = -1
        side_words[:] = 0
        records = 0
        for step in range(count):
            place = step if side == 0 else count - 1 - step
            _join(lo[place], hi[place], words[place], side_lo, side_hi, side_words)
            records += size[place]
            loss[side, place] = records * side_loss(losses, side_lo, side_hi, side_words)


@compiled
def every_cut(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Fill `cuts` with the cuts of groups from `first` on whose sides both hold `least` records.

    Returns how many were found and the first group that did not fit any more.
    """
    columns, ranges, width = len(sizes), len(losses.column), rows.bits.shape[1]
    most, capacity, found = sizes.max(), len(cuts.group), 0
    slot = np.full(most, -1, dtype=np.int32)
    present = np.empty(most, dtype=np.int32)
    size = np.empty(most, dtype=np.int64)
    lo, hi = np.empty((most, ranges), dtype=np.int32), np.empty((most, ranges), dtype=np.int32)
    words, loss = np.empty((most, width), dtype=np.uint64), np.empty((2, most))
    for group in range(first, len(starts)):
        if found + sizes.sum() > capacity:
            return found, group
        for column in range(columns):
            count = distinct_codes(rows.codes, column, starts[group], stops[group], slot, present)
            if count > 1:
                _gathered(rows, losses, column, starts[group], stops[group], slot, count, size, lo, hi, words)
                _swept(losses, count, size, lo, hi, words, loss)
                total, left = size[:count].sum(), 0
                for place in range(count - 1):
                    left += size[place]
                    if left >= least and total - left >= least:
                        cuts.group[found], cuts.column[found] = group, column
                        cuts.place[found], cuts.left[found] = present[place], left
                        cuts.left_loss[found], cuts.right_loss[found] = loss[0, place], loss[1, place + 1]
                        found += 1
            for place in range(count):
                slot[present[place]] = -1
    return found, len(starts)
