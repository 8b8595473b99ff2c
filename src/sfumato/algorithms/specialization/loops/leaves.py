"""Leaves of a top-down search: count the records that each would give to every part of a refined value, and divide.

Every row of a table has the number of its leaf (its current group). A refinement gives each code of one column a part;
codes that it does not affect have the part after the last one. Rows are visited either all in order, which reads memory
sequentially, or through a list of the affected rows, which costs more per row and is used when they are few. In both
cases one visit costs a few operations, so the time is proportional to the rows that are visited, plus the leaves times
the parts where a result has an entry for each. Numbers are unsigned, because indexing with them needs no check for
negative values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Unsigned = NDArray[np.uint32]
Counts = NDArray[np.int64]

NOTHING = 2**62
"""The size of the smallest group where there is none."""


@compiled
def count_all(leaf: Unsigned, codes: Unsigned, counts: Counts, part_of: Unsigned, parts: int, leaves: int) -> Counts:
    """Records by leaf and part in a pass over all rows; the last part has the codes that are not affected.

    Entry leaf * parts + part of the result is the count. If `counts` is empty, every row is one record, and no memory
    is read for counts.
    """
    found = np.zeros(leaves * parts, dtype=np.int64)
    width = np.uint32(parts)
    # two loops, so that rows of one record each need no test and read no counts
    if len(counts) == 0:
        for row in range(len(leaf)):
            found[leaf[row] * width + part_of[codes[row]]] += 1
        return found
    for row in range(len(leaf)):
        found[leaf[row] * width + part_of[codes[row]]] += counts[row]
    return found


@compiled
def smallest_group(found: Counts, parts: int) -> int:
    """The smallest positive count of a leaf and a part, the last part excluded."""
    least = NOTHING
    # an empty part makes no group, so a count of 0 does not matter
    for place in range(0, len(found), parts):
        for part in range(parts - 1):
            if 0 < found[place + part] < least:
                least = int(found[place + part])
    return least


@compiled
def smallest_listed_group(
    rows: Unsigned, leaf: Unsigned, codes: Unsigned, counts: Counts, part_of: Unsigned, parts: int, scratch: Counts
) -> int:
    """The same for the listed rows only, where `leaf` and `counts` are those of the listed rows.

    No counts mean one record each. `scratch` has one entry per leaf and part, all zero before and after. It is larger
    than the list, so only the entries that were used are reset.
    """
    width, weighted = np.uint32(parts), len(counts) > 0
    places = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        # the cell of a row is remembered, because computing it again would cost two random reads
        at = leaf[place] * width + part_of[codes[rows[place]]]
        places[place] = at
        scratch[at] += counts[place] if weighted else 1
    least = NOTHING
    for place in range(len(rows)):
        at = places[place]
        # every cell with a row has a positive count; the last part is not affected
        if scratch[at] < least and at % width != width - 1:
            least = int(scratch[at])
    for place in range(len(rows)):
        scratch[places[place]] = 0
    return least


@compiled
def count_values(
    leaf: Unsigned,
    codes: Unsigned,
    counts: Counts,
    part_of: Unsigned,
    parts: int,
    leaves: int,
    values: Unsigned,
    domain: int,
) -> Counts:
    """Records by leaf and part, one row each, and by the value of another column, in a pass over all rows."""
    found = np.zeros((leaves * parts, domain), dtype=np.int64)
    width = np.uint32(parts)
    for row in range(len(leaf)):
        found[leaf[row] * width + part_of[codes[row]], values[row]] += counts[row]
    return found


@compiled
def number_leaves(found: Counts, parts: int, leaves: int, new_leaf: Unsigned, sizes: Counts) -> int:
    """Number the leaves after a division and set their sizes: the first nonempty part of a leaf keeps its number.

    `found` are the records by leaf and part. Fills `new_leaf`, the new number of every leaf and part. Returns the
    number of leaves, for which `sizes` must have room.
    """
    total = leaves
    for old in range(leaves):
        kept = False
        for part in range(parts):
            place = old * parts + part
            # an empty part has no rows, so its number does not matter
            new_leaf[place] = old
            if found[place] > 0:
                if kept:
                    new_leaf[place] = total
                    total += 1
                kept = True
                sizes[new_leaf[place]] = found[place]
    return total


@compiled
def split_all(leaf: Unsigned, codes: Unsigned, part_of: Unsigned, parts: int, new_leaf: Unsigned) -> None:
    """Give every row the new leaf of its old leaf and part."""
    width = np.uint32(parts)
    for row in range(len(leaf)):
        leaf[row] = new_leaf[leaf[row] * width + part_of[codes[row]]]


@compiled
def split_listed(
    rows: Unsigned,
    leaf: Unsigned,
    codes: Unsigned,
    counts: Counts,
    part_of: Unsigned,
    parts: int,
    new_leaf: Unsigned,
    sizes: Counts,
    leaves: int,
) -> int:
    """Divide the leaves of the listed rows, all of which are affected: the first part found in a leaf keeps its number.

    `new_leaf` has one entry per leaf and part, and after these one per leaf; all are zero before and after. Entry leaf
    * parts + part is the new number plus 1, and an entry at the end is 1 if some part has taken the number of the leaf.
    So the cost depends on the listed rows, not on the number of leaves. Returns the number of leaves.
    """
    width, total = np.uint32(parts), np.uint32(leaves)
    # where the entries per leaf begin, after those per leaf and part
    kept = total * width
    old_leaves = np.empty(len(rows), dtype=np.uint32)
    for place in range(len(rows)):
        row = rows[place]
        old = leaf[row]
        old_leaves[place] = old
        at = old * width + part_of[codes[row]]
        # the first row of this leaf and part: it takes the number of the leaf if that is free, else the next number
        if new_leaf[at] == 0:
            if new_leaf[kept + old] == 0:
                new_leaf[kept + old] = 1
                new_leaf[at] = old + 1
            else:
                total += np.uint32(1)
                new_leaf[at] = total
        # rows that keep their number need no update, and sizes move with the others
        now = new_leaf[at] - np.uint32(1)
        if now != old:
            leaf[row] = now
            sizes[old] -= counts[row]
            sizes[now] += counts[row]
    for place in range(len(rows)):
        # back to zero, entry by entry
        new_leaf[old_leaves[place] * width + part_of[codes[rows[place]]]] = 0
        new_leaf[kept + old_leaves[place]] = 0
    return int(total)


@compiled
def rows_in(leaf: Unsigned, wanted: Flags, room: int) -> Unsigned:
    """The rows whose leaf is wanted, of which there are at most `room`, in order."""
    rows = np.empty(room, dtype=np.uint32)
    found = 0
    for row in range(len(leaf)):
        if wanted[leaf[row]]:
            rows[found] = row
            found += 1
    return rows[:found]


@compiled
def class_counts(codes: Unsigned, classes: Unsigned, counts: Counts, domain: int, class_count: int) -> Counts:
    """The number of records with each value of a column and each class; no counts mean that every row is one record."""
    found = np.zeros(domain * class_count, dtype=np.int64)
    width = np.uint32(class_count)
    if len(counts) == 0:
        for row in range(len(codes)):
            found[codes[row] * width + classes[row]] += 1
        return found.reshape(domain, class_count)
    for row in range(len(codes)):
        found[codes[row] * width + classes[row]] += counts[row]
    return found.reshape(domain, class_count)


@compiled
def rows_by_code(codes: Unsigned, domain: int) -> tuple[Unsigned, Counts]:
    """The rows in the order of their codes (counting sort), and the start of each code and the end of the last one."""
    starts = np.zeros(domain + 1, dtype=np.int64)
    for row in range(len(codes)):
        starts[codes[row] + np.uint32(1)] += 1
    # `starts` now has the number of rows of the code before; its running sum is where the rows of a code begin
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
    """The cut of the ordered values first..last in two with the highest information gain about the class, and the gain.

    The cut is the code at which the upper side begins, the smallest of several that are equally good; -1 if fewer than
    two values occur. One pass over the values: O(values * classes).
    """
    classes = counts.shape[1]
    whole, left = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    for code in range(first, last + 1):
        for c in range(classes):
            whole[c] += counts[code, c]
    records, lower, place, most = whole.sum(), 0, -1, -1.0
    all_bits = _bits(whole, whole, False)
    for code in range(first, last + 1):
        # `left` has the classes of all values below this one, `lower` their number of records
        here = counts[code].sum()
        if here > 0 and lower > 0:
            gained = (all_bits - _bits(left, whole, False) - _bits(left, whole, True)) / records
            # gains that differ by less are equal up to rounding, and the smaller code wins
            if gained > most + 1e-12:
                place, most = code, gained
        for c in range(classes):
            left[c] += counts[code, c]
        lower += here
    return place, most if most > 1e-12 else 0.0


@compiled
def _bits(left: Counts, whole: Counts, rest: bool) -> float:
    """The number of records times the entropy of a side; with `rest` of the whole without it."""
    records, bits = 0, 0.0
    for c in range(len(left)):
        here = whole[c] - left[c] if rest else left[c]
        if here > 0:
            records += here
            # n * H = n log n - sum of c log c over the counts c of the n records, without a division per class
            bits -= here * np.log2(here)
    return bits + records * np.log2(records) if records > 0 else 0.0
