"""A static kd-tree of places from which records are removed while it is searched by distance.

Places are in leaves of at most 32, leaves in boxes, and `LANES` neighbouring boxes form a block, which is again inside
a box. Coordinates are stored column by column inside a leaf and inside a block, so that one step of a search is a plain
loop over neighbouring numbers. When a place is removed, the last place of its leaf moves into the gap, and those sides
of the boxes that it touched shrink. Boxes are always as small as possible, so searches get faster as the tree empties.

Squared distances are sums over the columns from first to last. Bounds from boxes are summed in the same order, and
rounding preserves order, so such a bound is never on the wrong side of a distance and needs no safety margin.

Cost: O(n * columns * log n) to build; removing a place costs O(columns), and more only for the box sides it touched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.balanced_order import halve
from sfumato.runtime.representations import sizes_only

Points = NDArray[np.float64]
Numbers = NDArray[np.int32]
Cells = NDArray[np.float64]

LANES = 16
"""The number of boxes in a block."""

LEAF = 32
"""The largest number of places in a leaf."""


class ShrinkingTree(NamedTuple):
    """Places in the order of their leaves, the leaves, and the blocks of boxes above them, lowest level first."""

    rows: Points
    """Place, column: the coordinates."""
    first: Numbers
    """Place: the lowest record that is still free there; -1 if there is none."""
    following: Numbers
    """Record: the next record at its place, or -1."""
    leaf_of: Numbers
    """Place: its leaf."""
    slot_of: Numbers
    """Place: its slot in the leaf."""
    cells: Cells
    """Leaf, column, slot: the coordinates again, and in one more column the squared distance from `centre`."""
    place_at: Numbers
    """Leaf, slot: the place."""
    live: NDArray[np.int64]
    """Leaf: the number of slots in use, which are the first ones."""
    centre: Points
    """The mean of all places at the beginning."""
    low: Cells
    """Block, column, lane: the lower sides of the boxes; an empty box goes from infinity to minus infinity."""
    high: Cells
    """Block, column, lane: the upper sides."""
    under: NDArray[np.int64]
    """Block: the leaf (in the lowest blocks) or the block inside its first lane; the other lanes have the following
    ones.
    """
    over: NDArray[np.int64]
    """Block: the lane that it is inside, as block * LANES + lane; -1 for the last block, which contains everything."""
    leaf_blocks: int
    """The number of blocks whose lanes contain leaves; they come first."""
    sums: Points
    """Scratch: the squared distances of the places of one leaf, or the bounds of one block."""
    cross_terms: Points
    """Scratch: the largest cross terms of one block, for `search.farthest`."""
    stack: NDArray[np.int64]
    """Scratch: blocks that are still to be opened, and leaves as -1 - leaf."""
    bounds: Points
    """Scratch: the bound of every entry of `stack`."""

    def __repr__(self) -> str:
        return sizes_only(self)


def shrinking_tree(points: Points, first: Numbers, following: Numbers) -> ShrinkingTree:
    """The tree of the places whose lowest records are `first`; `following` has the other records of each place."""
    numbers, rounds = first.copy(), _rounds(len(first))
    rows = np.ascontiguousarray(points[first])
    halve(rows, numbers, rounds)
    # one column more than the coordinates, for the squared distance from the centre
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
    """The number of halvings after which no leaf has more than LEAF places."""
    rounds = 0
    while (places + (1 << rounds) - 1) >> rounds > LEAF:
        rounds += 1
    return rounds


def _blocks(leaves: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The content and the position of every block, as `under`, `over` and `leaf_blocks` of the tree."""
    # the number of blocks on every level, from the level above the leaves to the single block at the top
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
    """Put every place into its leaf and compute all boxes."""
    leaves = len(tree.live)
    for leaf in range(leaves):
        # leaf i of 2^h has the same places as part i of `halve`
        start, stop = leaf * len(tree.rows) // leaves, (leaf + 1) * len(tree.rows) // leaves
        tree.live[leaf] = stop - start
        for place in range(start, stop):
            tree.leaf_of[place], tree.slot_of[place] = leaf, place - start
            tree.place_at[leaf, place - start] = place
            out = 0.0
            for column in range(tree.rows.shape[1]):
                tree.cells[leaf, column, place - start] = tree.rows[place, column]
                away = tree.rows[place, column] - tree.centre[column]
                out += away * away
            tree.cells[leaf, -1, place - start] = out
        for column in range(tree.cells.shape[1]):
            _set_leaf_box(tree, leaf, column)
    # lower blocks come first, so the boxes inside a block are final when the box around it is computed
    for block in range(len(tree.under) - 1):
        for column in range(tree.cells.shape[1]):
            _set_box(tree, block, column)


@compiled
def _set_leaf_box(tree: ShrinkingTree, leaf: int, column: int) -> None:
    """Set the box of a leaf along one column, as narrow as the places in its first `live` slots allow."""
    # the whole tree is passed here and to `_set_box`: with the arrays as arguments MDAV takes a fifth longer
    values = tree.cells[leaf, column]
    low, high = np.inf, -np.inf
    for slot in range(tree.live[leaf]):
        low = values[slot] if values[slot] < low else low
        high = values[slot] if values[slot] > high else high
    tree.low[leaf // LANES, column, leaf % LANES] = low
    tree.high[leaf // LANES, column, leaf % LANES] = high


@compiled
def _set_box(tree: ShrinkingTree, block: int, column: int) -> bool:
    """Set the box around a block along one column; returns whether it has changed."""
    lows, highs, over = tree.low, tree.high, tree.over
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
    """Take the lowest free record of a place; with its last record the place is removed from the tree."""
    record = tree.first[place]
    tree.first[place] = tree.following[record]
    if tree.first[place] < 0:
        _remove(tree, place)
    return int(record)


@compiled
def _remove(tree: ShrinkingTree, place: int) -> None:
    """Remove a place from its leaf, and shrink the boxes around it."""
    leaf, slot = tree.leaf_of[place], tree.slot_of[place]
    tree.live[leaf] -= 1
    last = tree.live[leaf]
    # the last place of the leaf moves into the gap
    tree.place_at[leaf, slot] = tree.place_at[leaf, last]
    tree.slot_of[tree.place_at[leaf, last]] = slot
    block, lane = leaf // LANES, leaf % LANES
    for column in range(tree.cells.shape[1]):
        value = tree.cells[leaf, column, slot]
        tree.cells[leaf, column, slot] = tree.cells[leaf, column, last]
        # only a coordinate on the side of the box can shrink it, and a box that stays the same cannot shrink those
        # above
        if value == tree.low[block, column, lane] or value == tree.high[block, column, lane]:
            _set_leaf_box(tree, leaf, column)
            around = block
            while tree.over[around] >= 0 and _set_box(tree, around, column):
                around = tree.over[around] // LANES
