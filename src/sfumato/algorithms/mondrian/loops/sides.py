"""Both sides of cuts: how often the values of another column occur in them, and the split of groups in two.

The rows of a group are contiguous, from `starts[g]` to `stops[g]`. Cuts come by group, column and place, so the cuts
along one column of a group are a run with ascending places. A row is left of all cuts from some position of its run on;
this position is found by binary search, and running sums over the run do the rest. A split swaps rows inside the range
of its group, in time proportional to the rows times the columns.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows, Words
from sfumato.kernels.compiled import compiled


@compiled
def run_end(group: Codes, column: Codes, first: int) -> int:
    """The end of the run of cuts with the same group and column that starts at `first`."""
    last = first
    while last < len(group) and group[last] == group[first] and column[last] == column[first]:
        last += 1
    return last


@compiled
def first_cut_above(place: Codes, key: int, first: int, last: int) -> int:
    """The first cut of a run that has a key on its left side, by binary search; `last` if none has."""
    while first < last:
        middle = (first + last) // 2
        if place[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first


def side_counts(
    rows: Rows, keys: Codes, values: Codes, domain: int, starts: Counts, stops: Counts, cuts: Cuts
) -> tuple[Counts, Counts]:
    """How often each value of another column occurs left and right of every cut; cuts by group, column and place.

    A row lies left of a cut if its key in the cut's column is at most the cut's place. The time is proportional to the
    rows times the columns with cuts times the logarithm of the cuts along a column, plus the cuts times the values.
    """
    left = np.zeros((len(cuts.group), domain), dtype=np.int64)
    right = np.empty_like(left)
    whole = np.empty(domain, dtype=np.int64)
    _count_sides(rows.counts, keys, values, starts, stops, cuts.group, cuts.column, cuts.place, whole, left, right)
    return left, right


@compiled
def _count_sides(
    counts: Counts,
    keys: Codes,
    values: Codes,
    starts: Counts,
    stops: Counts,
    group: Codes,
    column: Codes,
    place: Codes,
    whole: Counts,
    left: Counts,
    right: Counts,
) -> None:
    """The loop of `side_counts`; `whole` holds the counts of the current group, `left` is 0 everywhere at first."""
    first, now = 0, -1
    # one run of cuts at a time: `first` to `last`, along one column of group `now`
    while first < len(group):
        last = run_end(group, column, first)
        # the runs of a group follow each other, so its counts are made once for all its columns
        if group[first] != now:
            now = group[first]
            for value in range(len(whole)):
                whole[value] = 0
            for row in range(starts[now], stops[now]):
                whole[values[row]] += counts[row]
        along = column[first]
        for row in range(starts[now], stops[now]):
            cut = first_cut_above(place, keys[row, along], first, last)
            if cut < last:
                left[cut, values[row]] += counts[row]
        # every row was counted at the first cut that has it on the left; running sums count it at all later ones
        for cut in range(first, last):
            for value in range(len(whole)):
                if cut > first:
                    left[cut, value] += left[cut - 1, value]
                right[cut, value] = whole[value] - left[cut, value]
        first = last


def split(rows: Rows, order: Counts, keys: Codes, starts: Counts, stops: Counts, column: Codes, place: Codes) -> Counts:
    """Split every group: rows whose key in the group's column is at most its place come first.

    Rows and `order` change in place, `keys` may be the codes of the rows. Returns the first row of each right side.
    """
    middle, key = np.empty(len(starts), dtype=np.int64), np.empty(len(keys), dtype=np.int32)
    _split(rows.codes, rows.counts, rows.bits, order, keys, key, starts, stops, column, place, middle)
    return middle


@compiled
def _split(
    codes: Codes,
    counts: Counts,
    bits: Words,
    order: Counts,
    keys: Codes,
    key: Codes,
    starts: Counts,
    stops: Counts,
    column: Codes,
    place: Codes,
    middle: Counts,
) -> None:
    """The loop of `split`: swap the first row that belongs to the right with the last of the rows not yet looked at.

    `key` is scratch: the keys of the rows in the column of their group, copied because `keys` may change with the rows.
    """
    for group in range(len(starts)):
        low, high, most = starts[group], stops[group] - 1, place[group]
        for row in range(low, high + 1):
            key[row] = keys[row, column[group]]
        # rows before `low` belong to the left, rows after `high` to the right, and those between are not yet looked at
        while low <= high:
            if key[low] <= most:
                low += 1
            else:
                # the row from `high` is not known to belong to the left, so `low` stays and looks at it next
                for c in range(codes.shape[1]):
                    codes[low, c], codes[high, c] = codes[high, c], codes[low, c]
                for w in range(bits.shape[1]):
                    bits[low, w], bits[high, w] = bits[high, w], bits[low, w]
                counts[low], counts[high] = counts[high], counts[low]
                order[low], order[high] = order[high], order[low]
                key[low] = key[high]
                high -= 1
        middle[group] = low
