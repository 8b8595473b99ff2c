"""How well one column tells the classes of some records apart: gain and split information as C4.5 counts them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
Sums = NDArray[np.float64]

NO_GAIN = 1e-9
"""What a gain must exceed; anything less is rounding."""

NOTHING = (-1.0, 0.0, -1, -1)
"""The answer where a column offers no test."""


class Cases(NamedTuple):
    """Training records: codes (columns x records; ranks for numbers, -1 where missing), classes and weights."""

    codes: Codes
    numeric: NDArray[np.bool_]
    classes: Codes
    weights: Sums


class Tally(NamedTuple):
    """Room to count in: the distinct codes in order of appearance, the place of a code (-1: none), sums by class."""

    present: Codes
    slot: Codes
    sums: Sums


def room_to_count(widest: int, records: int, classes: int) -> Tally:
    """A tally for columns of up to `widest` values."""
    most = max(min(widest, records), 1)
    return Tally(np.empty(most, np.int32), np.full(max(widest, 1), -1, np.int32), np.zeros((most, max(classes, 2))))


@compiled
def spread(sums: Sums) -> float:
    """The entropy of some sums, times their total."""
    total, inner = 0.0, 0.0
    for place in range(len(sums)):
        if sums[place] > 0:
            total += sums[place]
            inner += sums[place] * np.log2(sums[place])
    return total * np.log2(total) - inner if total > 0 else 0.0


@compiled
def count(cases: Cases, column: int, rows: Places, tally: Tally) -> int:
    """Fill the tally with the rows' codes of a column; says how many distinct ones there are, missing left out."""
    codes, found = cases.codes[column], 0
    for row in rows:
        code = codes[row]
        if code < 0:
            continue
        if tally.slot[code] < 0:
            tally.slot[code] = found
            tally.present[found] = code
            tally.sums[found] = 0.0
            found += 1
        tally.sums[tally.slot[code], cases.classes[row]] += cases.weights[row]
    return found


@compiled
def forget(tally: Tally, found: int) -> None:
    """Make the tally ready for the next column."""
    for place in range(found):
        tally.slot[tally.present[place]] = -1


@compiled
def put_in_order(tally: Tally, found: int) -> None:
    """Sort the distinct codes: by looking through the range they span where that is short."""
    least, most = tally.present[:found].min(), tally.present[:found].max()
    if most - least >= 8 * found:
        tally.present[:found].sort()
        return
    place = 0
    for code in range(least, most + 1):
        if tally.slot[code] >= 0:
            tally.present[place] = code
            place += 1


@compiled
def branches(tally: Tally, found: int, whole: Sums, fewest: float) -> tuple[float, float, int, int]:
    """Gain and split information of a branch for every value; at least two must have `fewest` cases."""
    after, sizes, big = 0.0, np.zeros(found), 0
    for place in range(found):
        sizes[place] = tally.sums[place].sum()
        after += spread(tally.sums[place])
        big += sizes[place] >= fewest
    if big < 2:
        return NOTHING
    records = whole.sum()
    return (spread(whole) - after) / records, spread(sizes) / records, -1, -1


@compiled
def cut(tally: Tally, found: int, whole: Sums, fewest: float) -> tuple[float, float, int, int]:
    """Gain, split information and the two values around the best cut of a numeric column.

    A cut leaves at least a tenth of the mean class (between `fewest` and 25 cases) on either side. Having many cuts to
    choose from is paid for: the gain is less by log2(cuts) / cases.
    """
    if found < 2:
        return NOTHING
    put_in_order(tally, found)
    left, known, low = np.zeros(len(whole)), np.zeros(len(whole)), 0.0
    for place in range(found):
        known += tally.sums[place]
    total, records = known.sum(), whole.sum()
    least = min(max(0.1 * total / len(whole), fewest), max(25.0, fewest))
    base, tries, best, at, size = spread(known), 0, 0.0, -1, 0.0
    for place in range(found - 1):
        sums = tally.sums[tally.slot[tally.present[place]]]
        left += sums
        low += sums.sum()
        if low < least:
            continue
        if total - low < least:
            break
        tries += 1
        gain = base - spread(left) - spread(known - left)
        if at < 0 or gain > best + NO_GAIN * total:
            best, at, size = gain, place, low
    if at < 0:
        return NOTHING
    parts = np.array([size, total - size, records - total])
    return (best - np.log2(tries)) / records, spread(parts) / records, tally.present[at], tally.present[at + 1]
