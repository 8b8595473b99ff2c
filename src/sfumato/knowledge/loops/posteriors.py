"""What to believe of the records of one group: three ways to spread its values over classes of records.

`values[v]` records of the group have value v, `people[c]` records are of class c, and `chances[c, v]` is how likely a
record of class c was to have value v before the group was seen. Each way fills `found[c, v]`: how likely a record of
class c is to have value v. There must be a way to give everybody a value that is possible for him.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bit_sets import Bits, has
from sfumato.kernels.compiled import compiled

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


@compiled
def share_evenly(values: Counts, found: Numbers) -> None:
    """Everybody is like everybody else: the shares of the values in the group."""
    size = values.sum()
    for place in range(len(found)):
        for value in range(len(values)):
            found[place, value] = values[value] / size


@compiled
def share_by_weight(values: Counts, people: Counts, chances: Numbers, found: Numbers) -> None:
    """Every value is shared out by how likely each record was to have it, and what a record gets is made to add up."""
    for value in range(len(values)):
        whole = 0.0
        for place in range(len(people)):
            whole += people[place] * chances[place, value]
        for place in range(len(people)):
            found[place, value] = values[value] * chances[place, value] / whole
    _make_rows_sum_up(found)


@compiled
def share_exactly(values: Counts, people: Counts, chances: Numbers, found: Numbers) -> None:
    """Every way to hand the values out counts as much as it was likely before, all records taken together.

    A way for all others is left when one record of class c has value v. How much those ways count is the coefficient
    of the values that are left in a product of one factor a record, the sum of its chances times a variable a value.
    """
    nexts, strides = _steps(values)
    table = np.zeros(len(nexts))
    for place in range(len(people)):
        table[:] = 0.0
        table[0] = 1.0
        for other in range(len(people)):
            for _ in range(people[other] - int(other == place)):
                _multiply(table, nexts, chances[other])
        for value in range(len(values)):
            found[place, value] = chances[place, value] * table[len(table) - 1 - strides[value]]
    _make_rows_sum_up(found)


@compiled
def share_by_entropy(
    values: Counts, people: Counts, chances: Numbers, open_: Bits, found: Numbers, rounds: int, near: float
) -> bool:
    """As near to the chances as the counts of the group allow, by scaling values and classes in turn.

    Only what is `open_` stays possible; it must be what somebody has in some way to hand the values out, or scaling
    would take forever to find that out. Whether `rounds` were enough to come `near`, as a share of the group.
    """
    for place in range(len(people)):
        for value in range(len(values)):
            found[place, value] = people[place] * chances[place, value] if has(open_[place], value) else 0.0
    for _ in range(rounds):
        for value in range(len(values)):
            whole = found[:, value].sum()
            for place in range(len(people)):
                found[place, value] *= values[value] / whole
        gap = 0.0
        for place in range(len(people)):
            whole = found[place].sum()
            gap = max(gap, abs(whole - people[place]))
            for value in range(len(values)):
                found[place, value] *= people[place] / whole
        if gap <= near:
            _make_rows_sum_up(found)
            return True
    return False


@compiled
def _steps(values: Counts) -> tuple[NDArray[np.int32], Counts]:
    """Of every part of the values the part with one more of each, or -1; and how far apart their numbers are."""
    strides = np.empty(len(values), dtype=np.int64)
    parts = 1
    for value in range(len(values)):
        strides[value] = parts
        parts *= values[value] + 1
    nexts = np.empty((parts, len(values)), dtype=np.int32)
    for part in range(parts):
        for value in range(len(values)):
            full = part // strides[value] % (values[value] + 1) == values[value]
            nexts[part, value] = -1 if full else part + strides[value]
    return nexts, strides


@compiled
def _multiply(table: Numbers, nexts: NDArray[np.int32], factor: Numbers) -> None:
    """One record more; what it takes leads to larger parts, so going down no part is met twice."""
    for part in range(len(table) - 1, -1, -1):
        weight = table[part]
        if weight == 0.0:
            continue
        table[part] = 0.0
        for value in range(len(factor)):
            if nexts[part, value] >= 0:
                table[nexts[part, value]] += weight * factor[value]


@compiled
def _make_rows_sum_up(found: Numbers) -> None:
    for place in range(len(found)):
        whole = found[place].sum()
        for value in range(found.shape[1]):
            found[place, value] /= whole
