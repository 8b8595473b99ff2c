"""Both sides of cuts: how often other values occur in them, and the cutting itself."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.mondrian.loops.cuts import Codes, Counts, Cuts, Rows
from sfumato.kernels.compiled import compiled


@compiled
def run_end(cuts: Cuts, first: int, found: int) -> int:
    """Where the cuts of the same group and column end that start at `first`."""
    last = first
    while last < found and cuts.group[last] == cuts.group[first] and cuts.column[last] == cuts.column[first]:
        last += 1
    return last


@compiled
def first_cut_above(cuts: Cuts, key: int, first: int, last: int) -> int:
    """The first cut of a run that has a key on its left side; `last` if none has."""
    while first < last:
        middle = (first + last) // 2
        if cuts.place[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def left_counts(
    rows: Rows, keys: Codes, values: Codes, domain: int, starts: Counts, stops: Counts, cuts: Cuts, found: int
) -> Counts:
    """How often each value of another column occurs left of every cut; cuts come by group, column and place.

    A row lies left of a cut if its key in the cut's column is at most the cut's place.
    """
    matrix = np.zeros((found, domain), dtype=np.int64)
    first = 0
    while first < found:
        last = run_end(cuts, first, found)
        group, column = cuts.group[first], cuts.column[first]
        for row in range(starts[group], stops[group]):
            cut = first_cut_above(cuts, keys[row, column], first, last)
            if cut < last:
                matrix[cut, values[row]] += rows.counts[row]
        for cut in range(first + 1, last):
            matrix[cut] += matrix[cut - 1]
        first = last
    return matrix


@compiled
def group_counts(rows: Rows, values: Codes, domain: int, starts: Counts, stops: Counts, group: Codes) -> Counts:
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
def chosen(keys: Codes, starts: Counts, stops: Counts, column: Codes) -> Codes:
    """The key of every row in the column along which its group is cut."""
    key = np.empty(len(keys), dtype=np.int32)
    for group in range(len(starts)):
        for row in range(starts[group], stops[group]):
            key[row] = keys[row, column[group]]
    return key


@compiled
def split(rows: Rows, order: Counts, key: Codes, starts: Counts, stops: Counts, place: Codes) -> Counts:
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
