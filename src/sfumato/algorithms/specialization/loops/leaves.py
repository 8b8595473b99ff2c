"""Leaves of a top-down search: how many records each would give to every part of a refined value, and the parting.

Every row of a table has the number of the leaf it lies in. A refinement gives each code of one column a part, and codes
it does not concern the part after the last one. A row is found either by going over all of them, which reads memory in
order, or through a list of rows. Numbers are unsigned because indexing by those is half again as fast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Marks = NDArray[np.uint32]
Counts = NDArray[np.int64]

NOTHING = 2**62
"""The size of the smallest group where there is none."""


@compiled
def count_all(leaf: Marks, codes: Marks, counts: Counts, part_of: Marks, parts: int, leaves: int) -> Counts:
    """Records by leaf and part, going over all rows; the last part is that of the codes not concerned.

    No counts mean that every row is one record, which spares reading them.
    """
    found = np.zeros(leaves * parts, dtype=np.int64)
    wide = np.uint32(parts)
    if len(counts) == 0:
        for row in range(len(leaf)):
            found[leaf[row] * wide + part_of[codes[row]]] += 1
        return found
    for row in range(len(leaf)):
        found[leaf[row] * wide + part_of[codes[row]]] += counts[row]
    return found


@compiled
def least_of(found: Counts, parts: int) -> int:
    """The fewest records that a leaf gives to a part, if it gives any; the last part does not count."""
    least = NOTHING
    for place in range(0, len(found), parts):
        for part in range(parts - 1):
            if 0 < found[place + part] < least:
                least = int(found[place + part])
    return least


@compiled
def least_some(
    rows: Marks, leaf: Marks, codes: Marks, counts: Counts, part_of: Marks, parts: int, scratch: Counts
) -> int:
    """The same for the listed rows only, whose leaves and counts are listed as they are; no counts mean one each.

    `scratch` has a zero for every leaf and part, and has again afterwards.
    """
    wide, weighted = np.uint32(parts), len(counts) > 0
    places = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        at = leaf[place] * wide + part_of[codes[rows[place]]]
        places[place] = at
        scratch[at] += counts[place] if weighted else 1
    least = NOTHING
    for place in range(len(rows)):
        at = places[place]
        if scratch[at] < least and at % wide != wide - 1:
            least = int(scratch[at])
    for place in range(len(rows)):
        scratch[places[place]] = 0
    return least


@compiled
def count_values(
    leaf: Marks, codes: Marks, counts: Counts, part_of: Marks, parts: int, leaves: int, values: Marks, domain: int
) -> Counts:
    """Records by leaf and part, one row each, and by the value of another column, going over all rows."""
    found = np.zeros((leaves * parts, domain), dtype=np.int64)
    wide = np.uint32(parts)
    for row in range(len(leaf)):
        found[leaf[row] * wide + part_of[codes[row]], values[row]] += counts[row]
    return found


@compiled
def settle(found: Counts, parts: int, leaves: int, becomes: Marks, sizes: Counts) -> int:
    """Number the leaves after parting and note their sizes: the first part of each keeps its number.

    `found` are the records by leaf and part. Returns how many leaves there are, for which `sizes` has room.
    """
    total = leaves
    for old in range(leaves):
        kept = False
        for part in range(parts):
            place = old * parts + part
            becomes[place] = old
            if found[place] > 0:
                if kept:
                    becomes[place] = total
                    total += 1
                kept = True
                sizes[becomes[place]] = found[place]
    return total


@compiled
def part_all(leaf: Marks, codes: Marks, part_of: Marks, parts: int, becomes: Marks) -> None:
    """Give every row the leaf that its old leaf and part become."""
    wide = np.uint32(parts)
    for row in range(len(leaf)):
        leaf[row] = becomes[leaf[row] * wide + part_of[codes[row]]]


@compiled
def part_some(
    rows: Marks, leaf: Marks, codes: Marks, counts: Counts, part_of: Marks, parts: int, becomes: Marks, sizes: Counts,
    leaves: int,
) -> int:  # fmt: skip
    """Part the listed rows, all of which are concerned: the first part found in a leaf keeps its number.

    `becomes` has a zero for every leaf and part, and one for every leaf behind that, and has again afterwards.
    """
    wide, total = np.uint32(parts), np.uint32(leaves)
    kept = total * wide
    olds = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        row = rows[place]
        old = leaf[row]
        olds[place] = old
        at = old * wide + part_of[codes[row]]
        if becomes[at] == 0:
            if becomes[kept + old] == 0:
                becomes[kept + old] = 1
                becomes[at] = old + 1
            else:
                total += np.uint32(1)
                becomes[at] = total
        now = becomes[at] - np.uint32(1)
        if now != old:
            leaf[row] = now
            sizes[old] -= counts[row]
            sizes[now] += counts[row]
    for place in range(len(rows)):
        becomes[olds[place] * wide + part_of[codes[rows[place]]]] = 0
        becomes[kept + olds[place]] = 0
    return int(total)


@compiled
def rows_in(leaf: Marks, wanted: NDArray[np.bool_], room: int) -> Marks:
    """The rows whose leaf is wanted, of which there are at most `room`."""
    rows = np.empty(room, dtype=np.uint32)
    found = 0
    for row in range(len(leaf)):
        if wanted[leaf[row]]:
            rows[found] = row
            found += 1
    return rows[:found]


@compiled
def class_counts(codes: Marks, classes: Marks, counts: Counts, domain: int, how_many: int) -> Counts:
    """How many records have each value of a column and each class; no counts mean that every row is one record."""
    found = np.zeros(domain * how_many, dtype=np.int64)
    wide = np.uint32(how_many)
    if len(counts) == 0:
        for row in range(len(codes)):
            found[codes[row] * wide + classes[row]] += 1
        return found.reshape(domain, how_many)
    for row in range(len(codes)):
        found[codes[row] * wide + classes[row]] += counts[row]
    return found.reshape(domain, how_many)


@compiled
def by_code(codes: Marks, domain: int) -> tuple[Marks, Counts]:
    """The rows in order of their code, and where those of each code begin; one entry more than there are codes."""
    starts = np.zeros(domain + 1, dtype=np.int64)
    for row in range(len(codes)):
        starts[codes[row] + np.uint32(1)] += 1
    for code in range(domain):
        starts[code + 1] += starts[code]
    rows = np.empty(len(codes), dtype=np.uint32)
    at = starts.copy()
    for row in range(len(codes)):
        rows[at[codes[row]]] = row
        at[codes[row]] += 1
    return rows, starts


@compiled
def best_cut(counts: Counts, first: int, last: int) -> tuple[int, float]:
    """Where cutting the ordered values first..last in two tells most about the class, and how many bits it tells.

    The place is the code at which the upper side begins, the smallest of those that are equally good; -1 if fewer than
    two values occur.
    """
    classes = counts.shape[1]
    whole, left = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    for code in range(first, last + 1):
        for c in range(classes):
            whole[c] += counts[code, c]
    records, lower, place, most = whole.sum(), 0, -1, -1.0
    all_bits = _bits(whole, whole, False)
    for code in range(first, last + 1):
        here = counts[code].sum()
        if here > 0 and lower > 0:
            told = (all_bits - _bits(left, whole, False) - _bits(left, whole, True)) / records
            if told > most + 1e-12:
                place, most = code, told
        for c in range(classes):
            left[c] += counts[code, c]
        lower += here
    return place, most if most > 1e-12 else 0.0


@compiled
def _bits(left: Counts, whole: Counts, rest: bool) -> float:
    """Records times entropy of a side; with `rest` of what is left of the whole without it."""
    records, bits = 0, 0.0
    for c in range(len(left)):
        here = whole[c] - left[c] if rest else left[c]
        if here > 0:
            records += here
            bits -= here * np.log2(here)
    return bits + records * np.log2(records) if records > 0 else 0.0
