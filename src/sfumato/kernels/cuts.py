"""Every way to cut a group of rows in two along one column, with what both sides would lose.

A side publishes, for each column, either the range of its codes or the set of its values. Going through the values of a
column in order, a side only ever grows, so its ranges and sets are kept up to date instead of being computed anew: one
pass over the rows of a group for each column gives the losses of all cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled


class Rows(NamedTuple):
    """Distinct rows in the order of their groups: codes (rows x columns), counts, and the bits of their set columns."""

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    bits: NDArray[np.uint64]


class Losses(NamedTuple):
    """How a side's loss is read off: for range columns positions and tree levels, for set columns masked words.

    Range column r is column `column[r]`; its codes lie at `position[offset[r] + code]` between 0 and 1; from code
    `present[r]` on they are missing values, and a range that reaches them costs 1. Where `height[r]` is not 0 the loss
    is that of the lowest node over the range: `node[offset[r] + level * size[r] + code]` costs `share[...]` likewise.
    Bit segment s costs `weight[s]` for every bit of `mask[s]` in word `word[s]`; `base` is what one value costs.
    """

    column: NDArray[np.int32]
    offset: NDArray[np.int64]
    present: NDArray[np.int32]
    position: NDArray[np.float64]
    height: NDArray[np.int32]
    size: NDArray[np.int32]
    node: NDArray[np.int32]
    share: NDArray[np.float64]
    word: NDArray[np.int32]
    mask: NDArray[np.uint64]
    weight: NDArray[np.float64]
    base: float


class Cuts(NamedTuple):
    """Candidate cuts: rows of a group with code <= `place` in `column` go left."""

    group: NDArray[np.int32]
    column: NDArray[np.int32]
    place: NDArray[np.int32]
    left: NDArray[np.int64]
    left_loss: NDArray[np.float64]
    right_loss: NDArray[np.float64]


@compiled
def _ones(word: np.uint64) -> np.uint64:
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def _range_loss(losses, r, lo, hi):  # type: ignore[no-untyped-def]
    if lo >= hi:
        return 0.0
    if losses.height[r] == 0:
        if hi >= losses.present[r]:
            return 1.0
        return losses.position[losses.offset[r] + hi] - losses.position[losses.offset[r] + lo]
    for level in range(1, losses.height[r] + 1):
        row = losses.offset[r] + level * losses.size[r]
        if losses.node[row + lo] == losses.node[row + hi]:
            return losses.share[row + lo]
    return 1.0


@compiled
def _loss(losses, lo, hi, words):  # type: ignore[no-untyped-def]
    total = -losses.base
    for r in range(len(losses.column)):
        total += _range_loss(losses, r, lo[r], hi[r])
    for s in range(len(losses.word)):
        total += losses.weight[s] * _ones(words[losses.word[s]] & losses.mask[s])
    return total


@compiled
def _distinct(codes, column, start, stop, slot, present):  # type: ignore[no-untyped-def]
    """The codes of a column that occur in a group, ascending, and for each code its place among them."""
    count, least, most = 0, 2147483647, -1
    for row in range(start, stop):
        code = codes[row, column]
        if slot[code] < 0:
            slot[code] = 0
            present[count] = code
            count += 1
            least, most = min(least, code), max(most, code)
    if most - least < 8 * count:
        count = 0
        for code in range(least, most + 1):
            if slot[code] >= 0:
                present[count] = code
                count += 1
    else:
        present[:count].sort()
    for place in range(count):
        slot[present[place]] = place
    return count


@compiled
def _gathered(rows, losses, column, start, stop, slot, count, size, lo, hi, words):  # type: ignore[no-untyped-def]
    """For every value of a column: how many records have it, and what the other columns hold beside it."""
    ranges, width = len(losses.column), rows.bits.shape[1]
    size[:count] = 0
    lo[:count] = 2147483647
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
def _join(lo, hi, words, into_lo, into_hi, into_words):  # type: ignore[no-untyped-def]
    for r in range(len(lo)):
        into_lo[r] = min(into_lo[r], lo[r])
        into_hi[r] = max(into_hi[r], hi[r])
    for w in range(len(words)):
        into_words[w] |= words[w]


@compiled
def _swept(losses, count, size, lo, hi, words, loss):  # type: ignore[no-untyped-def]
    """Losses of growing sides: row 0 from the left up to each value, row 1 from each value to the right."""
    side_lo = np.empty(lo.shape[1], dtype=np.int32)
    side_hi = np.empty(hi.shape[1], dtype=np.int32)
    side_words = np.empty(words.shape[1], dtype=np.uint64)
    for side in range(2):
        side_lo[:] = 2147483647
        side_hi[:] = -1
        side_words[:] = 0
        records = 0
        for step in range(count):
            place = step if side == 0 else count - 1 - step
            _join(lo[place], hi[place], words[place], side_lo, side_hi, side_words)
            records += size[place]
            loss[side, place] = records * _loss(losses, side_lo, side_hi, side_words)


@compiled
def every_cut(rows, losses, sizes, starts, stops, first, least, cuts):  # type: ignore[no-untyped-def]
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
            count = _distinct(rows.codes, column, starts[group], stops[group], slot, present)
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


@compiled
def _counted(rows, begins, start, stop, size, least, most, distinct):  # type: ignore[no-untyped-def]
    """How often every value of every column occurs in a group, in one pass over its rows."""
    columns = rows.codes.shape[1]
    least[:], most[:], distinct[:] = 2147483647, -1, 0
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
def _uncounted(rows, begins, start, stop, size):  # type: ignore[no-untyped-def]
    """Set the counts of a group back to nothing, by its rows or altogether, whichever is less work."""
    columns = rows.codes.shape[1]
    if (stop - start) * columns > len(size):
        size[:] = 0
        return
    for row in range(start, stop):
        for column in range(columns):
            size[begins[column] + rows.codes[row, column]] = 0


@compiled
def _median(size, least, most, total):  # type: ignore[no-untyped-def]
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
def median_cuts(rows, losses, sizes, starts, stops, first, least, cuts):  # type: ignore[no-untyped-def]
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
                    width = _width(losses, column, low[column], high[column], distinct[column], sizes[column])
                    cuts.left_loss[found], cuts.right_loss[found] = -width, 0.0
                    found += 1
        _uncounted(rows, begins, starts[group], stops[group], size)
    return found, len(starts)


@compiled
def _width(losses, column, lo, hi, distinct, size):  # type: ignore[no-untyped-def]
    for r in range(len(losses.column)):
        if losses.column[r] == column:
            return _range_loss(losses, r, lo, hi)
    return (distinct - 1) / max(size - 1, 1)


@compiled
def halving_cuts(rows, losses, sizes, starts, stops, first, least, cuts):  # type: ignore[no-untyped-def]
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
            count = _distinct(rows.codes, column, starts[group], stops[group], slot, present)
            if count > 1 and total - left >= least:
                lo, hi = present[0], present[count - 1]
                cuts.group[found], cuts.column[found], cuts.place[found], cuts.left[found] = group, column, left - 1, left
                cuts.left_loss[found] = -_width(losses, column, lo, hi, count, sizes[column])
                cuts.right_loss[found] = 0.0
                found += 1
            for place in range(count):
                slot[present[place]] = -1
    return found, len(starts)


@compiled
def ranks(codes, sizes, starts, stops):  # type: ignore[no-untyped-def]
    """The rank of every row within its group by each column, equal codes in row order."""
    ranked = np.empty_like(codes)
    before = np.zeros(sizes.max() + 1, dtype=np.int32)
    for group in range(len(starts)):
        for column in range(codes.shape[1]):
            least, most = 2147483647, -1
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


@compiled
def left_counts(rows, keys, values, domain, starts, stops, cuts, found):  # type: ignore[no-untyped-def]
    """How often each value of another column occurs left of every cut; cuts come by group, column and place.

    A row lies left of a cut if its key in the cut's column is at most the cut's place.
    """
    matrix = np.zeros((found, domain), dtype=np.int64)
    first = 0
    while first < found:
        last = first
        while last < found and cuts.group[last] == cuts.group[first] and cuts.column[last] == cuts.column[first]:
            last += 1
        group, column = cuts.group[first], cuts.column[first]
        for row in range(starts[group], stops[group]):
            key, at = keys[row, column], last
            low, high = first, last
            while low < high:
                at = (low + high) // 2
                if cuts.place[at] < key:
                    low = at + 1
                else:
                    high = at
            if low < last:
                matrix[low, values[row]] += rows.counts[row]
        for cut in range(first + 1, last):
            matrix[cut] += matrix[cut - 1]
        first = last
    return matrix


@compiled
def group_counts(rows, values, domain, starts, stops, group):  # type: ignore[no-untyped-def]
    """How often each value of another column occurs in the group of every cut; cuts come by group."""
    matrix = np.zeros((len(group), domain), dtype=np.int64)
    for cut in range(len(group)):
        if cut > 0 and group[cut] == group[cut - 1]:
            matrix[cut] = matrix[cut - 1]
        else:
            for row in range(starts[group[cut]], stops[group[cut]]):
                matrix[cut, values[row]] += rows.counts[row]
    return matrix


@compiled
def chosen(keys, starts, stops, column):  # type: ignore[no-untyped-def]
    """The key of every row in the column along which its group is cut."""
    key = np.empty(len(keys), dtype=np.int32)
    for group in range(len(starts)):
        for row in range(starts[group], stops[group]):
            key[row] = keys[row, column[group]]
    return key


@compiled
def split(rows, order, key, starts, stops, place):  # type: ignore[no-untyped-def]
    """Move the rows of every group whose key is at most its place to the front; returns where right sides start."""
    middle = np.empty(len(starts), dtype=np.int64)
    for group in range(len(starts)):
        low, high = starts[group], stops[group] - 1
        while low <= high:
            if key[low] <= place[group]:
                low += 1
            else:
                for c in range(rows.codes.shape[1]):
                    rows.codes[low, c], rows.codes[high, c] = rows.codes[high, c], rows.codes[low, c]
                for w in range(rows.bits.shape[1]):
                    rows.bits[low, w], rows.bits[high, w] = rows.bits[high, w], rows.bits[low, w]
                rows.counts[low], rows.counts[high] = rows.counts[high], rows.counts[low]
                order[low], order[high] = order[high], order[low]
                key[low] = key[high]
                high -= 1
        middle[group] = low
    return middle
