"""Grow a decision tree over coded records by the rules of C4.5, node after node."""

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
    branches,
    count,
    cut,
    forget,
    put_in_order,
)
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]

TOLERANCE = 1e-3
"""How far below the mean a gain may lie, and what split information must exceed."""


class Nodes(NamedTuple):
    """A tree as columns; the children of a node are `first[node]` and those after it, and come after their parent.

    `column` is -1 for a leaf; `branch` is the value that leads to a node, `below` and `above` the values around a
    numeric cut, whose two children stand for below and above. `wrong` counts the cases not of the `majority` class.
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


def room_to_grow(records: int) -> Nodes:
    """Nodes to be filled in: every split has two children or more, so twice as many as records are enough."""
    kinds = [np.int32] * 8 + [np.float64] * 2 + [np.int64] * 2
    return Nodes._make(np.full(max(2 * records, 1), -1, dtype=kind) for kind in kinds)


@compiled
def grow(cases: Cases, classes: int, fewest: float, many: NDArray[np.bool_], nodes: Nodes, tally: Tally) -> int:
    """Fill in the nodes of the unpruned tree; says how many there are. Columns marked in `many` are not averaged."""
    order = np.arange(len(cases.classes))
    nodes.start[0], nodes.stop[0] = 0, len(order)
    done, made = 0, 1
    tests = np.empty((len(cases.codes), 4))
    while done < made:
        rows = order[nodes.start[done] : nodes.stop[done]]
        whole = np.zeros(classes)
        for row in rows:
            whole[cases.classes[row]] += cases.weights[row]
        nodes.majority[done] = np.argmax(whole)
        nodes.cases[done] = whole.sum()
        nodes.wrong[done] = whole.sum() - whole.max()
        if nodes.wrong[done] > 0 and nodes.cases[done] >= 2 * fewest:
            _weigh(cases, rows, whole, fewest, _free(cases, nodes, done), tests, tally)
            chosen = _choose(tests, many)
            if chosen >= 0:
                made = _split(cases, rows, done, chosen, tests[chosen], nodes, made, tally)
        done += 1
    return made


@compiled
def _free(cases: Cases, nodes: Nodes, node: int) -> NDArray[np.bool_]:
    """The columns that may be tested: a nominal one only once on a path."""
    free = np.ones(len(cases.codes), dtype=np.bool_)
    above = nodes.parent[node]
    while above >= 0:
        column = nodes.column[above]
        free[column] = cases.numeric[column]
        above = nodes.parent[above]
    return free


@compiled
def _weigh(
    cases: Cases, rows: Places, whole: Sums, fewest: float, free: NDArray[np.bool_], tests: Sums, tally: Tally
) -> None:
    """Gain, split information and cut of every column that may be tested."""
    for column in range(len(tests)):
        tests[column] = -1.0
        if free[column]:
            found = count(cases, column, rows, tally)
            if cases.numeric[column]:
                answer = cut(tally, found, whole, fewest)
            else:
                answer = branches(tally, found, whole, fewest)
            tests[column, 0], tests[column, 1], tests[column, 2], tests[column, 3] = answer
            forget(tally, found)


@compiled
def _choose(tests: Sums, many: NDArray[np.bool_]) -> int:
    """The test of the highest gain ratio among those that gain no less than the mean; -1 where none gains."""
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
    """Give the node its children, and put its rows in their order; says how many nodes there are now."""
    side = np.empty(len(rows), dtype=np.int64)
    if cases.numeric[column]:
        children = _sides(cases.codes[column], cases.weights, rows, test[2], side)
        nodes.below[node], nodes.above[node] = int(test[2]), int(test[3])
        nodes.branch[made], nodes.branch[made + 1] = 0, 1
    else:
        children = count(cases, column, rows, tally)
        put_in_order(tally, children)
        for place in range(children):
            tally.slot[tally.present[place]] = place
        for place in range(len(rows)):
            side[place] = tally.slot[cases.codes[column, rows[place]]]
        nodes.branch[made : made + children] = tally.present[:children]
        forget(tally, children)
    nodes.column[node], nodes.first[node], nodes.children[node] = column, made, children
    ends = np.zeros(children + 1, dtype=np.int64)
    for place in range(len(rows)):
        ends[side[place] + 1] += 1
    ends = np.cumsum(ends)
    nodes.parent[made : made + children] = node
    nodes.start[made : made + children] = nodes.start[node] + ends[:-1]
    nodes.stop[made : made + children] = nodes.start[node] + ends[1:]
    before = rows.copy()
    for place in range(len(rows)):
        rows[ends[side[place]]] = before[place]
        ends[side[place]] += 1
    return made + children


@compiled
def _sides(codes: Codes, weights: Sums, rows: Places, low: float, side: Places) -> int:
    """0 below the cut and 1 above it; a missing number goes where most of the others go."""
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
