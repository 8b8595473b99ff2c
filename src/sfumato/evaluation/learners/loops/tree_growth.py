"""Grow a decision tree over coded records by the rules of C4.5. `learners/c45.py` is the caller.

Idea: nodes are processed in order of creation. `order` is a permutation of the records in which the records of every
node are contiguous, from `start` to `stop`; splitting a node reorders its slice by branch (a counting sort), so nothing
is copied for the children. State: the columns of `Nodes`, `order`, and one tally that all columns reuse. Cost: every
level of the tree reads every record once per column, and sorts the distinct codes of numeric columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.evaluation.learners.loops.tree_splits import (
    NO_GAIN,
    Cases,
    Places,
    Sums,
    Tally,
    best_cut,
    branch_per_value,
    count,
    reset,
    sort_codes,
)
from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]

TOLERANCE = 1e-3
"""How far a gain may be below the mean gain; also the lower limit of split information."""


class Nodes(NamedTuple):
    """A tree as arrays, one entry per node. The children of a node are contiguous from `first[node]`, after the parent.

    `column` is the tested column, -1 for a leaf; `branch` is the value that leads to a node; `below` and `above` are
    the values around a numeric cut, whose two children stand for below and above. `wrong` counts the cases that are not
    of the `majority` class. `start` to `stop` is the node's slice of the record order.
    """

    column: Codes
    first: Codes
    children: Codes
    branch: Codes
    below: Codes
    above: Codes
    parent: Codes
    majority: Codes
    cases: Sums
    wrong: Sums
    start: Places
    stop: Places


def empty_nodes(records: int) -> Nodes:
    """Empty nodes to fill in: every split has at least two children, so twice the number of records is enough."""
    kinds = [np.int32] * 8 + [np.float64] * 2 + [np.int64] * 2
    return Nodes._make(np.full(max(2 * records, 1), -1, dtype=kind) for kind in kinds)


@compiled
def grow(cases: Cases, classes: int, fewest: float, many: Flags, nodes: Nodes, tally: Tally) -> int:
    """Fill in the nodes of the unpruned tree and return their number.

    Nodes `done` to `made` wait to be split. `whole` is the weight per class in the current node, and `tests[column]`
    holds gain, split information and the two values around the cut. Columns in `many` do not enter the mean gain.
    """
    order = np.arange(len(cases.classes))
    nodes.start[0], nodes.stop[0] = 0, len(order)
    done, made = 0, 1
    tests = np.empty((len(cases.codes), 4))
    while done < made:
        # a view, so that `_split` reorders the slice of `order` itself
        rows = order[nodes.start[done] : nodes.stop[done]]
        whole = np.zeros(classes)
        for row in rows:
            whole[cases.classes[row]] += cases.weights[row]
        nodes.majority[done] = np.argmax(whole)
        nodes.cases[done] = whole.sum()
        nodes.wrong[done] = whole.sum() - whole.max()
        # a node of one class has nothing to learn, and a split needs `fewest` cases on two sides
        if nodes.wrong[done] > 0 and nodes.cases[done] >= 2 * fewest:
            _rate_columns(cases, rows, whole, fewest, _testable(cases, nodes, done), tests, tally)
            chosen = _choose(tests, many)
            if chosen >= 0:
                made = _split(cases, rows, done, chosen, tests[chosen], nodes, made, tally)
        done += 1
    return made


@compiled
def _testable(cases: Cases, nodes: Nodes, node: int) -> Flags:
    """The columns that may be tested at a node: a column of names only once on a path."""
    free = np.ones(len(cases.codes), dtype=np.bool_)
    above = nodes.parent[node]
    while above >= 0:
        column = nodes.column[above]
        free[column] = cases.numeric[column]
        above = nodes.parent[above]
    return free


@compiled
def _rate_columns(
    cases: Cases, rows: Places, whole: Sums, fewest: float, free: Flags, tests: Sums, tally: Tally
) -> None:
    """Fill `tests` with gain, split information and cut of every column that may be tested."""
    for column in range(len(tests)):
        tests[column] = -1.0
        if free[column]:
            found = count(cases, column, rows, tally)
            if cases.numeric[column]:
                answer = best_cut(tally, found, whole, fewest)
            else:
                answer = branch_per_value(tally, found, whole, fewest)
            tests[column, 0], tests[column, 1], tests[column, 2], tests[column, 3] = answer
            reset(tally, found)


@compiled
def _choose(tests: Sums, many: Flags) -> int:
    """The column of the highest gain ratio among those whose gain is not below the mean; -1 if none gains."""
    # C4.5 maximizes the gain ratio only among tests of at least average gain, because the ratio
    # favours tests that split off very few cases
    total, averaged = 0.0, 0
    every = many.all()
    for column in range(len(tests)):
        if tests[column, 0] > NO_GAIN and (every or not many[column]):
            total += tests[column, 0]
            averaged += 1
    least = total / averaged - TOLERANCE if averaged else np.inf
    chosen, best = -1, 0.0
    for column in range(len(tests)):
        gain, information = tests[column, 0], tests[column, 1]
        if gain > NO_GAIN and gain >= least and information > TOLERANCE and gain / information > best + NO_GAIN:
            chosen, best = column, gain / information
    return chosen


@compiled
def _split(
    cases: Cases, rows: Places, node: int, column: int, test: Sums, nodes: Nodes, made: int, tally: Tally
) -> int:
    """Create the children of a node and sort its rows by child; returns the new number of nodes.

    `side[i]` is the child of the i-th row, `ends[c]` the next free position of child c in the node's slice.
    """
    side = np.empty(len(rows), dtype=np.int64)
    if cases.numeric[column]:
        children = _sides(cases.codes[column], cases.weights, rows, test[2], side)
        nodes.below[node], nodes.above[node] = int(test[2]), int(test[3])
        nodes.branch[made], nodes.branch[made + 1] = 0, 1
    else:
        children = count(cases, column, rows, tally)
        sort_codes(tally, children)
        # branches in ascending order of their values, so that a prediction finds its branch by binary search
        for place in range(children):
            tally.slot[tally.present[place]] = place
        for place in range(len(rows)):
            side[place] = tally.slot[cases.codes[column, rows[place]]]
        nodes.branch[made : made + children] = tally.present[:children]
        reset(tally, children)
    nodes.column[node], nodes.first[node], nodes.children[node] = column, made, children
    # counting sort: count the rows of each child, one place too high; the running sums are where the children begin
    ends = np.zeros(children + 1, dtype=np.int64)
    for place in range(len(rows)):
        ends[side[place] + 1] += 1
    ends = np.cumsum(ends)
    nodes.parent[made : made + children] = node
    nodes.start[made : made + children] = nodes.start[node] + ends[:-1]
    nodes.stop[made : made + children] = nodes.start[node] + ends[1:]
    # rows keep their order inside a child
    before = rows.copy()
    for place in range(len(rows)):
        rows[ends[side[place]]] = before[place]
        ends[side[place]] += 1
    return made + children


@compiled
def _sides(codes: Codes, weights: Sums, rows: Places, low: float, side: Places) -> int:
    """Fill `side` with 0 below the cut and 1 above it; a missing number follows the larger weight. Returns 2."""
    # the weight above the cut less the weight below it, without missing numbers
    heavy = 0.0
    for place in range(len(rows)):
        code = codes[rows[place]]
        side[place] = code > low
        if code >= 0:
            heavy += weights[rows[place]] if code > low else -weights[rows[place]]
    for place in range(len(rows)):
        if codes[rows[place]] < 0:
            side[place] = heavy > 0
    return 2
