"""Posterior beliefs of an attacker who knows a prior and sees a group: Bayesian inference, exact or approximate.

One group is described by `value_counts[v]` records with value v, `class_counts[c]` records of class c, and the prior
`chances[c, v]`, the probability that a record of class c has value v. The result `found[c, v]` is the posterior
probability that a record of class c has value v. Scaling a column of chances changes no result; scaling a row changes
only that of `omega`. The functions for one group are plain and explain a result; `beliefs` runs compiled loops over all
groups and is what models call.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Histogram
from sfumato.errors import KnowledgeError, UsageError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.entropy import TOLERANCE, nearest_joint
from sfumato.knowledge.matching import valid_values

Numbers = NDArray[np.float64]
Way = Literal["exact", "omega", "maximum_entropy"]

MAX_STEPS = 2**26
"""Number of steps that exact inference may take in one group."""

_MAX_ROUNDS = 10_000
_BALANCING_ROUNDS = 500
_TOO_SMALL = 1e-100
"""Weights whose sum is below this may have lost terms that floating point cannot hold; see `loops/posteriors.py`."""


def exact(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The Bayesian posterior: every assignment of the values to the records is weighted by its prior probability.

    Five persons have F, F, L, L and M, and one of them is known not to have L: that person has F with probability 2/3.

    >>> exact([2, 2, 1], [1, 4], [[1, 0, 1], [1, 1, 1]]).round(3).tolist()
    [[0.667, 0.0, 0.333], [0.333, 0.5, 0.167]]
    """
    values, people, before = _group(value_counts, class_counts, chances)
    if np.prod(values + 1.0) * values.sum() * len(people) > MAX_STEPS:
        raise UsageError(
            f"a group of {values.sum()} records with {len(values)} values and {len(people)} priors is too large for "
            "exact inference; maximum_entropy takes groups of any size and is close to it if every value is frequent."
        )
    found, likely = np.zeros_like(before), _balanced(values, people, before)
    for place in range(len(people)):
        # One record of the class is the victim. The other records take all values but one, in every possible way.
        others = people - (np.arange(len(people)) == place)
        ways = _ways(values, np.repeat(likely, others, axis=0))
        for value in np.flatnonzero(likely[place]).tolist():
            # If the victim has this value, the others use up exactly the rest.
            left = tuple((values - (np.arange(len(values)) == value)).tolist())
            found[place, value] = likely[place, value] * ways.get(left, 0.0)
    if not (found.sum(axis=1) >= _TOO_SMALL).all():  # also if a number is not a number
        raise UsageError(
            f"the chances of a group of {values.sum()} records are too extreme for exact inference in floating point; "
            "maximum_entropy takes them."
        )
    return _normalize_rows(found)


