"""The places nearest to a point and the place farthest from it, among those left in a `ShrinkingTree`.

Both searches are branch and bound: a stack has the boxes that are still to be opened, with a bound on the distance of
the places inside, the most promising on top. A box whose bound is worse than the result so far is skipped. A box with
an equal bound is opened, because of equally good places the one with the lowest record is the answer. In few columns a
search opens a small number of boxes; in the worst case it looks at all places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.tree import LANES, ShrinkingTree

Point = NDArray[np.float64]
Numbers = NDArray[np.int32]

NO_RECORD = np.iinfo(np.int32).max
"""A record number higher than all others."""


@compiled
def farthest(tree: ShrinkingTree, query: Point) -> int:
    """The place farthest from a point; of several the one with the lowest record; -1 in an empty tree.

    Bounds are negated distances here, so that the lowest bound is the most promising one in both searches.
    """
    best, lowest, found = -1.0, NO_RECORD, -1
    # the last block has the boxes of the whole tree
    tree.stack[0], tree.bounds[0] = len(tree.under) - 1, -np.inf
    top = 1
    while top:
        top -= 1
        at = tree.stack[top]
        if tree.bounds[top] > -best:
            continue
        # a block of boxes: compute the bounds of its lanes and push those that can still win
        if at >= 0:
            _bound_far(tree.low[at], tree.high[at], tree.centre, query, tree.sums, tree.cross_terms)
            top = _push_boxes(tree, at, -best, top)
            continue
        # a leaf: compute the distances of all its places
        leaf = -1 - at
        _leaf_distances(tree.cells[leaf], tree.live[leaf], query, tree.sums)
        for slot in range(tree.live[leaf]):
            if tree.sums[slot] >= best:
                place = tree.place_at[leaf, slot]
                if tree.sums[slot] > best or tree.first[place] < lowest:
                    best, lowest, found = tree.sums[slot], tree.first[place], place
    return found


@compiled
def nearest(tree: ShrinkingTree, query: Point, distances: Point, records: Numbers, places: Numbers) -> int:
    """Fill the arrays with the places nearest to a point, nearest first, then lowest record; returns their number.

    During the search the arrays are a heap with the worst of the best places at position 0, at first all at infinity.
    So `distances[0]` is the distance that a place must not exceed.
    """
    wanted = len(places)
    for at in range(wanted):
        distances[at], records[at] = np.inf, NO_RECORD
    tree.stack[0], tree.bounds[0] = len(tree.under) - 1, 0.0
    top = 1 if wanted else 0
    while top:
        top -= 1
        at = tree.stack[top]
        # nothing in this box can be nearer than the worst of the places found so far
        if tree.bounds[top] > distances[0]:
            continue
        # a block of boxes: push those that can still contain one of the nearest places
        if at >= 0:
            _bound_near(tree.low[at], tree.high[at], query, tree.sums)
            top = _push_boxes(tree, at, distances[0], top)
            continue
        # a leaf: a place that is nearer, or as near with a lower record, replaces the root of the heap
        leaf = -1 - at
        _leaf_distances(tree.cells[leaf], tree.live[leaf], query, tree.sums)
        for slot in range(tree.live[leaf]):
            if tree.sums[slot] <= distances[0]:
                place = tree.place_at[leaf, slot]
                if tree.sums[slot] < distances[0] or tree.first[place] < records[0]:
                    _replace_root(distances, records, places, wanted, tree.sums[slot], tree.first[place], place)
    return _sort_heap(distances, records, places)


@compiled
def _leaf_distances(cells: Point, live: int, query: Point, sums: Point) -> None:
    """Write the squared distances of the places of a leaf into `sums`.

    `cells` has the coordinates of the leaf, whose first `live` slots are in use. They are stored column by column, so
    the inner loop runs over neighbouring numbers and can be vectorized. The sum of each place is still taken from the
    first column to the last.
    """
    for slot in range(live):
        sums[slot] = 0.0
    for column in range(len(query)):
        value, values = query[column], cells[column]
        for slot in range(live):
            apart = values[slot] - value
            sums[slot] += apart * apart


@compiled
def _bound_near(lows: Point, highs: Point, query: Point, sums: Point) -> None:
    """Write the smallest possible squared distance of a place in each box of a block into `sums`.

    `lows` and `highs` are the sides of the boxes, by column and lane.
    """
    for lane in range(LANES):
        sums[lane] = 0.0
    for column in range(len(query)):
        value, low, high = query[column], lows[column], highs[column]
        for lane in range(LANES):
            # at most one of the two is positive: how far the query is outside the box along this column
            below, above = low[lane] - value, value - high[lane]
            apart = below if below > above else above
            apart = apart if apart > 0.0 else 0.0
            sums[lane] += apart * apart


@compiled
def _bound_far(lows: Point, highs: Point, centres: Point, query: Point, sums: Point, cross_terms: Point) -> None:
    """Write the largest possible squared distance of a place in each box of a block, negated, into `sums`.

    It is the smaller of two bounds. One is the distance of the farthest corner of the box. The other uses the tree's
    centre m (`centres`, by column): for a place x and the query q,
    |x - q|^2 = |x - m|^2 + |m - q|^2 + 2 (x - m)(m - q), and it takes the largest value of each term over the box. It
    is much closer when the remaining points fill a ball, because then the corners of the boxes are outside the ball. It
    is summed in another order than the distances, so it gets a margin for rounding.
    """
    for lane in range(LANES):
        sums[lane] = 0.0
        cross_terms[lane] = 0.0
    away = 0.0
    for column in range(len(query)):
        value, low, high = query[column], lows[column], highs[column]
        centre = centres[column]
        shift = centre - value
        away += shift * shift
        for lane in range(LANES):
            # the farthest corner, and the largest product (x - m)(m - q) in this column
            to_low, to_high = value - low[lane], high[lane] - value
            apart = to_low if to_low > to_high else to_high
            apart = apart if apart > 0.0 else 0.0
            sums[lane] += apart * apart
            one, other = (low[lane] - centre) * shift, (high[lane] - centre) * shift
            cross_terms[lane] += one if one > other else other
    margin = 1.0 + 2e-16 * (len(query) + 8.0) * (len(query) + 8.0)
    # the extra column after the coordinates bounds |x - m|^2
    out = highs[len(query)]
    for lane in range(LANES):
        other = (out[lane] + away) * margin + 2.0 * cross_terms[lane]
        sums[lane] = -(sums[lane] if sums[lane] < other else other)


@compiled
def _push_boxes(tree: ShrinkingTree, block: int, worst: float, top: int) -> int:
    """Push the boxes of a block whose bound is at most `worst`, the lowest on top; returns the size of the stack."""
    bottom = top
    for lane in range(LANES):
        bound = tree.sums[lane]
        # an empty box, whose lower side is infinity, is left out
        if bound <= worst and tree.low[block, 0, lane] < np.inf:
            inside = tree.under[block] + lane
            at = top
            # insertion sort of at most LANES entries, descending from the bottom
            while at > bottom and tree.bounds[at - 1] < bound:
                tree.bounds[at], tree.stack[at] = tree.bounds[at - 1], tree.stack[at - 1]
                at -= 1
            tree.bounds[at], tree.stack[at] = bound, -1 - inside if block < tree.leaf_blocks else inside
            top += 1
    return top


@compiled
def _replace_root(
    distances: Point, records: Numbers, places: Numbers, size: int, distance: float, record: int, place: int
) -> None:
    """Replace the root of a heap whose root is the farthest place, and restore the order of the heap."""
    at = 0
    while 2 * at + 1 < size:
        # the farther of the two children moves up, until the new entry is at least as far as both
        child = 2 * at + 1
        if child + 1 < size and _is_farther(distances, records, child + 1, distances[child], records[child]):
            child += 1
        if not _is_farther(distances, records, child, distance, record):
            break
        distances[at], records[at], places[at] = distances[child], records[child], places[child]
        at = child
    distances[at], records[at], places[at] = distance, record, place


@compiled
def _is_farther(distances: Point, records: Numbers, at: int, distance: float, record: int) -> bool:
    """Whether an entry of the heap is farther than a place: by distance, then by record."""
    return bool(distances[at] > distance or (distances[at] == distance and records[at] > record))


@compiled
def _sort_heap(distances: Point, records: Numbers, places: Numbers) -> int:
    """Sort the heap, nearest first; returns the number of places, without the entries still at infinity."""
    found = 0
    for size in range(len(places) - 1, -1, -1):
        # the root is the farthest of the first size + 1 entries; it moves behind the rest of the heap
        distance, record, place = distances[0], records[0], places[0]
        _replace_root(distances, records, places, size, distances[size], records[size], places[size])
        distances[size], records[size], places[size] = distance, record, place
        found += distance < np.inf
    return found
