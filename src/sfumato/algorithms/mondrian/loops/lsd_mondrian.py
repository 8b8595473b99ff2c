"""How far a number lies from the mean of its side, squared and summed, for both sides of every cut.

Numbers are measured from the mean of their group. Then the sums of the two sides cancel out, and cutting n records
into a and b reduces the squared deviations of the group by s^2 n / (a b), where s is the sum of either side. So one sum
per cut is enough, and two large numbers are never subtracted from each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows
from sfumato.algorithms.mondrian.loops.sides import first_cut_above, run_end
from sfumato.kernels.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def _moments(rows: Rows, numbers: Floats, start: int, stop: int) -> tuple[int, float, float]:
    """How many records a group has, their mean, and their squared deviations from it."""
    records, total = 0, 0.0
    # differences from a number of the group, because a sum of large numbers would lose digits
    origin = numbers[start]
    for row in range(start, stop):
        records += rows.counts[row]
        total += rows.counts[row] * (numbers[row] - origin)
    mean, squares = origin + total / records, 0.0
    for row in range(start, stop):
        away = numbers[row] - mean
        squares += rows.counts[row] * (away * away)
    return records, mean, squares


def squared_deviations(
    rows: Rows, keys: Codes, numbers: Floats, starts: Counts, stops: Counts, cuts: Cuts
) -> tuple[Floats, Floats]:
    """For every cut the squared deviations of its sides together and of its group; cuts come by group, column, place.

    `numbers` has one number per row. The time is proportional to the rows times the columns with cuts, times the
    logarithm of the cuts along a column, because every row looks up its first cut by binary search.
    """
    squares, uncut = np.zeros(len(cuts.group)), np.empty(len(cuts.group))
    _sum_squares(rows, keys, numbers, starts, stops, cuts, squares, uncut)
    return squares, uncut


@compiled
def _sum_squares(
    rows: Rows,
    keys: Codes,
    numbers: Floats,
    starts: Counts,
    stops: Counts,
    cuts: Cuts,
    squares: Floats,
    uncut: Floats,
) -> None:
    """The loop of `squared_deviations`: `squares` first holds the sum of the numbers that a cut adds to the left."""
    first, group, records, mean, before = 0, -1, 0, 0.0, 0.0
    # one run of cuts at a time: `first` to `last`, along one column; `records`, `mean` and `before` are those of their
    # group
    while first < len(squares):
        last = run_end(cuts.group, cuts.column, first)
        if cuts.group[first] != group:
            group = cuts.group[first]
            records, mean, before = _moments(rows, numbers, starts[group], stops[group])
        column = cuts.column[first]
        for row in range(starts[group], stops[group]):
            # each row is added at the first cut that has it on the left; the running sum below carries it on to later
            # cuts
            cut = first_cut_above(cuts.place, keys[row, column], first, last)
            if cut < last:
                squares[cut] += rows.counts[row] * (numbers[row] - mean)
        running = 0.0
        for cut in range(first, last):
            running += squares[cut]
            # the reduction s^2 n / (a b) of the module docstring
            gone = running * running / cuts.left[cut] * (records / (records - cuts.left[cut]))
            # rounding can make the reduction slightly larger than the whole
            squares[cut] = before - gone if before > gone else 0.0
            uncut[cut] = before
        first = last
