"""What somebody believes of a record after seeing its group: Bayesian inference, exact or near it.

One group is given by `value_counts[v]` records that have value v, `class_counts[c]` records of class c, and
`chances[c, v]`, how likely a record of class c was to have value v before. The answer is `found[c, v]`, how likely a
record of class c is to have value v. Scaling a column of chances changes no answer, scaling a row only that of `omega`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Histogram
from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge.entropy import NEAR, nearest_joint
from sfumato.knowledge.matching import valid_values

Numbers = NDArray[np.float64]
Way = Literal["exact", "omega", "maximum_entropy"]

WORK = 2**26
"""Steps that inferring exactly may take in one group."""

_ROUNDS = 10_000


def exact(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The Bayesian answer: every way to hand the values out counts as much as it was likely before.

    Five people with F, F, L, L and M, one of whom does not have L: he has F with 2/3.

    >>> exact([2, 2, 1], [1, 4], [[1, 0, 1], [1, 1, 1]]).round(3).tolist()
    [[0.667, 0.0, 0.333], [0.333, 0.5, 0.167]]
    """
    values, people, before = _group(value_counts, class_counts, chances)
    if np.prod(values + 1.0) * values.sum() * len(people) > WORK:
        raise UsageError(
            f"a group of {values.sum()} records with {len(values)} values and {len(people)} priors is too large to "
            "infer exactly; maximum_entropy takes groups of any size, and comes near it where every value is frequent."
        )
    found = np.zeros_like(before)
    for place in range(len(people)):
        others = people - (np.arange(len(people)) == place)
        ways = _ways(values, np.repeat(before, others, axis=0))
        for value in np.flatnonzero(before[place]).tolist():
            left = tuple((values - (np.arange(len(values)) == value)).tolist())
            found[place, value] = before[place, value] * ways.get(left, 0.0)
    return _summing_up(found)


def omega(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The Omega-estimate: each value is shared out by chance, and what a record gets is made to add up.

    Quick, and exact where all chances are equal; elsewhere it may be less sure than one can be. Of two people of whom
    one does not have the first value the other has it, and this says 3/4.

    >>> omega([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]).round(3).tolist()
    [[0.0, 1.0], [0.75, 0.25]]

    References: Li and Li (2009), modeling and integrating background knowledge; book, section 2.5.3.
    """
    values, people, before = _group(value_counts, class_counts, chances)
    return _summing_up(values * before / (people @ before))


def maximum_entropy(value_counts: Any, class_counts: Any, chances: Any) -> Numbers:
    """The expected counts nearest to the chances among those that agree with the group.

    This is what exact inference comes to where every class and every value has very many records. It is exact where
    chances are a product of a number a class and one a value, and where only one answer is possible; in small groups it
    is less sure.

    >>> maximum_entropy([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]).round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from scipy.sparse import csr_array, eye_array, kron, vstack

    values, people, before = _group(value_counts, class_counts, chances)
    every_class = kron(eye_array(len(people)), np.ones((1, len(values))))
    every_value = kron(np.ones((1, len(people))), eye_array(len(values)))
    sums = csr_array(vstack([every_class, every_value]))
    targets = np.concatenate([people, values]).astype(np.float64)
    joint = nearest_joint((people[:, None] * before).ravel(), sums, targets)
    return _summing_up(joint.reshape(before.shape))


WAYS = {"exact": exact, "omega": omega, "maximum_entropy": maximum_entropy}


def beliefs(secrets: Histogram, classes: Histogram, chances: Numbers, watched: NDArray[np.bool_], way: Way) -> Numbers:
    """For every cell of `classes` the largest belief in a watched value of its group; nan where chances contradict it.

    `secrets` counts the values of the sensitive column in every group, `classes` the classes of its records. Groups
    that are too large to infer exactly have no belief either.
    """
    from sfumato.knowledge.loops.beliefs import EXACT, MAXIMUM_ENTROPY, OMEGA, UNSETTLED, largest_beliefs

    number = {"exact": EXACT, "omega": OMEGA, "maximum_entropy": MAXIMUM_ENTROPY}[way]
    before = np.ascontiguousarray(chances, dtype=np.float64)
    most = WORK if way == "exact" else _ROUNDS
    found = largest_beliefs(*_cells(secrets), *_cells(classes), before, watched, number, most, NEAR / 10)
    if way == "exact":
        return np.where(found == UNSETTLED, np.nan, found)
    for group in np.unique(classes.group[found == UNSETTLED]).tolist():
        mine, here = (slice(counted.starts[group], counted.starts[group + 1]) for counted in (classes, secrets))
        codes = secrets.values[here]
        answer = maximum_entropy(secrets.counts[here], classes.counts[mine], before[classes.values[mine]][:, codes])
        found[mine] = (answer * watched[codes]).max(axis=1)
    return found


def _ways(values: NDArray[np.int64], rows: Numbers) -> dict[tuple[int, ...], float]:
    """How much all ways count to give each of some records a value, by how often each value is used."""
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
            f"every record has one value, every count is 1 or more, and chances say one number a class and value; got "
            f"{people.sum()} records, {values.sum()} values and chances of shape {before.shape}."
        )
    if not valid_values(values, people, before <= 0).any():
        raise KnowledgeError("what is known contradicts the group: no way to hand its values out agrees with it.")
    return values, people, before


def _summing_up(found: Numbers) -> Numbers:
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float64)


def _cells(histogram: Histogram) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """In the form that the loop was compiled for, whatever a histogram was counted with."""
    return (
        np.ascontiguousarray(histogram.starts, dtype=np.int64),
        np.ascontiguousarray(histogram.values, dtype=np.int32),
        np.ascontiguousarray(histogram.counts, dtype=np.int64),
    )
