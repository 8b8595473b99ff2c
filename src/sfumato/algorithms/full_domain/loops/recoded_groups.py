"""Distinct rows under a recoding of single columns: the label of every code, and the groups of equal rows.

A recoding is a string of bits, one for every position where values can be distinguished (see `Layout`). No label texts
are made and no rows are copied, so that a search can evaluate thousands of recodings per second. Labels cost one pass
over the codes of all columns, groups one pass over the rows per column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled
from sfumato.kernels.hash_lookup import EMPTY, slot_of
from sfumato.runtime.representations import sizes_only

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Losses = NDArray[np.float64]

_LARGEST_KEY = 2**62
"""Keys stay below this number, so that they fit into 63 bits."""


class Layout(NamedTuple):
    """How bits become labels. The codes of column j are the positions `offset[j]` to `offset[j + 1]` of flat arrays."""

    offset: NDArray[np.int64]
    switch: NDArray[np.int32]
    """Position: the bit that, if set, starts a new label at this code; the first code of a column always starts one."""
    scattered: Flags
    """Column: whether it has one bit per value instead; a value is shown, or shares one label with all that are not."""
    position: NDArray[np.float64]
    """Position: where the value lies between 0 and 1; a label over neighbours loses the distance of its ends.
    """

    def __repr__(self) -> str:
        return sizes_only(self)


class PackedColumns(NamedTuple):
    """Columns of codes, where neighbouring columns are stored as one column of the combinations that occur."""

    codes: Codes
    """The combination of every row, one row per packed column."""
    first: Codes
    """The first column of each packed column, and the number of columns at the end."""
    digits: Codes
    """The code of each column in every combination of its packed column, column after column."""
    start: NDArray[np.int64]
    """Where the codes of each column start in `digits`, and where the last ones end."""

    def __repr__(self) -> str:
        return sizes_only(self)


class HashSlots(NamedTuple):
    """Scratch memory for a hash table of keys; a power of two, at least twice the number of rows."""

    keys: NDArray[np.int64]
    numbers: NDArray[np.int32]


def hash_slots(rows: int) -> HashSlots:
    """Scratch memory for the keys of this number of rows."""
    size = 1 << max(4, (2 * rows - 1).bit_length())
    return HashSlots(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32))


@compiled
def close_below(bits: Bits, parent: Codes) -> None:
    """Clear every bit below a cleared one, in place; a parent comes before its children, so one pass is enough."""
    for place in range(len(bits)):
        if parent[place] >= 0 and not bits[parent[place]]:
            bits[place] = False


@compiled
def labels_of(bits: Bits, layout: Layout) -> tuple[Codes, Counts]:
    """The label of every position, counted from 0 in each column, and the number of labels of each column."""
    label = np.zeros(len(layout.switch), dtype=np.int32)
    radix = np.empty(len(layout.scattered), dtype=np.int64)
    for column in range(len(radix)):
        last = 0
        for place in range(layout.offset[column], layout.offset[column + 1]):
            # label 0 is shared by all values that are not shown, and each shown value has the next number
            if layout.scattered[column]:
                if bits[layout.switch[place]]:
                    last += 1
                    label[place] = last
            else:
                # a new label starts here
                if place > layout.offset[column] and bits[layout.switch[place]]:
                    last += 1
                label[place] = last
        radix[column] = last + 1
    return label, radix


@compiled
def losses_of(label: Codes, layout: Layout) -> Losses:
    """The loss, between 0 and 1, of a cell that is published under the label of each position."""
    loss = np.zeros(len(label), dtype=np.float64)
    for column in range(len(layout.scattered)):
        first, stop = layout.offset[column], layout.offset[column + 1]
        if layout.scattered[column]:
            # all values that are not shown share a label, and each of them loses
            # the share of the others that it could be
            hidden = 0
            for place in range(first, stop):
                hidden += label[place] == 0
            for place in range(first, stop):
                if label[place] == 0:
                    loss[place] = (hidden - 1) / max(stop - first - 1, 1)
            continue
        for place in range(first + 1, stop + 1):
            # the label of the positions from `first` on ends here
            if place == stop or label[place] != label[place - 1]:
                loss[first:place] = layout.position[place - 1] - layout.position[first]
                first = place
    return loss


@compiled
def number_keys(keys: Counts, span: int, slots: HashSlots, number: Codes) -> int:
    """Number the distinct keys below `span` in the order of their first occurrence; returns how many there are.

    If all possible keys fit into the slots, they are looked up directly; otherwise in a hash table with linear probing.
    Either way one pass over the rows.
    """
    found = 0
    # the key itself is the slot: no hashing, and only the slots in use are reset
    if span <= len(slots.numbers):
        slots.numbers[:span] = EMPTY
        for row in range(len(keys)):
            if slots.numbers[keys[row]] == EMPTY:
                slots.numbers[keys[row]] = found
                found += 1
            number[row] = slots.numbers[keys[row]]
        return found
    mask = len(slots.numbers) - 1
    slots.numbers[:] = EMPTY
    for row in range(len(keys)):
        # linear probing; the table is at most half full
        slot = slot_of(keys[row], mask)
        while slots.numbers[slot] != EMPTY and slots.keys[slot] != keys[row]:
            slot = (slot + 1) & mask
        if slots.numbers[slot] == EMPTY:
            slots.numbers[slot] = found
            slots.keys[slot] = keys[row]
            found += 1
        number[row] = slots.numbers[slot]
    return found


@compiled
def pack_columns(codes: Codes, domains: Counts, most: int, slots: HashSlots) -> PackedColumns:
    """Number the combinations of neighbouring columns that occur, as long as there are at most so many.

    A key is then made of a few look-ups, where the columns one by one need a look-up each.
    """
    columns, rows = codes.shape
    packed, first = np.empty((columns, rows), dtype=np.int32), np.empty(columns + 1, dtype=np.int32)
    keys, number = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int32)
    used = np.empty(columns, dtype=np.int64)
    made, span = -1, 1
    for column in range(columns):
        combined = most + 1
        # `used[made]` combinations of the columns from `first[made]` on occur, of `span` possible ones
        if made >= 0 and span <= _LARGEST_KEY // max(domains[column], 1):
            for row in range(rows):
                keys[row] = packed[made, row] * domains[column] + codes[column, row]
            combined = number_keys(keys, used[made] * domains[column], slots, number)
        if combined <= most:
            packed[made], used[made] = number, combined
            span *= domains[column]
        else:
            made += 1
            packed[made], used[made], first[made] = codes[column], domains[column], column
            span = domains[column]
    first[made + 1] = columns
    start = np.zeros(columns + 1, dtype=np.int64)
    for place in range(made + 1):
        for column in range(first[place], first[place + 1]):
            start[column + 1] = start[column] + used[place]
    digits = np.zeros(start[-1], dtype=np.int32)
    for place in range(made + 1):
        for column in range(first[place], first[place + 1]):
            # any row can tell the code of its combination
            for row in range(rows):
                digits[start[column] + packed[place, row]] = codes[column, row]
    return PackedColumns(packed[: made + 1].copy(), first[: made + 2].copy(), digits, start)


@compiled
def _keys_of_rows(
    packed: PackedColumns, chosen: Flags, label: Codes, radix: Counts, offset: Counts, slots: HashSlots, number: Codes
) -> tuple[Counts, int]:
    """A key for every row, below the returned span: rows have equal keys if they have equal labels in these columns.

    The labels of a row are folded into one key. Before a key could overflow, the keys so far are replaced by their
    numbers, which are below the number of rows; `number` is scratch memory for them.
    """
    rows = packed.codes.shape[1]
    keys, span = np.zeros(rows, dtype=np.int64), 1
    for place in range(len(packed.codes)):
        here = packed.first[place]
        # what each combination adds to a key, below `step`
        part, step = np.zeros(packed.start[here + 1] - packed.start[here], dtype=np.int64), 1
        for column in range(packed.first[place], packed.first[place + 1]):
            # a column with one label does not divide rows
            if not chosen[column] or radix[column] == 1:
                continue
            step *= radix[column]
            for combination in range(len(part)):
                code = packed.digits[packed.start[column] + combination]
                part[combination] = part[combination] * radix[column] + label[offset[column] + code]
        if step == 1:
            continue
        if span > _LARGEST_KEY // step:
            span = number_keys(keys, span, slots, number)
            keys[:] = number
        if span == 1:
            for row in range(rows):
                keys[row] = part[packed.codes[place, row]]
        else:
            for row in range(rows):
                keys[row] = keys[row] * step + part[packed.codes[place, row]]
        span *= step
    return keys, span


@compiled
def number_rows(
    packed: PackedColumns, chosen: Flags, label: Codes, radix: Counts, offset: Counts, slots: HashSlots, number: Codes
) -> int:
    """Number the rows so that equal numbers mean equal labels in all these columns; returns the number of groups."""
    keys, span = _keys_of_rows(packed, chosen, label, radix, offset, slots, number)
    return number_keys(keys, span, slots, number)


@compiled
def records_in_small_groups(
    packed: PackedColumns, counts: Counts, label: Codes, radix: Counts, offset: Counts, slots: HashSlots, least: int
) -> tuple[int, int]:
    """The number of records in groups of fewer than `least`, by all columns, and the number of groups.

    Few keys need no numbers of groups: sizes are counted by key.
    """
    number = np.empty(len(counts), dtype=np.int32)
    keys, span = _keys_of_rows(packed, np.ones(len(radix), dtype=np.bool_), label, radix, offset, slots, number)
    if span > len(slots.numbers):
        span = number_keys(keys, span, slots, number)
        keys[:] = number
    sizes = np.zeros(span, dtype=np.int64)
    for row in range(len(keys)):
        sizes[keys[row]] += counts[row]
    small: int = sizes[sizes < least].sum()
    groups: int = (sizes > 0).sum()
    return small, groups


@compiled
def sizes_of(number: Codes, groups: int, counts: Counts) -> Counts:
    """The number of records of each group."""
    sizes = np.zeros(groups, dtype=np.int64)
    for row in range(len(number)):
        sizes[number[row]] += counts[row]
    return sizes


@compiled
def matrix_of(number: Codes, groups: int, counts: Counts, values: Codes, domain: int) -> Counts:
    """The number of records with each value in each group, one row per group."""
    matrix = np.zeros((groups, domain), dtype=np.int64)
    for row in range(len(number)):
        matrix[number[row], values[row]] += counts[row]
    return matrix


@compiled
def suppress_groups(number: Codes, failing: Bits, counts: Counts) -> int:
    """Set the count of every row in a failing group to 0, in place; returns the number of records."""
    gone = 0
    for row in range(len(number)):
        if failing[number[row]]:
            gone += counts[row]
            counts[row] = 0
    return gone


@compiled
def total_loss(codes: Codes, offset: Counts, loss: Losses, histogram: Counts, counts: Counts, left: Counts) -> float:
    """The total loss of all cells; every cell of a suppressed record loses 1.

    `histogram` is the number of records with the code at each position, so that only rows with suppressed records are
    visited one by one.
    """
    total = 0.0
    # first as if no record were suppressed
    for place in range(len(loss)):
        total += histogram[place] * loss[place]
    # then the difference from 1 for every cell of a suppressed record
    for row in range(len(counts)):
        if left[row] != counts[row]:
            for column in range(len(codes)):
                total += (counts[row] - left[row]) * (1 - loss[offset[column] + codes[column, row]])
    return total


@compiled
def added_costs(codes: Codes, offset: Counts, extra: Losses, counts: Counts, left: Counts) -> Losses:
    """What suppressed records cost more than published ones, in each column; `extra` has the difference of each value.

    Only rows with suppressed records are visited column by column.
    """
    added = np.zeros(len(codes), dtype=np.float64)
    for row in range(len(counts)):
        if left[row] != counts[row]:
            for column in range(len(codes)):
                added[column] += (counts[row] - left[row]) * extra[offset[column] + codes[column, row]]
    return added


@compiled
def majority_count(number: Codes, groups: int, left: Counts, classes: Codes, class_count: int, slots: HashSlots) -> int:
    """The number of records with the most frequent class of their group."""
    keys, pair = np.empty(len(number), dtype=np.int64), np.empty(len(number), dtype=np.int32)
    for row in range(len(number)):
        keys[row] = np.int64(number[row]) * class_count + classes[row]
    # a pair of group and class; only pairs that occur are numbered, so no array of groups times classes is needed
    pairs = number_keys(keys, groups * class_count, slots, pair)
    frequency, most = np.zeros(pairs, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    for row in range(len(number)):
        frequency[pair[row]] += left[row]
    for row in range(len(number)):
        most[number[row]] = max(most[number[row]], frequency[pair[row]])
    total: int = most.sum()
    return total
