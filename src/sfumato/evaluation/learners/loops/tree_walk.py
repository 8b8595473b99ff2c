"""Predict: find the node of a decision tree where each record ends. `learners/tree.py` is the caller.

One walk from the root per record; a test of names finds its branch by binary search, so a record costs the depth of the
tree times the logarithm of the branches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.evaluation.learners.loops.tree_growth import Nodes
from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]


@compiled
def walk(codes: Codes, numeric: Flags, nodes: Nodes) -> Codes:
    """The node where every record (a column of `codes`) ends: a leaf, or the node that has no branch for its value."""
    ends = np.empty(codes.shape[1], dtype=np.int32)
    for record in range(codes.shape[1]):
        node = 0
        while nodes.column[node] >= 0:
            column = nodes.column[node]
            code = codes[column, record]
            child = _side_of_cut(nodes, node, code) if numeric[column] else _branch(nodes, node, code)
            # a name that no training record had at this node: the node itself decides
            if child < 0:
                break
            node = child
        ends[record] = node
    return ends


@compiled
def _side_of_cut(nodes: Nodes, node: int, code: int) -> int:
    """The child on the record's side of a cut; a missing number goes to the child with more training cases."""
    first = int(nodes.first[node])
    right = code > nodes.below[node] if code >= 0 else nodes.cases[first + 1] > nodes.cases[first]
    return first + 1 if right else first


@compiled
def _branch(nodes: Nodes, node: int, code: int) -> int:
    """The child for a value, by binary search; -1 if there is none."""
    low = int(nodes.first[node])
    stop = low + int(nodes.children[node])
    high = stop
    while low < high:
        middle = (low + high) // 2
        if nodes.branch[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < stop and nodes.branch[low] == code else -1
