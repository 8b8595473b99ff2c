"""The values that each record of a group can have if every record gets one and none gets a value ruled out for it.

Records with the same values ruled out form one class, so an assignment is a flow from classes to values. Given one
assignment, draw an arc from value v to value w if some class has v now and may have w. Two assignments differ by cycles
along these arcs, and each cycle can be applied for one record alone. So a class that has h now has v in some assignment
exactly if v is not ruled out for it and a path of arcs leads from v back to h.

State per group: `open_[c]`, a bit set of the values of class c that are not ruled out, reduced to the valid ones. The
transitive closure over values on bit sets costs values^2 * values / 64 steps. Two tests skip it for most groups: no
value is ruled out, or one unrestricted class is large enough. `knowledge/matching.py` and `loops/beliefs.py` call it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.bit_sets import WORD, Bits, add, clear, has, size, words
from sfumato.kernels.compiled import compiled
from sfumato.knowledge.loops.assignments import assign, assign_greedily, reduced_copy

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]


@compiled
def valid_counts(
    value_starts: Counts, values: Codes, value_counts: Counts,
    class_starts: Counts, classes: Codes, class_counts: Counts, ruled_out: Flags,
) -> Counts:  # fmt: skip
    """For every cell (a group and a class of its records), the number of distinct valid values.

    The cells of group g are `starts[g]` to `starts[g + 1]`, for its values and for its classes; `ruled_out[c, v]` says
    that class c never has value v. All cells of a group that allows no assignment get 0. The bit sets `open_` are
    reused from group to group and grow by doubling.
    """
    found = np.empty(len(classes), dtype=np.int64)
    open_ = np.zeros((1, 1), dtype=np.uint64)
    for group in range(len(value_starts) - 1):
        first, last = class_starts[group], class_starts[group + 1]
        some, who = values[value_starts[group] : value_starts[group + 1]], classes[first:last]
        # nothing is ruled out, so every value of the group is valid for every record
        if not _any_ruled_out(some, who, ruled_out):
            found[first:last] = len(some)
            continue
        if open_.shape[0] < len(who) or open_.shape[1] * WORD < len(some):
            # twice as large as needed now, so that few groups need new memory
            open_ = np.zeros((2 * len(who), words(2 * len(some))), dtype=np.uint64)
        _mark_open(some, who, ruled_out, open_)
        keep_valid(open_, value_counts[value_starts[group] : value_starts[group + 1]], class_counts[first:last])
        for place in range(len(who)):
            found[first + place] = size(open_[place], words(len(some)))
    return found


@compiled
def open_counts(value_starts: Counts, values: Codes, class_starts: Counts, classes: Codes, ruled_out: Flags) -> Counts:
    """For every cell (a group and a class of its records), how many values of the group are not ruled out for it."""
    found = np.zeros(len(classes), dtype=np.int64)
    for group in range(len(value_starts) - 1):
        for place in range(class_starts[group], class_starts[group + 1]):
            for at in range(value_starts[group], value_starts[group + 1]):
                if not ruled_out[classes[place], values[at]]:
                    found[place] += 1
    return found


@compiled
def keep_valid(open_: Bits, value_counts: Counts, class_counts: Counts) -> None:
    """Reduce the values that are not ruled out for each class to the valid ones; to none if there is no assignment."""
    if _unrestricted_classes_suffice(open_, value_counts, class_counts):
        return
    flow = np.zeros((len(value_counts), len(class_counts)), dtype=np.int64)
    if assign(open_, value_counts, class_counts, flow):
        _keep_cycles(open_, flow, _predecessors(open_, flow))
    else:
        clear(open_, len(class_counts))


@compiled
def _unrestricted_classes_suffice(open_: Bits, value_counts: Counts, class_counts: Counts) -> bool:
    """Whether the unrestricted classes can hold one record of every value while all other classes are served.

    Then arcs lead from every value to every other one through these classes, and every value that is not ruled out is
    valid. `spare` counts the records of the unrestricted classes.
    """
    many, who, spare = len(value_counts), len(class_counts), 0
    left = reduced_copy(class_counts, 0)
    for place in range(who):
        if size(open_[place], words(many)) == many:
            spare += left[place]
            left[place] = 0
    if spare < many:
        return False
    # one record of each value is set aside for the unrestricted classes, and the other classes must be served from the
    # rest; a greedy assignment can fail where another one exists, but then the full search decides
    assign_greedily(open_, np.zeros((0, 0), dtype=np.int64), reduced_copy(value_counts, 1), left)
    for place in range(who):
        if left[place] > 0:
            return False
    return True


@compiled
def _predecessors(open_: Bits, flow: Counts) -> Bits:
    """For every value the bit set of values from which a path of arcs leads to it.

    `held` are the values that one class has now; each of them has an arc to every value the class may have. The second
    loop is Warshall's transitive closure, one word of 64 values per step.
    """
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
    # invariant: paths whose inner values are all below `between` are known, and now those through `between` are added
    for between in range(many):
        for value in range(many):
            if has(leading[value], between):
                for word in range(length):
                    leading[value, word] |= leading[between, word]
    return leading


@compiled
def _keep_cycles(open_: Bits, flow: Counts, leading: Bits) -> None:
    """Keep for every class the values from which a path leads back to a value it has; one such value is enough."""
    for place in range(flow.shape[1]):
        # any value that the class has: the values of one class reach each other, since the class may have all of them
        home = 0
        while flow[home, place] == 0:
            home += 1
        for word in range(leading.shape[1]):
            open_[place, word] &= leading[home, word]


@compiled
def _any_ruled_out(values: Codes, classes: Codes, ruled_out: Flags) -> bool:
    """Whether any value of a group is ruled out for any of its records."""
    for place in classes:
        for value in values:
            if ruled_out[place, value]:
                return True
    return False


@compiled
def _mark_open(values: Codes, classes: Codes, ruled_out: Flags, open_: Bits) -> None:
    """Fill `open_` with the values of the group that are not ruled out for each class."""
    clear(open_, len(classes))
    for place in range(len(classes)):
        for value in range(len(values)):
            if not ruled_out[classes[place], values[value]]:
                add(open_[place], value)
