"""How sure one can be of the value of a record, group after group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bit_sets import Bits, add, size, words
from sfumato.kernels.compiled import compiled
from sfumato.knowledge.loops.matching import narrow
from sfumato.knowledge.loops.posteriors import share_by_entropy, share_by_weight, share_evenly, share_exactly

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]

EXACT, OMEGA, MAXIMUM_ENTROPY = 0, 1, 2
"""The ways to infer."""

UNSETTLED = -1.0
"""Said of groups whose beliefs would take too long to find."""


@compiled
def largest_beliefs(
    value_starts: Counts, values: Codes, value_counts: Counts,
    class_starts: Counts, classes: Codes, class_counts: Counts,
    chances: Numbers, watched: Mask, way: int, most: int, near: float,
) -> Numbers:  # fmt: skip
    """For every cell of a group and a class of its records, the largest belief in any value that is watched.

    The cells of group g are `starts[g]` to `starts[g + 1]`, of its values and of its classes; `chances[c, v]` is how
    likely class c was to have value v before. Groups that the chances contradict have no belief (nan). `most` steps are
    taken to be exact, `most` rounds to come `near` the largest entropy, as a share of the group.
    """
    beliefs = np.empty(len(classes))
    for group in range(len(value_starts) - 1):
        first, last = class_starts[group], class_starts[group + 1]
        begin, end = value_starts[group], value_starts[group + 1]
        some, often = values[begin:end], value_counts[begin:end]
        here = _chances(chances, classes[first:last], some, way != OMEGA)
        open_ = _open(here)
        narrow(open_, often, class_counts[first:last])
        if size(open_[0], open_.shape[1]) == 0:
            beliefs[first:last] = np.nan
            continue
        found = np.empty(here.shape)
        if _infer(often, class_counts[first:last], here, open_, found, way, most, near):
            _largest(found, some, watched, beliefs[first:last])
        else:
            beliefs[first:last] = UNSETTLED
    return beliefs


@compiled
def _infer(
    values: Counts, people: Counts, chances: Numbers, open_: Bits, found: Numbers, way: int, most: int, near: float
) -> bool:
    if _alike(chances):
        share_evenly(values, found)
    elif way == EXACT:
        if steps(values, len(people)) > most:
            return False
        share_exactly(values, people, chances, found)
    elif way == OMEGA:
        share_by_weight(values, people, chances, found)
    else:
        return share_by_entropy(values, people, chances, open_, found, most, near * values.sum())
    return True


@compiled
def steps(values: Counts, classes: int) -> float:
    """How much work it is to look at every way to hand values out, all that are alike taken together."""
    work = float(classes * values.sum())
    for count in values:
        work *= float(count) + 1.0
    return work


@compiled
def _chances(chances: Numbers, classes: Codes, values: Codes, scaled: bool) -> Numbers:
    """What was likely of the values of a group; `scaled` to 1 for each class, which keeps products far from 0."""
    here = np.empty((len(classes), len(values)))
    for place in range(len(classes)):
        for value in range(len(values)):
            here[place, value] = chances[classes[place], values[value]]
        most = here[place].max()
        if scaled and most > 0:
            here[place] /= most
    return here


@compiled
def _open(chances: Numbers) -> Bits:
    """For every class the set of values that are possible."""
    open_ = np.zeros((len(chances), words(chances.shape[1])), dtype=np.uint64)
    for place in range(len(chances)):
        for value in range(chances.shape[1]):
            if chances[place, value] > 0:
                add(open_[place], value)
    return open_


@compiled
def _alike(chances: Numbers) -> bool:
    for place in range(1, len(chances)):
        for value in range(chances.shape[1]):
            if chances[place, value] != chances[0, value]:
                return False
    return True


@compiled
def _largest(found: Numbers, values: Codes, watched: Mask, beliefs: Numbers) -> None:
    for place in range(len(found)):
        most = 0.0
        for value in range(len(values)):
            if watched[values[value]]:
                most = max(most, found[place, value])
        beliefs[place] = most
