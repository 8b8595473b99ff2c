"""Cuts at the median of each column: of distinct rows with counts, or of single records by rank.

The first kind counts the values of all columns in one pass over the rows of a group. The second lists the distinct
codes of each column only for the width of the column, because the median is a rank. Both fill `Cuts` group by group
and stop before a group that might not fit, so that the caller can continue there. The time is proportional to rows
times columns, plus the codes between the ends of each column's range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.algorithms.mondrian.loops.cuts import NOBODY, Codes, Counts, Cuts, Losses, Rows, distinct_codes, width
from sfumato.kernels.compiled import compiled


class _Values(NamedTuple):
    """The values of all columns in one group: scratch memory.

    `size[begins[column] + code]` is the number of records with that code and 0 between groups. `low` and `high` are the
    ends of each column's range and `distinct` the number of its codes.
    """

    size: Counts
    begins: Counts
    low: Codes
    high: Codes
    distinct: Counts


@compiled
def _count(rows: Rows, values: _Values, start: int, stop: int) -> int:
    """Count the values of every column in a group, in one pass over its rows; returns the number of records."""
    columns, total = rows.codes.shape[1], 0
    for column in range(columns):
        values.low[column] = NOBODY
        values.high[column] = -1
        values.distinct[column] = 0
    for row in range(start, stop):
        count = rows.counts[row]
        total += count
        for column in range(columns):
            code = rows.codes[row, column]
            place = values.begins[column] + code
            # the first record with this code in the group; the ends can only move here
            if values.size[place] == 0:
                values.distinct[column] += 1
                if code < values.low[column]:
                    values.low[column] = code
                if code > values.high[column]:
                    values.high[column] = code
            values.size[place] += count
    return total


@compiled
def _reset(rows: Rows, values: _Values, start: int, stop: int) -> None:
    """Set the counts of a group back to 0, by its rows or all of them, whichever is less work."""
    columns = rows.codes.shape[1]
    if (stop - start) * columns > len(values.size):
        for place in range(len(values.size)):
            values.size[place] = 0
        return
    for row in range(start, stop):
        for column in range(columns):
            values.size[values.begins[column] + rows.codes[row, column]] = 0


@compiled
def _median(size: Counts, least: int, most: int, total: int) -> tuple[int, int]:
    """The lower median, or the value below it where no value lies above; and the number of records up to it.

    `least` and `most` are places in `size`, so is the answer.
    """
    place, left = least, size[least]
    # `left` records have a value up to `place`; stops at the first value that half of the records do not exceed
    while 2 * left < total:
        place += 1
        left += size[place]
    # the median is the highest value, so a cut there leaves the right side empty: cut below it instead
    if place == most:
        left -= size[place]
        place -= 1
        while place > least and size[place] == 0:
            place -= 1
    return place, left


@compiled
def _at_a_break(
    losses: Losses, column: int, size: Counts, begin: int, low: int, high: int, total: int, least: int
) -> int:
    """The place, of those at the ends of the highest node, that is nearest to the median and leaves both sides `least`.

    -1 if the column is not published as nodes of numbers, or no place leaves enough on both sides.
    """
    best, level, nearest = -1, -1, total
    for r in range(len(losses.column)):
        if losses.column[r] == column and losses.rise[losses.offset[r] + low] >= 0:
            left = 0
            for code in range(low, high):
                left += size[begin + code]
                if left >= least and total - left >= least:
                    rise, apart = losses.rise[losses.offset[r] + code], abs(2 * left - total)
                    if rise > level or (rise == level and apart < nearest):
                        best, level, nearest = code, rise, apart
    return best


def median_cuts(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Like `every_cut`, but only the cut at the median of each column.

    `left_loss` is minus the fraction of the column's width that the group spans, so that the widest column is cut. The
    time is proportional to rows times columns, plus the codes between the ends of each column's range.
    """
    columns = len(sizes)
    values = _Values(
        size=np.zeros(int(sizes.sum()), dtype=np.int64),
        begins=np.cumsum(sizes) - sizes,
        low=np.empty(columns, dtype=np.int32),
        high=np.empty(columns, dtype=np.int32),
        distinct=np.empty(columns, dtype=np.int64),
    )
    found, group = _list_medians(rows, losses, sizes, values, starts, stops, first, least, cuts)
    return found, group


