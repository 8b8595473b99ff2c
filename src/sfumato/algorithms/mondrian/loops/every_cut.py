"""Every cut of a group along one column, with the loss of both sides.

Going through the values of a column in ascending order, the left side only grows, and going through them in descending
order the right side does. So the ranges and sets of a side are extended by one value at a time, and one pass over the
rows of a group per column gives the losses of all cuts along it.

Sets of columns with very many values are only counted: a value of such a column is on the left side from the first
value of the cut column on with which it occurs, and on the right side up to the last one.
"""

from __future__ import annotations

from typing import NamedTuple

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


class Values(NamedTuple):
    """The distinct values of one column in one group: scratch memory that is large enough for every column.

    `code[i]` is the i-th value in ascending order, `slot[code]` its index i (-1 for a code that does not occur), and
    `size[i]` the number of records that have it. `low[i]`, `high[i]` and `words[i]` are the ranges and sets of these
    records in the other columns. `loss[0, i]` is the loss of the side up to value i, `loss[1, i]` of the side from
    value i on. The last row of `low`, `high` and `words` holds the side that is growing.

    The others are for one wide set column at a time: `joins[0, i]` is the number of its values that the left side gets
    with value i, `joins[1, i]` the number of those that the right side gets. `earliest[code]` and `latest[code]` are
    the first and the last i with which a code occurs, and -1 between columns.
    """

    code: Codes
    slot: Codes
    size: Counts
    low: Codes
    high: Codes
    words: Words
    loss: NDArray[np.float64]
    joins: NDArray[np.int32]
    earliest: Codes
    latest: Codes


def every_cut(
    rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, first: int, least: int, cuts: Cuts
) -> tuple[int, int]:
    """Fill `cuts` with the cuts of groups from `first` on whose sides both hold `least` records.

    Returns the number of cuts and the first group that did not fit. The time is proportional to rows times columns
    squared, plus distinct values times columns.
    """
    most, ranges, width = int(sizes.max()), len(losses.column), rows.bits.shape[1]
    values = Values(
        code=np.empty(most, dtype=np.int32),
        slot=np.full(most, -1, dtype=np.int32),
        size=np.empty(most, dtype=np.int64),
        low=np.empty((most + 1, ranges), dtype=np.int32),
        high=np.empty((most + 1, ranges), dtype=np.int32),
        words=np.empty((most + 1, width), dtype=np.uint64),
        loss=np.empty((2, most)),
        joins=np.empty((2, most if len(losses.wide) else 0), dtype=np.int32),
        earliest=np.full(most if len(losses.wide) else 0, -1, dtype=np.int32),
        latest=np.full(most if len(losses.wide) else 0, -1, dtype=np.int32),
    )
    found, group = _list_cuts(rows, losses, values, starts, stops, first, int(sizes.sum()), least, cuts)
    return found, group


@compiled
def _list_cuts(
    rows: Rows,
    losses: Losses,
    values: Values,
    starts: Counts,
    stops: Counts,
    first: int,
    most: int,
    least: int,
    cuts: Cuts,
) -> tuple[int, int]:
    """The loop of `every_cut`; `most` is the highest number of cuts of one group."""
    columns, capacity, found = rows.codes.shape[1], len(cuts.group), 0
    for group in range(first, len(starts)):
        # a group is listed as a whole or not at all, so that the caller can continue with it in new memory
        if found + most > capacity:
            return found, group
        for column in range(columns):
            count = distinct_codes(rows.codes, column, starts[group], stops[group], values.slot, values.code)
            if count > 1:
                total = _gather(rows, losses, column, starts[group], stops[group], values, count)
                _sweep(losses, values, count)
                for w in range(len(losses.wide)):
                    _join(rows.codes, column, losses.wide[w], starts[group], stops[group], values, count)
                    _charge(values, losses.wide_weight[w], count)
                left = 0
                # a cut above the last value would leave the right side empty
                for place in range(count - 1):
                    left += values.size[place]
                    if left >= least and total - left >= least:
                        cuts.group[found] = group
                        cuts.column[found] = column
                        cuts.place[found] = values.code[place]
                        cuts.left[found] = left
                        cuts.left_loss[found] = values.loss[0, place]
                        cuts.right_loss[found] = values.loss[1, place + 1]
                        found += 1
            # back to -1, as `distinct_codes` needs it for the next column
            for place in range(count):
                values.slot[values.code[place]] = -1
    return found, len(starts)


