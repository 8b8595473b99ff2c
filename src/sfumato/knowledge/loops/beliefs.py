"""The largest posterior belief in a sensitive value for every class of records, group by group.

For each group the loop gathers the chances of its classes and values, drops the values that no assignment allows, and
runs one of the inferences of `loops/posteriors.py`. The cost of a group is that of the inference; groups in which all
classes have the same chances need no inference. `knowledge/inference.py` is the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.bit_sets import Bits, add, size, words
from sfumato.kernels.compiled import compiled
from sfumato.knowledge.loops.matching import keep_valid
from sfumato.knowledge.loops.posteriors import share_by_entropy, share_by_weight, share_evenly, share_exactly

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Numbers = NDArray[np.float64]

EXACT, OMEGA, MAXIMUM_ENTROPY = 0, 1, 2
"""The numbers of the inferences."""

UNSETTLED = -1.0
"""The result for groups whose inference would take too many steps or rounds, or whose numbers are too small."""


@compiled
def largest_beliefs(
    value_starts: Counts, values: Codes, value_counts: Counts,
    class_starts: Counts, classes: Codes, class_counts: Counts,
    chances: Numbers, watched: Flags, way: int, most: int, near: float,
) -> Numbers:  # fmt: skip
    """For every cell (a group and a class of its records), the largest posterior of any watched value.

    The cells of group g are `starts[g]` to `starts[g + 1]`, for its values and for its classes; `chances[c, v]` is the
    prior probability that class c has value v. Groups that the chances contradict get nan. `most` bounds the steps of
    the exact inference and the rounds of maximum entropy, whose result must come `near`, as a share of the group.
    """
    beliefs = np.empty(len(classes))
    for group in range(len(value_starts) - 1):
        first, last = class_starts[group], class_starts[group + 1]
        begin, end = value_starts[group], value_starts[group + 1]
        some, often = values[begin:end], value_counts[begin:end]
        here = _chances(chances, classes[first:last], some, way != OMEGA)
        open_ = _possible_values(here)
        # a value with a chance above 0 may still be impossible, because the other records need it or leave it over
        keep_valid(open_, often, class_counts[first:last])
        # `keep_valid` empties all sets or none, so it is enough to look at the first class
        if size(open_[0], open_.shape[1]) == 0:
            beliefs[first:last] = np.nan
            continue
        found = np.empty(here.shape)
        if _infer(often, class_counts[first:last], here, open_, found, way, most, near):
            _largest_watched(found, some, watched, beliefs[first:last])
        else:
            beliefs[first:last] = UNSETTLED
    return beliefs


@compiled
def _infer(
    values: Counts, people: Counts, chances: Numbers, open_: Bits, found: Numbers, way: int, most: int, near: float
) -> bool:
    """Fill `found` with the posteriors of one group; False if it takes too long or numbers get too small."""
    # with equal chances the classes cannot be told apart, so every assignment is equally likely
    if _same_chances(chances):
        share_evenly(values, found)
    elif way == EXACT:
        if steps(values, len(people)) > most:
            return False
        return share_exactly(values, people, chances, found)
    elif way == OMEGA:
        share_by_weight(values, people, chances, found)
    else:
        return share_by_entropy(values, people, chances, open_, found, most, near * values.sum())
    return True


@compiled
def steps(values: Counts, classes: int) -> float:
    """The number of steps of the exact inference: one per record, class and multiset of values used so far."""
    work = float(classes * values.sum())
    for count in values:
        work *= float(count) + 1.0
    return work


@compiled
def _chances(chances: Numbers, classes: Codes, values: Codes, scaled: bool) -> Numbers:
    """The chances of the classes and values of one group; `scaled` to a maximum of 1 per class to avoid underflow."""
    here = np.empty((len(classes), len(values)))
    for place in range(len(classes)):
        for value in range(len(values)):
            here[place, value] = chances[classes[place], values[value]]
        # a factor per class cancels out in the posterior, except in that of `OMEGA`
        most = here[place].max()
        if scaled and most > 0:
            here[place] /= most
    return here


@compiled
def _possible_values(chances: Numbers) -> Bits:
    """For every class the bit set of values with a chance above 0."""
    open_ = np.zeros((len(chances), words(chances.shape[1])), dtype=np.uint64)
    for place in range(len(chances)):
        for value in range(chances.shape[1]):
            if chances[place, value] > 0:
                add(open_[place], value)
    return open_


@compiled
def _same_chances(chances: Numbers) -> bool:
    """Whether all classes of a group have the same chances."""
    for place in range(1, len(chances)):
        for value in range(chances.shape[1]):
            if chances[place, value] != chances[0, value]:
                return False
    return True


@compiled
def _largest_watched(found: Numbers, values: Codes, watched: Flags, beliefs: Numbers) -> None:
    """For every class of a group the largest posterior of a watched value, 0 if the group has none."""
    for place in range(len(found)):
        most = 0.0
        for value in range(len(values)):
            if watched[values[value]]:
                most = max(most, found[place, value])
        beliefs[place] = most
