"""Maximum entropy: the joint distribution nearest to a prior among all that satisfy given sums.

`inference` calls it for one group; `maximum_entropy_release` solves all groups of a release together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import KnowledgeError, UsageError
from sfumato.kernels.arrays import Flags

Numbers = NDArray[np.float64]

MAX_UNKNOWNS = 10**6
"""Number of unknowns of the largest release that is solved at once."""

TOLERANCE = 1e-11
"""Tolerance: how far a sum may be off its target, as a share of the largest target."""

_MAX_NEWTON_STEPS = 200
_MAX_EXPONENT = 300.0
"""Cap on exponents, so that a step that goes too far is recognized by its cost before numbers overflow."""


class KnownShare(NamedTuple):
    """A known share: of the kinds of persons marked in `who`, `share` have value number `value`, over all groups."""

    who: Flags
    value: int
    share: float


def maximum_entropy_release(value_counts: Any, people: Any, known: Sequence[KnownShare] = ()) -> Numbers:
    """The expected number of persons of each kind with each value in each group, given all groups and known shares.

    `value_counts[b, v]` records of group b have value v and `people[b, q]` are of kind q; the result `found[b, q, v]`
    is how many of these have that value. Known shares hold over all groups together, so one group tells something about
    another. Of all answers that agree with groups and known shares, the result is the one of largest entropy, which
    assumes nothing else.

    A group of a man and a woman has breast cancer and flu: each person may have either. Knowing that men never have
    breast cancer, an attacker concludes that the woman has it.

    >>> maximum_entropy_release([[1, 1]], [[1, 1]]).tolist()
    [[[0.5, 0.5], [0.5, 0.5]]]
    >>> men = np.array([True, False])
    >>> maximum_entropy_release([[1, 1]], [[1, 1]], [KnownShare(men, 0, 0.0)]).round(6).tolist()
    [[[0.0, 1.0], [1.0, 0.0]]]

    References: Du, Teng and Zhu (2008), Privacy-MaxEnt; book, section 2.5.2.
    """
    from scipy.sparse import csr_array

    values, kinds = np.asarray(value_counts, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if values.shape[:1] != kinds.shape[:1] or not np.array_equal(values.sum(axis=1), kinds.sum(axis=1)):
        raise UsageError("every group must have as many values as persons; count both in the same groups.")
    # One unknown for each kind and value that occur in the same group; all others are 0.
    group, kind, value = np.nonzero(kinds[:, :, None] * values[:, None, :])
    if len(group) > MAX_UNKNOWNS:
        raise UsageError(
            f"{len(group):,} unknowns are too many to solve at once; {MAX_UNKNOWNS:,} are allowed. Use fewer groups."
        )
    sums = [(group * kinds.shape[1] + kind, kinds.ravel()), (group * values.shape[1] + value, values.ravel())]
    rows, targets = _number_sums(sums)
    # A known share is one more sum, over the cells of all groups. Row -1 marks the cells that are not part of it.
    for fact in known:
        hit = fact.who[kind] & (value == fact.value)
        rows = np.vstack([rows, np.where(hit, len(targets), -1)])
        targets = np.append(targets, fact.share * kinds[:, fact.who].sum())
    at, cell = np.nonzero(rows >= 0)
    matrix = csr_array((np.ones(len(at)), (rows[at, cell], cell)), shape=(len(targets), len(group)))
    # Without known shares, independence within each group has the largest entropy; it is the prior of the others.
    spread = kinds[group, kind] * values[group, value] / values.sum(axis=1)[group]
    found = np.zeros((*kinds.shape, values.shape[1]))
    found[group, kind, value] = nearest_joint(spread, matrix, targets)
    return found


def nearest_joint(before: Numbers, sums: Any, targets: Numbers) -> Numbers:
    """The numbers x with `sums @ x == targets` that are nearest to `before` by relative entropy, 0 where `before` is 0.

    `sums` is a sparse matrix of zeros and ones in which every number occurs in at least one sum. A linear program first
    finds the numbers that are 0 in every solution. For the others a smooth convex problem remains, with one factor per
    sum, which Newton's method solves.

    >>> from scipy.sparse import csr_array
    >>> sums = csr_array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    >>> nearest_joint(np.array([4.0, 1.0, 1.0, 1.0]), sums, np.ones(4)).round(6).tolist()
    [0.666667, 0.333333, 0.333333, 0.666667]
    """
    # Tolerances are absolute below, so the targets are scaled to at most 1.
    scale = float(targets.max(initial=0.0)) or 1.0
    possible = _possibly_positive(before, sums, targets / scale)
    found = np.zeros(len(before))
    found[possible] = _newton(np.log(before[possible]), sums[:, possible], targets / scale) * scale
    return found


def _possibly_positive(before: Numbers, sums: Any, targets: Numbers) -> Flags:
    """Which numbers are above 0 in some solution.

    The linear program scales the targets by a free factor and maximizes how many numbers reach 1 at the same time.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    some = np.flatnonzero(before > 0)
    if not targets.any():
        return np.zeros(len(before), dtype=bool)
    # Each number is u + w with u in [0, 1] and w >= 0, and the sums equal t * targets
    # with a free factor t. Solutions can be added and scaled, so at the optimum u is
    # 1 for every number that is positive in some solution, and 0 for the others.
    inner = sums[:, some]
    equal = hstack([inner, inner, csr_array(-targets[:, None])])
    bounds = [(0, 1)] * len(some) + [(0, None)] * (len(some) + 1)
    cost = np.concatenate([-np.ones(len(some)), np.zeros(len(some) + 1)])
    answer = linprog(cost, A_eq=equal, b_eq=np.zeros(len(targets)), bounds=bounds)
    found = np.zeros(len(before), dtype=bool)
    if answer.status == 0:
        found[some[answer.x[: len(some)] > 1 / 2]] = True
    if not found.any():
        raise KnowledgeError("the knowledge contradicts the groups: no assignment of their values agrees with it.")
    return found