@compiled
def _list_medians(
    rows: Rows,
    losses: Losses,
    sizes: Counts,
    values: _Values,
    starts: Counts,
    stops: Counts,
    first: int,
    least: int,
    cuts: Cuts,
) -> tuple[int, int]:
    """The loop of `median_cuts`."""
    columns, capacity, found = len(sizes), len(cuts.group), 0
    for group in range(first, len(starts)):
        if found + columns > capacity:
            return found, group
        total = _count(rows, values, starts[group], stops[group])
        for column in range(columns):
            low, high, distinct = values.low[column], values.high[column], values.distinct[column]
            # a single value cannot be cut, and two sides of `least` records need twice as many
            if distinct > 1 and total >= 2 * least:
                begin = values.begins[column]
                place, left = _median(values.size, begin + low, begin + high, total)
                at_break = _at_a_break(losses, column, values.size, begin, low, high, total, least)
                if at_break >= 0:
                    place, left = begin + at_break, 0
                    for code in range(low, at_break + 1):
                        left += values.size[begin + code]
                if left >= least and total - left >= least:
                    cuts.group[found] = group
                    cuts.column[found] = column
                    cuts.place[found] = place - begin
                    cuts.left[found] = left
                    # the caller takes the cut with the lowest loss, so minus the width makes it the widest column
                    cuts.left_loss[found] = -width(losses, column, low, high, distinct, sizes[column])
                    cuts.right_loss[found] = 0.0
                    found += 1
        _reset(rows, values, starts[group], stops[group])
    return found, len(starts)


def halving_cuts(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Like `median_cuts` for rows of one record each: the places are ranks, so equal values are cut in halves, too."""
    slot, present = np.full(int(sizes.max()), -1, dtype=np.int32), np.empty(int(sizes.max()), dtype=np.int32)
    found, group = _list_halves(rows, losses, sizes, slot, present, starts, stops, first, least, cuts)
    return found, group


@compiled
def _list_halves(
    rows: Rows,
    losses: Losses,
    sizes: Counts,
    slot: Codes,
    present: Codes,
    starts: Counts,
    stops: Counts,
    first: int,
    least: int,
    cuts: Cuts,
) -> tuple[int, int]:
    """The loop of `halving_cuts`; `slot` and `present` are those of `distinct_codes`."""
    columns, capacity, found = len(sizes), len(cuts.group), 0
    for group in range(first, len(starts)):
        if found + columns > capacity:
            return found, group
        total = stops[group] - starts[group]
        # the same for all columns: the lower half, with the middle record if the number is odd
        left = (total + 1) // 2
        for column in range(columns):
            count = distinct_codes(rows.codes, column, starts[group], stops[group], slot, present)
            if count > 1 and total - left >= least:
                low, high = present[0], present[count - 1]
                cuts.group[found] = group
                cuts.column[found] = column
                cuts.place[found] = left - 1
                cuts.left[found] = left
                cuts.left_loss[found] = -width(losses, column, low, high, count, sizes[column])
                cuts.right_loss[found] = 0.0
                found += 1
            # back to -1, as `distinct_codes` needs it for the next column
            for place in range(count):
                slot[present[place]] = -1
    return found, len(starts)


def ranks(codes: Codes, sizes: Counts, starts: Counts, stops: Counts) -> Codes:
    """The rank of every row within its group by each column, equal codes in row order; by counting, without a sort.

    The time is proportional to rows times columns, plus the codes between the ends of each column's range.
    """
    ranked = np.empty_like(codes)
    _rank(codes, np.zeros(int(sizes.max()) + 1, dtype=np.int32), starts, stops, ranked)
    return ranked


@compiled
def _rank(codes: Codes, before: Codes, starts: Counts, stops: Counts, ranked: Codes) -> None:
    """The loop of `ranks`; `before[code]` becomes the rank of the next row with that code, and is 0 between columns."""
    for group in range(len(starts)):
        for column in range(codes.shape[1]):
            least, most = NOBODY, -1
            for row in range(starts[group], stops[group]):
                code = codes[row, column]
                if code < least:
                    least = code
                if code > most:
                    most = code
                # one place too high, so that the running sums are the rows with a lower code
                before[code + 1] += 1
            for code in range(least + 1, most + 1):
                before[code + 1] += before[code]
            for row in range(starts[group], stops[group]):
                code = codes[row, column]
                # rows are visited in order, so equal codes are ranked in row order
                ranked[row, column] = before[code]
                before[code] += 1
            for code in range(least, most + 2):
                before[code] = 0
