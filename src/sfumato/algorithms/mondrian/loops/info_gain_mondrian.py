"""How uncertain the class of a record is on both sides of every cut, in bits.

Going through the cuts of a column in order, records only move from the right side to the left, so the class counts of
the left side are updated, not counted again. The bits are computed from the counts anew, so that no rounding adds up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows
from sfumato.algorithms.mondrian.loops.sides import queue_rows, run_end
from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]


class _Classes(NamedTuple):
    """The classes of the current group: scratch memory for all classes of the table; see `_counted`.

    `left` has the records of each class left of the current cut.
    """

    slot: Codes
    own: Codes
    left: Counts
    whole: Counts


@compiled
def _counted(rows: Rows, values: Codes, start: int, stop: int, slot: Codes, own: Codes, whole: Counts) -> int:
    """Number the classes that occur in a group from 0 and count their records; returns the number of classes.

    `own[row]` becomes the number of the row's class, `whole[number]` the records of a class. `slot` has an entry per
    class of the table and is -1 everywhere before and after. So the loops over classes see only those of the group.
    """
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
def _bits(left: Counts, whole: Counts, classes: int, lefts: int, total: int) -> float:
    """The entropy of both sides times their records; a side of one class has exactly none."""
    bits = 0.0
    for c in range(classes):
        if left[c] > 0:
            bits += left[c] * np.log2(lefts / left[c])
        # the rest of the class is on the right
        if whole[c] > left[c]:
            bits += (whole[c] - left[c]) * np.log2((total - lefts) / (whole[c] - left[c]))
    return bits


def class_bits(
    rows: Rows, keys: Codes, values: Codes, domain: int, starts: Counts, stops: Counts, cuts: Cuts
) -> tuple[Floats, Floats]:
    """For every cut the bits of its sides together and of its group; cuts come by group, column and place.

    `values` are the classes of the rows, from 0 to `domain` - 1. The time is proportional to the rows times the columns
    with cuts times the logarithm of the cuts along a column, plus the cuts times the classes of their group.
    """
    found, records = len(cuts.group), len(values)
    bits, uncut = np.empty(found), np.empty(found)
    classes = _Classes(
        slot=np.full(domain, -1, dtype=np.int32),
        own=np.empty(records, dtype=np.int32),
        left=np.empty(domain, dtype=np.int64),
        whole=np.empty(domain, dtype=np.int64),
    )
    head, after = np.empty(found + 1, dtype=np.int64), np.empty(records, dtype=np.int64)
    _sum_bits(rows, keys, values, starts, stops, cuts, classes, head, after, bits, uncut)
    return bits, uncut


@compiled
def _sum_bits(
    rows: Rows,
    keys: Codes,
    values: Codes,
    starts: Counts,
    stops: Counts,
    cuts: Cuts,
    scratch: _Classes,
    head: Counts,
    after: Counts,
    bits: Floats,
    uncut: Floats,
) -> None:
    """The loop of `class_bits`: per run of cuts the rows are chained by cut and then moved to the left side."""
    left, whole, own = scratch.left, scratch.whole, scratch.own
    first, group, classes, total, before = 0, -1, 0, 0, 0.0
    # one run of cuts at a time: `first` to `last`, along one column; `classes`, `total` and `before` are those of their
    # group
    while first < len(bits):
        last = run_end(cuts.group, cuts.column, first)
        if cuts.group[first] != group:
            group = cuts.group[first]
            classes = _counted(rows, values, starts[group], stops[group], scratch.slot, own, whole)
            total = 0
            for c in range(classes):
                total += whole[c]
                left[c] = 0
            # with nothing on the left, the right side is the whole group
            before = _bits(left, whole, classes, 0, total)
        queue_rows(keys, cuts, starts[group], stops[group], first, last, head, after)
        for c in range(classes):
            left[c] = 0
        for cut in range(first, last):
            # the rows of this chain are left of this cut but of none before it, so `left` now has all rows left of it
            row = head[cut]
            while row >= 0:
                left[own[row]] += rows.counts[row]
                row = after[row]
            bits[cut] = _bits(left, whole, classes, cuts.left[cut], total)
            uncut[cut] = before
        first = last
