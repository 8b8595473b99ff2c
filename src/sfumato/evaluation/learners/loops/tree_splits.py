"""Rate a test of one column: information gain and split information by the rules of C4.5.

Idea: one pass over the rows of a node adds up the weight per code and class in a reusable tally, and the gain follows
from these sums. State: the tally, whose `slot` finds the sums of a code without hashing and is reset after each column
at the cost of the codes present, not of all codes. Cost of a column: O(rows) to count, plus O(codes present * classes)
to rate, and for a numeric column the sort of its codes. `loops/tree_growth.py` is the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
Sums = NDArray[np.float64]

NO_GAIN = 1e-9
"""Gains up to this are rounding errors."""

NOTHING = (-1.0, 0.0, -1, -1)
"""The result for a column without a valid test: gain, split information and the two values of a cut."""


class Cases(NamedTuple):
    """Training records: codes (columns x records; ranks for numbers, -1 where missing), classes and weights."""

    codes: Codes
    numeric: Flags
    classes: Codes
    weights: Sums


class Tally(NamedTuple):
    """Scratch memory for counting: distinct codes in order of appearance, the index of each code (-1: absent), sums."""

    present: Codes
    slot: Codes
    sums: Sums


def empty_tally(widest: int, records: int, classes: int) -> Tally:
    """An empty tally for columns of up to `widest` values."""
    most = max(min(widest, records), 1)
    return Tally(np.empty(most, np.int32), np.full(max(widest, 1), -1, np.int32), np.zeros((most, max(classes, 2))))


@compiled
def total_entropy(sums: Sums) -> float:
    """The entropy of some sums times their total; skipping the division keeps it additive over branches."""
    total, inner = 0.0, 0.0
    for place in range(len(sums)):
        if sums[place] > 0:
            total += sums[place]
            inner += sums[place] * np.log2(sums[place])
    return total * np.log2(total) - inner if total > 0 else 0.0


@compiled
def count(cases: Cases, column: int, rows: Places, tally: Tally) -> int:
    """Fill the tally with the rows' codes of a column; returns the number of distinct codes, without missing ones."""
    codes, found = cases.codes[column], 0
    for row in rows:
        code = codes[row]
        if code < 0:
            continue
        # the first row with this code; its sums may have values from the column before
        if tally.slot[code] < 0:
            tally.slot[code] = found
            tally.present[found] = code
            tally.sums[found] = 0.0
            found += 1
        tally.sums[tally.slot[code], cases.classes[row]] += cases.weights[row]
    return found


@compiled
def reset(tally: Tally, found: int) -> None:
    """Reset the tally for the next column."""
    for place in range(found):
        tally.slot[tally.present[place]] = -1


@compiled
def sort_codes(tally: Tally, found: int) -> None:
    """Sort the distinct codes; if they are dense, by scanning the range they span, which is faster."""
    least, most = tally.present[:found].min(), tally.present[:found].max()
    if most - least >= 8 * found:
        tally.present[:found].sort()
        return
    # `slot` keeps pointing to the sums of each code, which do not move
    place = 0
    for code in range(least, most + 1):
        if tally.slot[code] >= 0:
            tally.present[place] = code
            place += 1


@compiled
def branch_per_value(tally: Tally, found: int, whole: Sums, fewest: float) -> tuple[float, float, int, int]:
    """Gain and split information of a test with one branch per value; at least two need `fewest` cases."""
    after, sizes, big = 0.0, np.zeros(found), 0
    for place in range(found):
        sizes[place] = tally.sums[place].sum()
        # entropies times their totals can be added over branches
        after += total_entropy(tally.sums[place])
        big += sizes[place] >= fewest
    if big < 2:
        return NOTHING
    records = whole.sum()
    return (total_entropy(whole) - after) / records, total_entropy(sizes) / records, -1, -1


@compiled
def best_cut(tally: Tally, found: int, whole: Sums, fewest: float) -> tuple[float, float, int, int]:
    """Gain, split information and the two values around the best cut of a numeric column.

    A cut leaves at least a tenth of the mean class (between `fewest` and 25 cases) on either side. The gain is reduced
    by log2(cuts) / cases, which corrects for choosing among many cuts. `left` and `known` are the weights per class
    below the current cut and in total, `low` the total weight below it, `tries` the number of valid cuts so far.
    """
    if found < 2:
        return NOTHING
    sort_codes(tally, found)
    left, known, low = np.zeros(len(whole)), np.zeros(len(whole)), 0.0
    for place in range(found):
        known += tally.sums[place]
    total, records = known.sum(), whole.sum()
    least = min(max(0.1 * total / len(whole), fewest), max(25.0, fewest))
    base, tries, best, at, size = total_entropy(known), 0, 0.0, -1, 0.0
    for place in range(found - 1):
        sums = tally.sums[tally.slot[tally.present[place]]]
        left += sums
        low += sums.sum()
        # too few cases below the cut; further cuts have more
        if low < least:
            continue
        # too few cases above the cut, and further cuts have even fewer
        if total - low < least:
            break
        tries += 1
        gain = base - total_entropy(left) - total_entropy(known - left)
        if at < 0 or gain > best + NO_GAIN * total:
            best, at, size = gain, place, low
    if at < 0:
        return NOTHING
    # cases with a missing number count as a third branch of the split information
    parts = np.array([size, total - size, records - total])
    return (best - np.log2(tries)) / records, total_entropy(parts) / records, tally.present[at], tally.present[at + 1]