def omega(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The Omega-estimate: distribute each value in proportion to the chances, then scale every record to a sum of 1.

    It is fast, and exact if all chances are equal; otherwise it may underestimate what an attacker can conclude. If one
    of two persons cannot have the first value, the other one has it for certain, but the estimate is 3/4.

    >>> omega([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]).round(3).tolist()
    [[0.0, 1.0], [0.75, 0.25]]

    References: Li and Li (2009), modeling and integrating background knowledge; book, section 2.5.3.
    """
    values, people, before = _group(value_counts, class_counts, chances)
    return _normalize_rows(values * before / (people @ before))


def maximum_entropy(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The expected counts nearest to the chances among those that agree with the counts of the group.

    Exact inference converges to this if every class and every value has very many records. It is exact if the chances
    are a product of one factor per class and one per value, or if only one answer is possible. In small groups it may
    underestimate what an attacker can conclude.

    >>> maximum_entropy([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]).round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from scipy.sparse import csr_array, eye_array, kron, vstack

    values, people, before = _group(value_counts, class_counts, chances)
    every_class = kron(eye_array(len(people)), np.ones((1, len(values))))
    every_value = kron(np.ones((1, len(people))), eye_array(len(values)))
    sums = csr_array(vstack([every_class, every_value]))
    # Row sums are the sizes of the classes, column sums the counts of the values.
    targets = np.concatenate([people, values]).astype(np.float64)
    joint = nearest_joint((people[:, None] * before).ravel(), sums, targets)
    return _normalize_rows(joint.reshape(before.shape))


WAYS = {"exact": exact, "omega": omega, "maximum_entropy": maximum_entropy}


def beliefs(secrets: Histogram, classes: Histogram, chances: Numbers, watched: Flags, way: Way) -> Numbers:
    """For every cell of `classes` the largest posterior of a watched value; nan where the chances contradict the group.

    `secrets` counts the values of the sensitive column in every group, `classes` the classes of its records. Groups
    that are too large or too unlikely for exact inference have nan, too. Groups for which the compiled loop does not
    converge to the maximum entropy are solved one by one with `maximum_entropy`.
    """
    from sfumato.knowledge.loops.beliefs import EXACT, MAXIMUM_ENTROPY, OMEGA, UNSETTLED, largest_beliefs

    number = {"exact": EXACT, "omega": OMEGA, "maximum_entropy": MAXIMUM_ENTROPY}[way]
    before = np.ascontiguousarray(chances, dtype=np.float64)
    most = MAX_STEPS if way == "exact" else _MAX_ROUNDS
    found = largest_beliefs(*_cells(secrets), *_cells(classes), before, watched, number, most, TOLERANCE / 10)
    if way == "exact":
        return np.where(found == UNSETTLED, np.nan, found)
    # The loop scales rows and columns in turn, which converges slowly near zeros; the Newton method does not.
    for group in np.unique(classes.group[found == UNSETTLED]).tolist():
        mine, here = (slice(counted.starts[group], counted.starts[group + 1]) for counted in (classes, secrets))
        codes = secrets.values[here]
        answer = maximum_entropy(secrets.counts[here], classes.counts[mine], before[classes.values[mine]][:, codes])
        found[mine] = (answer * watched[codes]).max(axis=1)
    return found


def _balanced(values: NDArray[np.int64], people: NDArray[np.int64], chances: Numbers) -> Numbers:
    """Chances with factors per class and per value, which cancel out, that make the counts of the group likely.

    Without them, the weights of large groups that the chances make unlikely are too small for floating point.
    """
    likely = chances.copy()
    with np.errstate(all="ignore"):  # `exact` refuses what comes of numbers that are too small to divide by
        for _ in range(_BALANCING_ROUNDS):
            likely *= values / (people @ likely)
            likely /= likely.sum(axis=1, keepdims=True)
    return likely


def _ways(values: NDArray[np.int64], rows: Numbers) -> dict[tuple[int, ...], float]:
    """The total weight of all assignments of values to some records, by how often each value is used."""
    ways = {(0,) * len(values): 1.0}
    for row in rows:
        further: dict[tuple[int, ...], float] = {}
        for used, weight in ways.items():
            for value in np.flatnonzero((row > 0) & (np.array(used) < values)).tolist():
                more = (*used[:value], used[value] + 1, *used[value + 1 :])
                further[more] = further.get(more, 0.0) + weight * float(row[value])
        ways = further
    return ways


def _group(
    value_counts: Any, class_counts: Any, chances: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    values, people = np.asarray(value_counts, dtype=np.int64), np.asarray(class_counts, dtype=np.int64)
    before = np.asarray(chances, dtype=np.float64)
    counted = values.sum() == people.sum() and min(values.min(initial=1), people.min(initial=1)) >= 1
    if not counted or before.shape != (len(people), len(values)):
        raise UsageError(
            f"every record must have one value, every count must be 1 or more, and chances must have one number per "
            f"class and value; got {people.sum()} records, {values.sum()} values and chances of shape {before.shape}."
        )
    # All ways of inference divide by totals that are 0 if no assignment is possible.
    if not valid_values(values, people, before <= 0).any():
        raise KnowledgeError("the knowledge contradicts the group: no assignment of its values agrees with it.")
    return values, people, before


def _normalize_rows(found: Numbers) -> Numbers:
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float64)


def _cells(histogram: Histogram) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """The arrays of a histogram with the types that the loop was compiled for."""
    return (
        np.ascontiguousarray(histogram.starts, dtype=np.int64),
        np.ascontiguousarray(histogram.values, dtype=np.int32),
        np.ascontiguousarray(histogram.counts, dtype=np.int64),
    )
