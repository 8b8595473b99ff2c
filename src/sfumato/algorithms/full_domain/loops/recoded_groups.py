"""Distinct rows under a recoding of single columns: which label every code gets, and which rows look alike.

A recoding is a string of bits, one for every place where values are told apart (see `Layout`). Nothing is allocated for
a label text and no row is copied, so that a search can look at thousands of recodings a second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.hash_lookup import EMPTY, slot_of

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Losses = NDArray[np.float64]

_ROOM = 2**62


class Layout(NamedTuple):
    """How bits become labels. The codes of column j are the places `offset[j]` to `offset[j + 1]` of flat arrays.

    A code begins a label of its own where bit `switch[place]` is set; the first code of a column always does. Columns
    that are `scattered` have one bit a value instead: it is shown, or shares one label with all that are not. A label
    over neighbouring codes loses the difference of their `position`.
    """

    offset: NDArray[np.int64]
    switch: NDArray[np.int32]
    scattered: NDArray[np.bool_]
    position: NDArray[np.float64]


class Slots(NamedTuple):
    """Room to number keys in; a power of two, at least twice as many as there are rows."""

    keys: NDArray[np.int64]
    numbers: NDArray[np.int32]


def slots_for(rows: int) -> Slots:
    """Room for the keys of so many rows."""
    size = 1 << max(4, (2 * rows - 1).bit_length())
    return Slots(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32))


@compiled
def close_below(bits: Bits, parent: Codes) -> None:
    """Clear, in place, every bit below a cleared one; a parent comes before its children."""
    for place in range(len(bits)):
        if parent[place] >= 0 and not bits[parent[place]]:
            bits[place] = False


@compiled
def labels_of(bits: Bits, layout: Layout) -> tuple[Codes, Counts]:
    """The label of every place, counted from 0 in each column, and how many labels each column can have."""
    label = np.zeros(len(layout.switch), dtype=np.int32)
    radix = np.empty(len(layout.scattered), dtype=np.int64)
    for column in range(len(radix)):
        last = 0
        for place in range(layout.offset[column], layout.offset[column + 1]):
            if layout.scattered[column]:
                if bits[layout.switch[place]]:
                    last += 1
                    label[place] = last
            else:
                if place > layout.offset[column] and bits[layout.switch[place]]:
                    last += 1
                label[place] = last
        radix[column] = last + 1
    return label, radix


@compiled
def losses_of(label: Codes, layout: Layout) -> Losses:
    """What a cell loses that is published under the label of each place, between 0 and 1."""
    loss = np.zeros(len(label), dtype=np.float64)
    for column in range(len(layout.scattered)):
        first, stop = layout.offset[column], layout.offset[column + 1]
        if layout.scattered[column]:
            hidden = 0
            for place in range(first, stop):
                hidden += label[place] == 0
            for place in range(first, stop):
                if label[place] == 0:
                    loss[place] = (hidden - 1) / max(stop - first - 1, 1)
            continue
        for place in range(first + 1, stop + 1):
            if place == stop or label[place] != label[place - 1]:
                loss[first:place] = layout.position[place - 1] - layout.position[first]
                first = place
    return loss


@compiled
def number_keys(keys: Counts, span: int, slots: Slots, number: Codes) -> int:
    """Number the distinct keys below `span` in the order they come; how many there are."""
    found = 0
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
def number_rows(
    codes: Codes, columns: Counts, label: Codes, radix: Counts, offset: Counts, slots: Slots, number: Codes
) -> int:
    """Number the rows such that equal numbers are equal labels in all these columns; how many numbers there are."""
    keys, span = np.zeros(codes.shape[1], dtype=np.int64), 1
    for column in columns:
        if radix[column] == 1:
            continue
        if span > _ROOM // radix[column]:
            span = number_keys(keys, span, slots, number)
            keys[:] = number
        for row in range(len(keys)):
            keys[row] = keys[row] * radix[column] + label[offset[column] + codes[column, row]]
        span *= radix[column]
    return number_keys(keys, span, slots, number)


@compiled
def sizes_of(number: Codes, groups: int, counts: Counts) -> Counts:
    """How many records each group has."""
    sizes = np.zeros(groups, dtype=np.int64)
    for row in range(len(number)):
        sizes[number[row]] += counts[row]
    return sizes


@compiled
def matrix_of(number: Codes, groups: int, counts: Counts, values: Codes, domain: int) -> Counts:
    """How often each value occurs in each group, one row a group."""
    matrix = np.zeros((groups, domain), dtype=np.int64)
    for row in range(len(number)):
        matrix[number[row], values[row]] += counts[row]
    return matrix


@compiled
def leave_out(number: Codes, failing: Bits, counts: Counts) -> int:
    """Set the count of every row in a failing group to 0, in place; how many records that were."""
    gone = 0
    for row in range(len(number)):
        if failing[number[row]]:
            gone += counts[row]
            counts[row] = 0
    return gone


@compiled
def lost(codes: Codes, offset: Counts, loss: Losses, histogram: Counts, counts: Counts, left: Counts) -> float:
    """What all cells lose together; every cell of a record that is not left loses 1.

    `histogram` says how many records have the code at each place, so that only rows left out are looked at one by one.
    """
    total = 0.0
    for place in range(len(loss)):
        total += histogram[place] * loss[place]
    for row in range(len(counts)):
        if left[row] != counts[row]:
            for column in range(len(codes)):
                total += (counts[row] - left[row]) * (1 - loss[offset[column] + codes[column, row]])
    return total


@compiled
def commonest(number: Codes, groups: int, left: Counts, classes: Codes, how_many: int, slots: Slots) -> int:
    """How many records have the commonest class of their group."""
    keys, pair = np.empty(len(number), dtype=np.int64), np.empty(len(number), dtype=np.int32)
    for row in range(len(number)):
        keys[row] = np.int64(number[row]) * how_many + classes[row]
    pairs = number_keys(keys, groups * how_many, slots, pair)
    often, most = np.zeros(pairs, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    for row in range(len(number)):
        often[pair[row]] += left[row]
    for row in range(len(number)):
        most[number[row]] = max(most[number[row]], often[pair[row]])
    total: int = most.sum()
    return total
