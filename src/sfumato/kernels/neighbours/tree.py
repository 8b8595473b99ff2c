"""Places that can be searched by distance while they are taken away: a static kd-tree whose boxes shrink.

Places lie in leaves of a few dozen, leaves in boxes, boxes in boxes, always `LANES` side by side. Coordinates are
stored column by column inside a leaf and inside a block of boxes, so that one step of a search is a straight loop over
neighbours. Taking a place away fills its gap with the leaf's last place and shrinks those sides of the boxes that it
had touched.

Squared distances are sums over the columns from first to last. Bounds from boxes are summed in the same order, and
rounding keeps order, so no bound is ever on the wrong side of a distance and the search needs no safety margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.balanced_order import halve

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Cells = NDArray[np.float64]

LANES = 16
"""How many boxes lie side by side in a block."""

LEAF = 32
"""How many places a leaf holds at most."""


class ShrinkingTree(NamedTuple):
    """Places in the order of their leaves, the leaves, and the blocks of boxes above them, lowest first."""

    rows: Points
    """Coordinates of every place."""
    first: Numbers
    """The lowest record still free at every place; -1 where none is."""
    following: Numbers
    """For every record the next one at its place, or -1."""
    leaf_of: Numbers
    """In which leaf a place lies."""
    slot_of: Numbers
    """In which slot of it."""
    cells: Cells
    """Leaf, column, slot: coordinates again."""
    held: Numbers
    """Leaf, slot: which place."""
    live: NDArray[np.int64]
    """How many slots of a leaf are in use."""
    centre: Points
    """The mean of all places at the beginning; the last column of `cells` holds squared distances from it."""
    low: Cells
    """Block, column, lane: the lower sides of boxes; an empty box is from infinity to minus infinity."""
    high: Cells
    """The upper sides."""
    under: NDArray[np.int64]
    """The leaf (for the lowest blocks) or block inside a block's first lane; the others follow."""
    over: NDArray[np.int64]
    """The lane that a block is inside, counted through all blocks; -1 for the last block, which holds everything."""
    leaf_blocks: int
    """How many blocks hold leaves."""
    sums: Points
    """Scratch: squared distances of one leaf, or bounds of one block."""
    leaning: Points
    """Scratch: a part of other bounds of one block."""
    stack: NDArray[np.int64]
    """Scratch: blocks, or leaves as -1 - leaf, still to be looked into."""
    bounds: Points
    """Scratch: what can be found in them at best."""


def shrinking_tree(points: Points, first: Numbers, following: Numbers) -> ShrinkingTree:
    """The tree of the places of `first`, where `following` says who else is there."""
    numbers, rounds = first.copy(), _rounds(len(first))
    rows = np.ascontiguousarray(points[first])
    halve(rows, numbers, rounds)
    leaves, columns = 1 << rounds, points.shape[1] + 1
    under, over, leaf_blocks = _blocks(leaves)
    sides = (len(under), columns, LANES)
    tree = ShrinkingTree(
        rows, numbers, following, np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.int32),
        np.zeros((leaves, columns, LEAF)), np.zeros((leaves, LEAF), dtype=np.int32), np.zeros(leaves, dtype=np.int64),
        rows.mean(axis=0), np.full(sides, np.inf), np.full(sides, -np.inf), under, over, leaf_blocks,
        np.zeros(max(LEAF, LANES)), np.zeros(LANES), np.zeros(32 * LANES, dtype=np.int64), np.zeros(32 * LANES),
    )  # fmt: skip
    _fill(tree)
    return tree


def _rounds(places: int) -> int:
    rounds = 0
    while (places + (1 << rounds) - 1) >> rounds > LEAF:
        rounds += 1
    return rounds


def _blocks(leaves: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """What lies inside and around every block."""
    sizes = [-(-leaves // LANES)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // LANES))
    starts = np.cumsum([0, *sizes])
    inside = [LANES * np.arange(size) for size in sizes]
    under = [inside[0], *(start + lanes for start, lanes in zip(starts, inside[1:], strict=False))]
    over = [LANES * start + np.arange(size) for start, size in zip(starts[1:], sizes[:-1], strict=False)]
    return np.concatenate(under), np.concatenate([*over, np.array([-1])]), sizes[0]


@compiled
def _fill(tree: ShrinkingTree) -> None:
    """Put every place into its leaf and draw all boxes."""
    leaves = len(tree.live)
    for leaf in range(leaves):
        start, stop = leaf * len(tree.rows) // leaves, (leaf + 1) * len(tree.rows) // leaves
        tree.live[leaf] = stop - start
        for place in range(start, stop):
            tree.leaf_of[place], tree.slot_of[place] = leaf, place - start
            tree.held[leaf, place - start] = place
            out = 0.0
            for column in range(tree.rows.shape[1]):
                tree.cells[leaf, column, place - start] = tree.rows[place, column]
                away = tree.rows[place, column] - tree.centre[column]
                out += away * away
            tree.cells[leaf, -1, place - start] = out
        for column in range(tree.cells.shape[1]):
            _redraw_leaf(tree.cells, tree.low, tree.high, leaf, column, tree.live[leaf])
    for block in range(len(tree.under) - 1):
        for column in range(tree.cells.shape[1]):
            _redraw(tree.low, tree.high, tree.over, block, column)


@compiled
def _redraw_leaf(cells: Cells, lows: Cells, highs: Cells, leaf: int, column: int, live: int) -> None:
    """The box of a leaf along one column, as narrow as its places allow."""
    values = cells[leaf, column]
    low, high = np.inf, -np.inf
    for slot in range(live):
        low = values[slot] if values[slot] < low else low
        high = values[slot] if values[slot] > high else high
    lows[leaf // LANES, column, leaf % LANES] = low
    highs[leaf // LANES, column, leaf % LANES] = high


@compiled
def _redraw(lows: Cells, highs: Cells, over: NDArray[np.int64], block: int, column: int) -> bool:
    """The box around a block along one column; whether it has changed."""
    inner_lows, inner_highs = lows[block, column], highs[block, column]
    low, high = np.inf, -np.inf
    for lane in range(LANES):
        low = inner_lows[lane] if inner_lows[lane] < low else low
        high = inner_highs[lane] if inner_highs[lane] > high else high
    above, lane = over[block] // LANES, over[block] % LANES
    changed = lows[above, column, lane] != low or highs[above, column, lane] != high
    lows[above, column, lane], highs[above, column, lane] = low, high
    return bool(changed)


@compiled
def take_first(tree: ShrinkingTree, place: int) -> int:
    """Take the lowest free record of a place; the place itself leaves the tree with its last record."""
    record = tree.first[place]
    tree.first[place] = tree.following[record]
    if tree.first[place] < 0:
        _remove(tree, place)
    return int(record)


@compiled
def _remove(tree: ShrinkingTree, place: int) -> None:
    leaf, slot = tree.leaf_of[place], tree.slot_of[place]
    tree.live[leaf] -= 1
    last = tree.live[leaf]
    tree.held[leaf, slot] = tree.held[leaf, last]
    tree.slot_of[tree.held[leaf, last]] = slot
    block, lane = leaf // LANES, leaf % LANES
    for column in range(tree.cells.shape[1]):
        value = tree.cells[leaf, column, slot]
        tree.cells[leaf, column, slot] = tree.cells[leaf, column, last]
        if value == tree.low[block, column, lane] or value == tree.high[block, column, lane]:
            _redraw_leaf(tree.cells, tree.low, tree.high, leaf, column, last)
            around = block
            while tree.over[around] >= 0 and _redraw(tree.low, tree.high, tree.over, around, column):
                around = tree.over[around] // LANES
