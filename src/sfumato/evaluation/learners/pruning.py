"""Pessimistic pruning (Quinlan): replace branches by a leaf where they are not expected to err less. C4.5 calls it."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.evaluation.learners.loops.tree_growth import Nodes

Sums = NDArray[np.float64]

LEAF_BONUS = 0.1
"""A leaf may have this many more expected errors than the branches it replaces."""

_ROUNDING = 1e-3
"""Errors of a leaf and of its branches that differ by less are equal."""
_TAILS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
"""Tail probabilities of the normal distribution and their deviates, as C4.5 tabulates them."""


def prune(nodes: Nodes, confidence: float) -> Nodes:
    """The tree with leaves in place of branches that do not err less, or are not expected to.

    First, a node becomes a leaf if its branches make as many errors in training as the leaf would. Then, from the
    bottom up, a node becomes a leaf if `wrong + added_errors` of the leaf is at most that of its branches plus a bonus.
    """
    column = nodes.column.copy()
    _make_leaves(nodes, column, nodes.wrong, _ROUNDING)
    _make_leaves(nodes, column, nodes.wrong + added_errors(nodes.cases, nodes.wrong, confidence), LEAF_BONUS)
    return nodes._replace(column=column)


def added_errors(cases: Sums, wrong: Sums, confidence: float) -> Sums:
    """How many errors, beyond those seen in training, a leaf is expected to make among as many new cases.

    It is the upper confidence limit of a binomial proportion at `confidence`: exact if no error was seen, in the normal
    approximation with a continuity correction for one error or more, and interpolated in between.

    >>> added_errors(np.array([6.0, 9.0, 1.0]), np.zeros(3), 0.25).round(3).tolist()
    [1.238, 1.285, 0.75]
    """
    total = np.maximum(cases, 1e-9)
    none = total * (1 - np.exp(log(confidence) / total))
    few = none + wrong * (_many(total, np.ones_like(wrong), confidence) - none)
    return np.where(wrong < 0.9999, np.where(wrong < 1e-6, none, few), _many(total, wrong, confidence))


def deviate(confidence: float) -> float:
    """The normal deviate that is exceeded with probability `confidence`, interpolated in the table of C4.5."""
    return float(np.interp(confidence, _TAILS, _DEVIATES))


def _many(cases: Sums, wrong: Sums, confidence: float) -> Sums:
    square = deviate(confidence) ** 2
    seen = wrong + 0.5
    inner = np.maximum(seen * (1 - seen / cases), 0.0)
    share = (seen + square / 2 + np.sqrt(square * (inner + square / 4))) / (cases + square)
    return np.where(seen >= cases, 0.67 * (cases - wrong), cases * share - wrong)


def _make_leaves(nodes: Nodes, column: NDArray[np.int32], as_leaf: Sums, bonus: float) -> None:
    """Turn nodes into leaves (-1 in `column`) where a leaf is as good as the branches.

    Goes from the last node to the first, because children come after their parents.
    """
    errors = as_leaf.copy()
    for node in np.flatnonzero(column >= 0)[::-1].tolist():
        first = nodes.first[node]
        branches = errors[first : first + nodes.children[node]].sum()
        if as_leaf[node] <= branches + bonus:
            column[node] = -1
        else:
            errors[node] = branches
