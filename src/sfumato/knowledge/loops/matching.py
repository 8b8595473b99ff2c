"""The values a record of a group can have if everybody gets one of them, nobody one that is ruled out for him.

Records for whom the same values are ruled out are one class, so an assignment is a flow from classes to values. Once
one is found, draw an arc from value v to value w where some class has v now and could have w. The difference of two
assignments runs in circles along these arcs, and every circle can be walked one record at a time; so a class that has
h now has v in some assignment exactly if v is not ruled out for it and the arcs lead back from v to h.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bit_sets import WORD, Bits, add, clear, has, size, words
from sfumato.kernels.compiled import compiled
from sfumato.knowledge.loops.assignments import assign, hand_out, less

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]


@compiled
def valid_counts(
    value_starts: Counts, values: Codes, value_counts: Counts,
    class_starts: Counts, classes: Codes, class_counts: Counts, ruled_out: Mask,
) -> Counts:  # fmt: skip
    """For every cell of a group and a class of its records, how many different values are valid for them.

    The cells of group g are `starts[g]` to `starts[g + 1]`, of its values and of its classes; `ruled_out[c, v]` says
    that class c never has value v. All cells of a group that allows no assignment have 0.
    """
    found = np.empty(len(classes), dtype=np.int64)
    open_ = np.zeros((1, 1), dtype=np.uint64)
    for group in range(len(value_starts) - 1):
        first, last = class_starts[group], class_starts[group + 1]
        some, who = values[value_starts[group] : value_starts[group + 1]], classes[first:last]
        if not _bites(some, who, ruled_out):
            found[first:last] = len(some)
            continue
        if open_.shape[0] < len(who) or open_.shape[1] * WORD < len(some):
            open_ = np.zeros((2 * len(who), words(2 * len(some))), dtype=np.uint64)
        _mark(some, who, ruled_out, open_)
        narrow(open_, value_counts[value_starts[group] : value_starts[group + 1]], class_counts[first:last])
        for place in range(len(who)):
            found[first + place] = size(open_[place], words(len(some)))
    return found


@compiled
def open_counts(value_starts: Counts, values: Codes, class_starts: Counts, classes: Codes, ruled_out: Mask) -> Counts:
    """For every cell of a group and a class of its records, how many values of the group are not ruled out for them."""
    found = np.zeros(len(classes), dtype=np.int64)
    for group in range(len(value_starts) - 1):
        for place in range(class_starts[group], class_starts[group + 1]):
            for at in range(value_starts[group], value_starts[group + 1]):
                if not ruled_out[classes[place], values[at]]:
                    found[place] += 1
    return found


@compiled
def narrow(open_: Bits, value_counts: Counts, class_counts: Counts) -> None:
    """Of the values that are not ruled out for each class leave those that are valid."""
    if _plenty(open_, value_counts, class_counts):
        return
    flow = np.zeros((len(value_counts), len(class_counts)), dtype=np.int64)
    if assign(open_, value_counts, class_counts, flow):
        _keep_circles(open_, flow, _leading_to(open_, flow))
    else:
        clear(open_, len(class_counts))


@compiled
def _plenty(open_: Bits, value_counts: Counts, class_counts: Counts) -> bool:
    """Whether some class may have anything and can take one of every value when all others are served.

    Then the arcs lead from every value to every other through that class, and all that is not ruled out is valid.
    """
    many, who, spare = len(value_counts), len(class_counts), 0
    left = less(class_counts, 0)
    for place in range(who):
        if size(open_[place], words(many)) == many:
            spare += left[place]
            left[place] = 0
    if spare < many:
        return False
    hand_out(open_, np.zeros((0, 0), dtype=np.int64), less(value_counts, 1), left)
    for place in range(who):
        if left[place] > 0:
            return False
    return True


@compiled
def _leading_to(open_: Bits, flow: Counts) -> Bits:
    """For every value the set of values from which the arcs lead to it."""
    many, who = flow.shape
    length = words(many)
    leading, held = np.zeros((many, length), dtype=np.uint64), np.zeros(length, dtype=np.uint64)
    for place in range(who):
        for word in range(length):
            held[word] = 0
        for value in range(many):
            if flow[value, place] > 0:
                add(held, value)
        for value in range(many):
            if has(open_[place], value):
                for word in range(length):
                    leading[value, word] |= held[word]
    for between in range(many):
        for value in range(many):
            if has(leading[value], between):
                for word in range(length):
                    leading[value, word] |= leading[between, word]
    return leading


@compiled
def _keep_circles(open_: Bits, flow: Counts, leading: Bits) -> None:
    """Leave every class the values from which the arcs lead back to a value it has."""
    for place in range(flow.shape[1]):
        home = 0
        while flow[home, place] == 0:
            home += 1
        for word in range(leading.shape[1]):
            open_[place, word] &= leading[home, word]


@compiled
def _bites(values: Codes, classes: Codes, ruled_out: Mask) -> bool:
    """Whether any value of a group is ruled out for any of its records."""
    for place in classes:
        for value in values:
            if ruled_out[place, value]:
                return True
    return False


@compiled
def _mark(values: Codes, classes: Codes, ruled_out: Mask, open_: Bits) -> None:
    """For every class of a group the set of values that are not ruled out."""
    clear(open_, len(classes))
    for place in range(len(classes)):
        for value in range(len(values)):
            if not ruled_out[classes[place], values[value]]:
                add(open_[place], value)
