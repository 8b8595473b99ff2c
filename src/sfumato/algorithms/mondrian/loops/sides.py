"""Both sides of cuts: which values of another column occur in them and how often, and the split of groups in two.

The rows of a group are contiguous, from `starts[g]` to `stops[g]`. Cuts come by group, column and place, so the cuts
along one column of a group are a run with ascending places. A row is left of all cuts from some position of its run on;
this position is found by binary search. Going through a run in ascending order the left side only grows, and going
through it in descending order the right side does, so one array of counts serves all cuts of a run. A split swaps rows
inside the range of its group, in time proportional to the rows times the columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows, Words, distinct_codes
from sfumato.kernels.compiled import compiled
from sfumato.runtime.representations import sizes_only


class SideCells(NamedTuple):
    """The values on one side of every cut and how often each occurs there, as a `Histogram` has them.

    The cells of cut c are `values[starts[c]:starts[c + 1]]` in ascending order, with their `counts`.
    """

    starts: Counts
    values: Codes
    counts: Counts

    def __repr__(self) -> str:
        return sizes_only(self)


class _Classes(NamedTuple):
    """The values of the current group, numbered in ascending order: scratch memory.

    `present[c]` is value c and `slot[value]` its number, -1 for other values. `own[row]` is the number of the row's
    value, `whole[c]` the records of value c in the group, `side[c]` those on the side that is growing. `top` lists the
    most frequent values of this side from the first to the last, and `rank[c]` is the place of value c in it or -1.
    """

    slot: Codes
    present: Codes
    own: Codes
    whole: Counts
    side: Counts
    top: Codes
    rank: Codes


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


def side_cells(
    rows: Rows,
    keys: Codes,
    values: Codes,
    always: NDArray[np.bool_],
    most: int,
    starts: Counts,
    stops: Counts,
    cuts: Cuts,
) -> tuple[SideCells, SideCells]:
    """How often the values of another column occur left and right of every cut; cuts by group, column and place.

    A row lies left of a cut if its key in the cut's column is at most the cut's place. Of the values of a side the
    `most` most frequent ones are listed, and all that `always` marks; `always` has an entry for every value of the
    domain. Which of equally frequent values are listed is not defined.

    The time is proportional to the rows times the columns with cuts times the logarithm of the cuts along a column,
    plus the cuts times the values that are listed, or that occur in the group if all of them are. The memory is
    proportional to the rows and to the cells.
    """
    found, records, domain = len(cuts.group), len(values), len(always)
    # the most cells that a side can have
    listed = min(most + int(always.sum()), domain)
    room = int(np.minimum((stops - starts)[cuts.group], listed).sum())
    left, right = (
        SideCells(np.zeros(found + 1, dtype=np.int64), np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64))
        for _ in range(2)
    )
    classes = _Classes(
        slot=np.full(domain, -1, dtype=np.int32),
        present=np.empty(domain, dtype=np.int32),
        own=np.empty(records, dtype=np.int32),
        whole=np.empty(domain, dtype=np.int64),
        side=np.empty(domain, dtype=np.int64),
        top=np.empty(min(most, domain) + int(always.sum()), dtype=np.int32),
        rank=np.empty(domain, dtype=np.int32),
    )
    head, after = np.empty(found + 1, dtype=np.int64), np.empty(records, dtype=np.int64)
    _list_sides(
        rows.counts, keys, values.reshape(-1, 1), always, min(most, domain), starts, stops, cuts, classes, head, after,
        left, right,
    )  # fmt: skip
    left, right = (
        SideCells(side.starts, side.values[: side.starts[-1]], side.counts[: side.starts[-1]]) for side in (left, right)
    )
    return left, right


@compiled
def _list_sides(
    counts: Counts,
    keys: Codes,
    values: Codes,
    always: NDArray[np.bool_],
    most: int,
    starts: Counts,
    stops: Counts,
    cuts: Cuts,
    classes: _Classes,
    head: Counts,
    after: Counts,
    left: SideCells,
    right: SideCells,
) -> None:
    """The loop of `side_cells`; `values` is a matrix of one column, `head` and `after` are those of `queue_rows`."""
    first, now, occurring = 0, -1, 0
    # one run of cuts at a time: `first` to `last`, along one column of group `now`
    while first < len(cuts.group):
        last = run_end(cuts.group, cuts.column, first)
        # the runs of a group follow each other, so its values are numbered once for all its columns
        if cuts.group[first] != now:
            now = cuts.group[first]
            occurring = _number(counts, values, starts[now], stops[now], classes)
        if occurring <= most and last == first + 1:
            _list_one(counts, keys, cuts, starts[now], stops[now], first, occurring, classes, left, right)
        elif occurring <= most:
            queue_rows(keys, cuts, starts[now], stops[now], first, last, head, after)
            _list_all(counts, occurring, first, last, classes, head, after, left, right)
        else:
            queue_rows(keys, cuts, starts[now], stops[now], first, last, head, after)
            _list_most(counts, always, most, occurring, first, last, classes, head, after, left, right)
        first = last


@compiled
def _number(counts: Counts, values: Codes, start: int, stop: int, classes: _Classes) -> int:
    """Number the values of a group and count their records; returns how many values there are."""
    slot, present, own, whole = classes.slot, classes.present, classes.own, classes.whole
    occurring = distinct_codes(values, 0, start, stop, slot, present)
    for c in range(occurring):
        whole[c] = 0
    for row in range(start, stop):
        own[row] = slot[values[row, 0]]
        whole[own[row]] += counts[row]
    for c in range(occurring):
        slot[present[c]] = -1
    return occurring


@compiled
def queue_rows(
    keys: Codes, cuts: Cuts, start: int, stop: int, first: int, last: int, head: Counts, after: Counts
) -> None:
    """Chain the rows of a group that the same cut moves to the left: `head` by cut, then `after` by row; -1 ends.

    Rows that stay on the right in the whole run are in the chain of `last`.
    """
    column = cuts.column[first]
    for cut in range(first, last + 1):
        head[cut] = -1
    for row in range(start, stop):
        cut = first_cut_above(cuts.place, keys[row, column], first, last)
        after[row] = head[cut]
        head[cut] = row


@compiled
def _list_all(
    counts: Counts,
    occurring: int,
    first: int,
    last: int,
    classes: _Classes,
    head: Counts,
    after: Counts,
    left: SideCells,
    right: SideCells,
) -> None:
    """List all values on both sides of every cut of a run."""
    own, side = classes.own, classes.side
    for c in range(occurring):
        side[c] = 0
    for cut in range(first, last):
        # the rows of this chain are left of this cut but of none before it, so `side` now has all rows left of it
        row = head[cut]
        while row >= 0:
            side[own[row]] += counts[row]
            row = after[row]
        _write_all(cut, occurring, classes, left, right)


@compiled
def _list_one(
    counts: Counts,
    keys: Codes,
    cuts: Cuts,
    start: int,
    stop: int,
    cut: int,
    occurring: int,
    classes: _Classes,
    left: SideCells,
    right: SideCells,
) -> None:
    """List all values on both sides of the only cut of a run, such as a median; this needs no chains of rows."""
    own, side, column, place = classes.own, classes.side, cuts.column[cut], cuts.place[cut]
    for c in range(occurring):
        side[c] = 0
    for row in range(start, stop):
        if keys[row, column] <= place:
            side[own[row]] += counts[row]
    _write_all(cut, occurring, classes, left, right)


@compiled
def _write_all(cut: int, occurring: int, classes: _Classes, left: SideCells, right: SideCells) -> None:
    """Write all values on both sides of a cut, of which `side` has the records on the left."""
    present, whole, side = classes.present, classes.whole, classes.side
    low, high = left.starts[cut], right.starts[cut]
    for c in range(occurring):
        if side[c] > 0:
            left.values[low] = present[c]
            left.counts[low] = side[c]
            low += 1
        # the rest of the value is on the right
        if whole[c] > side[c]:
            right.values[high] = present[c]
            right.counts[high] = whole[c] - side[c]
            high += 1
    left.starts[cut + 1], right.starts[cut + 1] = low, high


@compiled
def _list_most(
    counts: Counts,
    always: NDArray[np.bool_],
    most: int,
    occurring: int,
    first: int,
    last: int,
    classes: _Classes,
    head: Counts,
    after: Counts,
    left: SideCells,
    right: SideCells,
) -> None:
    """List the most frequent values on both sides of every cut of a run, and those that are always listed.

    A count of a growing side only rises, so the most frequent values are updated row by row. Values that are always
    listed are kept at the end of `top`, behind the first `most` entries, in ascending order.
    """
    present, own, whole, side = classes.present, classes.own, classes.whole, classes.side
    kept = 0
    for c in range(occurring):
        if always[present[c]]:
            classes.top[most + kept] = c
            kept += 1
    # In ascending order of cuts the left side grows. How many values are on the right is counted here, too, because the
    # cells of the right sides are filled in the other order.
    for c in range(occurring):
        side[c] = 0
        classes.rank[c] = -1
    filled, others = 0, occurring - kept
    for cut in range(first, last):
        row = head[cut]
        while row >= 0:
            c = own[row]
            side[c] += counts[row]
            if not always[present[c]]:
                filled = _risen(c, most, filled, side, classes.top, classes.rank)
                # no record of the value is left on the right
                if side[c] == whole[c]:
                    others -= 1
            row = after[row]
        left.starts[cut + 1] = _write(most, filled, kept, classes, left, left.starts[cut])
        right.starts[cut + 1] = right.starts[cut] + min(most, others) + _left_over(most, kept, classes)
    # in descending order the right side grows
    for c in range(occurring):
        side[c] = 0
        classes.rank[c] = -1
    filled = 0
    for cut in range(last - 1, first - 1, -1):
        row = head[cut + 1]
        while row >= 0:
            c = own[row]
            side[c] += counts[row]
            if not always[present[c]]:
                filled = _risen(c, most, filled, side, classes.top, classes.rank)
            row = after[row]
        _write(most, filled, kept, classes, right, right.starts[cut])


@compiled
def _left_over(most: int, kept: int, classes: _Classes) -> int:
    """How many of the values that are always listed have records that are not on the growing side."""
    found = 0
    for index in range(most, most + kept):
        c = classes.top[index]
        if classes.whole[c] > classes.side[c]:
            found += 1
    return found


@compiled
def _risen(c: int, most: int, filled: int, side: Counts, top: Codes, rank: Codes) -> int:
    """Move value c to its place among the most frequent ones after its count has risen; returns how many there are."""
    place = rank[c]
    if place < 0:
        if filled < most:
            place = filled
            filled += 1
        elif side[c] > side[top[most - 1]]:
            place = most - 1
            rank[top[place]] = -1
        else:
            return filled
    while place > 0 and side[top[place - 1]] < side[c]:
        top[place] = top[place - 1]
        rank[top[place]] = place
        place -= 1
    top[place] = c
    rank[c] = place
    return filled


@compiled
def _write(most: int, filled: int, kept: int, classes: _Classes, cells: SideCells, start: int) -> int:
    """Write the listed values of a side in ascending order from cell `start` on; returns the end of its cells."""
    present, side, top = classes.present, classes.side, classes.top
    end = start
    for index in range(filled + kept):
        c = top[index] if index < filled else top[most + index - filled]
        # a value that is always listed may not occur on this side
        if side[c] > 0:
            # few values are listed, so each is inserted where it belongs
            place = end
            while place > start and cells.values[place - 1] > present[c]:
                cells.values[place] = cells.values[place - 1]
                cells.counts[place] = cells.counts[place - 1]
                place -= 1
            cells.values[place] = present[c]
            cells.counts[place] = side[c]
            end += 1
    return end


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
