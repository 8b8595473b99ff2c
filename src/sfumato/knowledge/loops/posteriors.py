"""Posterior probabilities for the records of one group: exact, by the Omega-estimate and by maximum entropy.

`values[v]` records of the group have value v, `people[c]` records are of class c, and `chances[c, v]` is the prior
probability that a record of class c has value v. Each function fills `found[c, v]`, the posterior probability. The
caller (`loops/beliefs.py`) makes sure that some assignment gives every record a possible value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bit_sets import Bits, has
from sfumato.kernels.compiled import compiled

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

_BALANCING_ROUNDS = 500

_TOO_SMALL = 1e-100
"""Weights whose sum is below this may have lost terms that floating point cannot hold (below 1e-308).

The largest chance of a class is 1, so a lost term has at most as many times that weight as there are assignments. A
group with few enough steps for exact inference has fewer than 1e150.
"""


@compiled
def share_evenly(values: Counts, found: Numbers) -> None:
    """For classes with equal chances: every record has the shares of the values in the group."""
    size = values.sum()
    for place in range(len(found)):
        for value in range(len(values)):
            found[place, value] = values[value] / size


@compiled
def share_by_weight(values: Counts, people: Counts, chances: Numbers, found: Numbers) -> None:
    """Omega-estimate: distribute each value in proportion to the chances, then scale each class to a sum of 1.

    One pass over classes times values.
    """
    for value in range(len(values)):
        # the expected number of records with this value if it depended on the chances alone
        whole = 0.0
        for place in range(len(people)):
            whole += people[place] * chances[place, value]
        for place in range(len(people)):
            found[place, value] = values[value] * chances[place, value] / whole
    _make_rows_sum_up(found)


@compiled
def share_exactly(values: Counts, people: Counts, chances: Numbers, found: Numbers) -> bool:
    """Exact posterior: every assignment of the values to the records is weighted by its prior probability.

    If one record of class c has value v, the other records share the remaining values. The total weight of those
    assignments is a coefficient of a product of polynomials: one factor per record, with one variable per value and the
    record's chances as coefficients. `table[part]` holds the coefficient of one multiset of values; a multiset is
    numbered in mixed radix, value v with digits 0 to `values[v]`. The cost is classes * records * number of multisets.

    The largest chance of a class must be 1. Returns False if the weights are too small for floating point, which
    happens in large groups with extreme chances.
    """
    nexts, strides = _steps(values)
    # most groups need no balancing, which takes longer than the weights of a small group
    if not _weigh(people, chances, nexts, strides, found):
        likely = _balanced(values, people, chances)
        if not _weigh(people, likely, nexts, strides, found):
            return False
    _make_rows_sum_up(found)
    return True


@compiled
def _weigh(people: Counts, chances: Numbers, nexts: NDArray[np.int32], strides: Counts, found: Numbers) -> bool:
    """Fill `found` with the weights of the assignments that give a record of a class a value; False if too small."""
    table = np.zeros(len(nexts))
    for place in range(len(people)):
        # the product of the factors of all records except one of class `place`; at first it is the constant 1
        table[:] = 0.0
        table[0] = 1.0
        for other in range(len(people)):
            for _ in range(people[other] - int(other == place)):
                _multiply(table, nexts, chances[other])
        for value in range(len(strides)):
            # the last entry stands for all values of the group; without one record of this
            # value they are those of the other records
            found[place, value] = chances[place, value] * table[len(table) - 1 - strides[value]]
        if not found[place].sum() >= _TOO_SMALL:  # also if it is not a number
            return False
    return True


@compiled
def _balanced(values: Counts, people: Counts, chances: Numbers) -> Numbers:
    """Chances with factors per class and per value that make the values of the group about as likely as they are.

    Such factors multiply the weights of all assignments by the same number, so that they cancel out in a posterior.
    Without them the weights of a group that the chances make unlikely are products of hundreds of small numbers. The
    factors are those of `share_by_entropy` after some rounds.
    """
    likely = chances.copy()
    for _ in range(_BALANCING_ROUNDS):
        for value in range(len(values)):
            whole = 0.0
            for place in range(len(people)):
                whole += people[place] * likely[place, value]
            if whole > 0:
                for place in range(len(people)):
                    likely[place, value] *= values[value] / whole
        for place in range(len(people)):
            whole = likely[place].sum()
            if whole > 0:
                for value in range(len(values)):
                    likely[place, value] /= whole
    return likely


@compiled
def share_by_entropy(
    values: Counts, people: Counts, chances: Numbers, open_: Bits, found: Numbers, rounds: int, near: float
) -> bool:
    """Maximum entropy: scale columns (values) and rows (classes) in turn until both match the counts of the group.

    Only pairs in `open_` stay above 0. These must be pairs that occur in some assignment; otherwise scaling converges
    too slowly. Returns whether the largest deviation of a row sum came below `near` within `rounds` rounds, each of
    which costs classes times values.
    """
    for place in range(len(people)):
        for value in range(len(values)):
            found[place, value] = people[place] * chances[place, value] if has(open_[place], value) else 0.0
    for _ in range(rounds):
        for value in range(len(values)):
            whole = found[:, value].sum()
            for place in range(len(people)):
                found[place, value] *= values[value] / whole
        # the columns match now, so the deviation of the rows, measured before they are scaled, is the whole error
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
    """`nexts[part, v]`: the multiset with one more of value v, or -1 if it is full; and the stride of each value."""
    strides = np.empty(len(values), dtype=np.int64)
    parts = 1
    for value in range(len(values)):
        strides[value] = parts
        parts *= values[value] + 1
    nexts = np.empty((parts, len(values)), dtype=np.int32)
    for part in range(parts):
        for value in range(len(values)):
            # digit v of the number is how often value v is used
            full = part // strides[value] % (values[value] + 1) == values[value]
            nexts[part, value] = -1 if full else part + strides[value]
    return nexts, strides


@compiled
def _multiply(table: Numbers, nexts: NDArray[np.int32], factor: Numbers) -> None:
    """Multiply the polynomial by the factor of one more record, in place.

    A factor only leads to multisets with larger numbers, so going down visits every old coefficient once.
    """
    for part in range(len(table) - 1, -1, -1):
        weight = table[part]
        if weight == 0.0:
            continue
        # one more record takes one more value, so no coefficient stays where it is
        table[part] = 0.0
        for value in range(len(factor)):
            if nexts[part, value] >= 0:
                table[nexts[part, value]] += weight * factor[value]


@compiled
def _make_rows_sum_up(found: Numbers) -> None:
    """Scale the posteriors of every class to a sum of 1."""
    for place in range(len(found)):
        whole = found[place].sum()
        for value in range(found.shape[1]):
            found[place, value] /= whole
