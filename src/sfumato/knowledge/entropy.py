"""The joint distribution nearest to what was believed before, among all that sums allow: maximum entropy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import KnowledgeError, UsageError

Numbers = NDArray[np.float64]

CELLS = 10**6
"""Unknowns of the largest release that is solved at once."""

NEAR = 1e-11
"""How near sums come to what they must be, as a share of the largest."""

_STEPS = 200
_LARGEST = 300.0
"""Steps too far are seen to be so without numbers that are too large to be written."""


class Told(NamedTuple):
    """Of the people marked in `who`, the share `share` has the value of number `value`, whatever their group."""

    who: NDArray[np.bool_]
    value: int
    share: float


def maximum_entropy_release(value_counts: Any, people: Any, told: Sequence[Told] = ()) -> Numbers:
    """How many of each kind of people have each value in each group, as all groups and all that is told suggest.

    `value_counts[b, v]` records of group b have value v and `people[b, q]` are of kind q; `found[b, q, v]` is how many
    of these have that value. What is told holds over all groups together, so that one group says something of another.
    Of all answers that agree with groups and knowledge it is the one of largest entropy, which presumes nothing else.

    A man and a woman have breast cancer and flu: either has either. A man never has breast cancer: it is the woman.

    >>> maximum_entropy_release([[1, 1]], [[1, 1]]).tolist()
    [[[0.5, 0.5], [0.5, 0.5]]]
    >>> men = np.array([True, False])
    >>> maximum_entropy_release([[1, 1]], [[1, 1]], [Told(men, 0, 0.0)]).round(6).tolist()
    [[[0.0, 1.0], [1.0, 0.0]]]

    References: Du, Teng and Zhu (2008), Privacy-MaxEnt; book, section 2.5.2.
    """
    from scipy.sparse import csr_array

    values, kinds = np.asarray(value_counts, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if values.shape[:1] != kinds.shape[:1] or not np.array_equal(values.sum(axis=1), kinds.sum(axis=1)):
        raise UsageError("every group has as many values as people; count both in the same groups.")
    group, kind, value = np.nonzero(kinds[:, :, None] * values[:, None, :])
    if len(group) > CELLS:
        raise UsageError(
            f"{len(group):,} unknowns are too many to solve at once; {CELLS:,} are allowed. Use fewer groups."
        )
    sums = [(group * kinds.shape[1] + kind, kinds.ravel()), (group * values.shape[1] + value, values.ravel())]
    rows, targets = _stacked(sums)
    for fact in told:
        hit = fact.who[kind] & (value == fact.value)
        rows = np.vstack([rows, np.where(hit, len(targets), -1)])
        targets = np.append(targets, fact.share * kinds[:, fact.who].sum())
    at, cell = np.nonzero(rows >= 0)
    matrix = csr_array((np.ones(len(at)), (rows[at, cell], cell)), shape=(len(targets), len(group)))
    spread = kinds[group, kind] * values[group, value] / values.sum(axis=1)[group]
    found = np.zeros((*kinds.shape, values.shape[1]))
    found[group, kind, value] = nearest_joint(spread, matrix, targets)
    return found


def nearest_joint(before: Numbers, sums: Any, targets: Numbers) -> Numbers:
    """The numbers x with `sums @ x == targets` that are nearest to `before` by relative entropy, 0 where that is 0.

    `sums` is a sparse matrix of zeros and ones, every number in one sum at least. Numbers that are 0 in every solution
    are found first, so that for the others a smooth convex problem is left: one factor a sum, by Newton's method.

    >>> from scipy.sparse import csr_array
    >>> sums = csr_array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    >>> nearest_joint(np.array([4.0, 1.0, 1.0, 1.0]), sums, np.ones(4)).round(6).tolist()
    [0.666667, 0.333333, 0.333333, 0.666667]
    """
    scale = float(targets.max(initial=0.0)) or 1.0
    possible = _possible(before, sums, targets / scale)
    found = np.zeros(len(before))
    found[possible] = _solved(np.log(before[possible]), sums[:, possible], targets / scale) * scale
    return found


def _possible(before: Numbers, sums: Any, targets: Numbers) -> NDArray[np.bool_]:
    """Which numbers are more than 0 in some solution: as many as can be at least 1 at once when all may grow alike."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    some = np.flatnonzero(before > 0)
    if not targets.any():
        return np.zeros(len(before), dtype=bool)
    inner = sums[:, some]
    equal = hstack([inner, inner, csr_array(-targets[:, None])])
    bounds = [(0, 1)] * len(some) + [(0, None)] * (len(some) + 1)
    cost = np.concatenate([-np.ones(len(some)), np.zeros(len(some) + 1)])
    answer = linprog(cost, A_eq=equal, b_eq=np.zeros(len(targets)), bounds=bounds)
    found = np.zeros(len(before), dtype=bool)
    if answer.status == 0:
        found[some[answer.x[: len(some)] > 1 / 2]] = True
    if not found.any():
        raise KnowledgeError("what is known contradicts the groups: no way to hand their values out agrees with it.")
    return found


def _solved(logs: Numbers, sums: Any, targets: Numbers) -> Numbers:
    """Damped Newton steps on the convex function whose slope is what the sums are off by."""
    from scipy.sparse import diags_array, eye_array
    from scipy.sparse.linalg import spsolve

    factors = np.zeros(len(targets))
    logs = logs - logs.max(initial=0.0)
    cost, found = _cost(logs, sums, targets, factors)
    for _ in range(_STEPS):
        off = sums @ found - targets
        if np.abs(off).max(initial=0.0) <= NEAR:
            return found
        bend = sums @ diags_array(found) @ sums.T
        ridge = 1e-12 * max(float(bend.diagonal().max()), 1.0)
        step = spsolve((bend + ridge * eye_array(len(targets))).tocsc(), -off)
        least = float(np.abs(off).max()) / 2
        cost, found, factors = _along(logs, sums, targets, factors, step, cost, float(off @ step), least)
    raise KnowledgeError("the largest entropy was not found: shares that are nearly 0 or 1 are better told as never.")


def _along(
    logs: Numbers, sums: Any, targets: Numbers, factors: Numbers, step: Numbers, cost: float, slope: float, least: float
) -> tuple[float, Numbers, Numbers]:
    """As far along the step as the cost falls well, or, where that is too little to be told, as sums come nearer."""
    length = 1.0
    while True:
        further, found = _cost(logs, sums, targets, factors + length * step)
        well = further <= cost + 1e-4 * length * slope
        if well or length < 1e-9 or np.abs(sums @ found - targets).max() <= least:
            return further, found, factors + length * step
        length /= 2


def _cost(logs: Numbers, sums: Any, targets: Numbers, factors: Numbers) -> tuple[float, Numbers]:
    found = np.exp(np.minimum(logs + sums.T @ factors, _LARGEST))
    return float(found.sum() - targets @ factors), found


def _stacked(sums: Sequence[tuple[NDArray[np.int64], Numbers]]) -> tuple[NDArray[np.int64], Numbers]:
    """Number the sums that are not empty; every number's place in each kind of sum."""
    rows, targets = [], np.zeros(0)
    for place, whole in sums:
        used, number = np.unique(place, return_inverse=True)
        rows.append(number + len(targets))
        targets = np.append(targets, whole[used])
    return np.array(rows), targets