def _newton(logs: Numbers, sums: Any, targets: Numbers) -> Numbers:
    """Damped Newton steps on the convex dual, whose gradient is the difference between sums and targets."""
    from scipy.sparse import diags_array, eye_array
    from scipy.sparse.linalg import spsolve

    factors = np.zeros(len(targets))
    # Only ratios of the prior matter; the factors of the sums absorb a common scale.
    logs = logs - logs.max(initial=0.0)
    cost, found = _cost(logs, sums, targets, factors)
    for _ in range(_MAX_NEWTON_STEPS):
        off = sums @ found - targets
        if np.abs(off).max(initial=0.0) <= TOLERANCE:
            return found
        bend = sums @ diags_array(found) @ sums.T
        # The sums are linearly dependent (rows and columns of a table have the same total), so the Hessian is
        # singular. A small ridge makes it solvable and moves only along directions that do not change the result.
        ridge = 1e-12 * max(float(bend.diagonal().max()), 1.0)
        step = spsolve((bend + ridge * eye_array(len(targets))).tocsc(), -off)
        least = float(np.abs(off).max()) / 2
        cost, found, factors = _line_search(logs, sums, targets, factors, step, cost, float(off @ step), least)
    raise KnowledgeError(
        "the maximum-entropy solution was not found; state shares that are nearly 0 as rules of kind 'never'."
    )


def _line_search(
    logs: Numbers, sums: Any, targets: Numbers, factors: Numbers, step: Numbers, cost: float, slope: float, least: float
) -> tuple[float, Numbers, Numbers]:
    """Halve the step until the cost falls sufficiently; near the optimum, until the sums come nearer to the targets."""
    length = 1.0
    while True:
        further, found = _cost(logs, sums, targets, factors + length * step)
        # The Armijo condition. Close to the optimum the cost changes by less than its rounding error, so half the
        # previous error of the sums is accepted as well.
        well = further <= cost + 1e-4 * length * slope
        if well or length < 1e-9 or np.abs(sums @ found - targets).max() <= least:
            return further, found, factors + length * step
        length /= 2


def _cost(logs: Numbers, sums: Any, targets: Numbers, factors: Numbers) -> tuple[float, Numbers]:
    found = np.exp(np.minimum(logs + sums.T @ factors, _MAX_EXPONENT))
    return float(found.sum() - targets @ factors), found


def _number_sums(sums: Sequence[tuple[NDArray[np.int64], Numbers]]) -> tuple[NDArray[np.int64], Numbers]:
    """Number the sums that are not empty: for each kind of sum the row of every unknown, and all targets."""
    rows, targets = [], np.zeros(0)
    for place, whole in sums:
        used, number = np.unique(place, return_inverse=True)
        rows.append(number + len(targets))
        targets = np.append(targets, whole[used])
    return np.array(rows), targets
