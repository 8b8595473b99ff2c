"""Cuts at the median of each column: of distinct rows with counts, or of single records by rank."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.mondrian.loops.cuts import NOBODY, Codes, Counts, Cuts, Losses, Rows, distinct_codes, width
from sfumato.kernels.compiled import compiled


@compiled
def _counted(
    rows: Rows, begins: Counts, start: int, stop: int, size: Counts, least: Codes, most: Codes, distinct: Counts
) -> int:
    """How often every value of every column occurs in a group, in one pass over its rows."""
    columns = rows.codes.shape[1]
    least[:], most[:], distinct[:] = NOBODY, -1, 0
    total = 0
    for row in range(start, stop):
        count = rows.counts[row]
        total += count
        for column in range(columns):
            code = rows.codes[row, column]
            place = begins[column] + code
            if size[place] == 0:
                distinct[column] += 1
                least[column], most[column] = min(least[column], code), max(most[column], code)
            size[place] += count
    return total


@compiled
def _uncounted(rows: Rows, begins: Counts, start: int, stop: int, size: Counts) -> None:
    """Set the counts of a group back to nothing, by its rows or altogether, whichever is less work."""
    columns = rows.codes.shape[1]
    if (stop - start) * columns > len(size):
        size[:] = 0
        return
    for row in range(start, stop):
        for column in range(columns):
            size[begins[column] + rows.codes[row, column]] = 0


@compiled
def _median(size: Counts, least: int, most: int, total: int) -> tuple[int, int]:
    """The lower median, or the value below it where nothing lies above; and how many records lie up to there."""
    place, left = least, size[least]
    while 2 * left < total:
        place += 1
        left += size[place]
    if place == most:
        left -= size[place]
        place -= 1
        while place > least and size[place] == 0:
            place -= 1
    return place, left


@compiled
def median_cuts(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Like `every_cut`, but only the cut at each column's median; the loss is that of the column, wider is less.

    `left_loss` is minus the share of the column's width that the group spans, so that the widest column comes first.
    """
    columns, capacity, found = len(sizes), len(cuts.group), 0
    begins = np.cumsum(sizes) - sizes
    size = np.zeros(sizes.sum(), dtype=np.int64)
    low, high = np.empty(columns, dtype=np.int32), np.empty(columns, dtype=np.int32)
    distinct = np.empty(columns, dtype=np.int64)
    for group in range(first, len(starts)):
        if found + columns > capacity:
            return found, group
        total = _counted(rows, begins, starts[group], stops[group], size, low, high, distinct)
        for column in range(columns):
            if distinct[column] > 1 and total >= 2 * least:
                place, left = _median(size[begins[column] :], low[column], high[column], total)
                if left >= least and total - left >= least:
                    cuts.group[found], cuts.column[found] = group, column
                    cuts.place[found], cuts.left[found] = place, left
                    spread = width(losses, column, low[column], high[column], distinct[column], sizes[column])
                    cuts.left_loss[found], cuts.right_loss[found] = -spread, 0.0
                    found += 1
        _uncounted(rows, begins, starts[group], stops[group], size)
    return found, len(starts)


@compiled
def halving_cuts(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Like `median_cuts` for rows of one record each: the places are ranks, and ties at the median are shared out."""
    columns, capacity, found = len(sizes), len(cuts.group), 0
    slot = np.full(sizes.max(), -1, dtype=np.int32)
    present = np.empty(sizes.max(), dtype=np.int32)
    for group in range(first, len(starts)):
        if found + columns > capacity:
            return found, group
        total = stops[group] - starts[group]
        left = (total + 1) // 2
        for column in range(columns):
            count = distinct_codes(rows.codes, column, starts[group], stops[group], slot, present)
            if count > 1 and total - left >= least:
                lo, hi = present[0], present[count - 1]
                cuts.group[found], cuts.column[found], cuts.place[found], cuts.left[found] = (
                    group,
                    column,
                    left - 1,
                    left,
                )
                cuts.left_loss[found] = -width(losses, column, lo, hi, count, sizes[column])
                cuts.right_loss[found] = 0.0
                found += 1
            for place in range(count):
                slot[present[place]] = -1
    return found, len(starts)


@compiled
def ranks(codes: Codes, sizes: Counts, starts: Counts, stops: Counts) -> Codes:
    """The rank of every row within its group by each column, equal codes in row order."""
    ranked = np.empty_like(codes)
    before = np.zeros(sizes.max() + 1, dtype=np.int32)
    for group in range(len(starts)):
        for column in range(codes.shape[1]):
            least, most = NOBODY, -1
            for row in range(starts[group], stops[group]):
                code = codes[row, column]
                least, most = min(least, code), max(most, code)
                before[code + 1] += 1
            for code in range(least + 1, most + 1):
                before[code + 1] += before[code]
            for row in range(starts[group], stops[group]):
                code = codes[row, column]
                ranked[row, column] = before[code]
                before[code] += 1
            before[least : most + 2] = 0
    return ranked
