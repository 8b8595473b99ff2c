"""How uncertain the class of a record is on both sides of every cut, in bits.

Going through the cuts of a column in order, records only ever move from the right side to the left, so the class counts
of both sides are kept up to date; the bits are computed from the counts anew, so that no rounding adds up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows
from sfumato.algorithms.mondrian.loops.sides import first_cut_above, run_end
from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def _counted(rows: Rows, values: Codes, start: int, stop: int, slot: Codes, own: Codes, whole: Counts) -> int:
    """Number the classes that occur in a group from 0, count them, and note every row's number in `own`."""
    classes = 0
    for row in range(start, stop):
        if slot[values[row]] < 0:
            slot[values[row]] = classes
            whole[classes] = 0
            classes += 1
        own[row] = slot[values[row]]
        whole[own[row]] += rows.counts[row]
    for row in range(start, stop):
        slot[values[row]] = -1
    return classes


@compiled
def _queued(keys: Codes, cuts: Cuts, start: int, stop: int, first: int, last: int, head: Counts, after: Counts) -> None:
    """Chain the rows of a group that the same cut moves to the left: `head` by cut, then `after` by row; -1 ends."""
    column = cuts.column[first]
    head[first:last] = -1
    for row in range(start, stop):
        cut = first_cut_above(cuts.place, keys[row, column], first, last)
        if cut < last:
            after[row] = head[cut]
            head[cut] = row


@compiled
def _bits(left: Counts, whole: Counts, classes: int, lefts: int, total: int) -> float:
    """The entropy of both sides times their records; a side of one class has exactly none."""
    bits = 0.0
    for c in range(classes):
        if left[c] > 0:
            bits += left[c] * np.log2(lefts / left[c])
        if whole[c] > left[c]:
            bits += (whole[c] - left[c]) * np.log2((total - lefts) / (whole[c] - left[c]))
    return bits


@compiled
def class_bits(
    rows: Rows, keys: Codes, values: Codes, domain: int, starts: Counts, stops: Counts, cuts: Cuts
) -> tuple[Floats, Floats]:
    """For every cut the bits of its sides together and of its group; cuts come by group, column and place.

    `values` are the classes of the rows, from 0 to `domain` - 1.
    """
    found, records = len(cuts.group), len(values)
    bits, uncut = np.empty(found), np.empty(found)
    slot, own = np.full(domain, -1, dtype=np.int32), np.empty(records, dtype=np.int32)
    head, after = np.empty(found, dtype=np.int64), np.empty(records, dtype=np.int64)
    left, whole = np.zeros(domain, dtype=np.int64), np.zeros(domain, dtype=np.int64)
    first, group, classes, total, before = 0, -1, 0, 0, 0.0
    while first < found:
        last = run_end(cuts.group, cuts.column, first)
        if cuts.group[first] != group:
            group = cuts.group[first]
            classes = _counted(rows, values, starts[group], stops[group], slot, own, whole)
            total = whole[:classes].sum()
            left[:classes] = 0
            before = _bits(left, whole, classes, 0, total)
        _queued(keys, cuts, starts[group], stops[group], first, last, head, after)
        left[:classes] = 0
        for cut in range(first, last):
            row = head[cut]
            while row >= 0:
                left[own[row]] += rows.counts[row]
                row = after[row]
            bits[cut], uncut[cut] = _bits(left, whole, classes, cuts.left[cut], total), before
        first = last
    return bits, uncut