@compiled
def _gather(rows: Rows, losses: Losses, column: int, start: int, stop: int, values: Values, count: int) -> int:
    """For each value of a column its records, ranges and sets; returns the number of records of the group."""
    codes, counts, bits, ranged = rows.codes, rows.counts, rows.bits, losses.column
    slot, size, low, high, words = values.slot, values.size, values.low, values.high, values.words
    ranges, width, total = len(ranged), bits.shape[1], 0
    for place in range(count):
        size[place] = 0
        for r in range(ranges):
            low[place, r] = NOBODY
            high[place, r] = -1
        for w in range(width):
            words[place, w] = 0
    for row in range(start, stop):
        # extend the ranges and sets of the row's value; the column itself is among them, if it is a range column
        place = slot[codes[row, column]]
        size[place] += counts[row]
        total += counts[row]
        for r in range(ranges):
            code = codes[row, ranged[r]]
            if code < low[place, r]:
                low[place, r] = code
            if code > high[place, r]:
                high[place, r] = code
        for w in range(width):
            words[place, w] |= bits[row, w]
    return total


@compiled
def _sweep(losses: Losses, values: Values, count: int) -> None:
    """The losses of both growing sides, from the left and then from the right."""
    size, low, high, words, loss = values.size, values.low, values.high, values.words, values.loss
    ranges, width, side = low.shape[1], words.shape[1], len(low) - 1
    # direction 0 adds values from the lowest on and gives left sides, direction 1 from the highest on and gives right
    # sides; the last row of `low`, `high` and `words` is the side so far
    for direction in range(2):
        for r in range(ranges):
            low[side, r] = NOBODY
            high[side, r] = -1
        for w in range(width):
            words[side, w] = 0
        records = 0
        for step in range(count):
            place = step if direction == 0 else count - 1 - step
            for r in range(ranges):
                if low[place, r] < low[side, r]:
                    low[side, r] = low[place, r]
                if high[place, r] > high[side, r]:
                    high[side, r] = high[place, r]
            for w in range(width):
                words[side, w] |= words[place, w]
            records += size[place]
            # all records of a side are published alike, so each of them has the same loss
            loss[direction, place] = records * side_loss(losses, low[side], high[side], words[side])


@compiled
def _join(codes: Codes, column: int, wide: int, start: int, stop: int, values: Values, count: int) -> None:
    """Count with which value of a column the values of a wide set column join the left and the right side."""
    slot, joins, earliest, latest = values.slot, values.joins, values.earliest, values.latest
    for place in range(count):
        joins[0, place] = 0
        joins[1, place] = 0
    for row in range(start, stop):
        place, code = slot[codes[row, column]], codes[row, wide]
        if earliest[code] < 0 or place < earliest[code]:
            earliest[code] = place
        if place > latest[code]:
            latest[code] = place
    for row in range(start, stop):
        code = codes[row, wide]
        # the first of the rows with this code; the others find it counted
        if earliest[code] >= 0:
            joins[0, earliest[code]] += 1
            joins[1, latest[code]] += 1
            earliest[code] = -1
            latest[code] = -1


@compiled
def _charge(values: Values, weight: float, count: int) -> None:
    """Add the loss of a wide set column to both growing sides."""
    for direction in range(2):
        records, distinct = 0, 0
        for step in range(count):
            place = step if direction == 0 else count - 1 - step
            records += values.size[place]
            distinct += values.joins[direction, place]
            values.loss[direction, place] += records * (weight * distinct)
