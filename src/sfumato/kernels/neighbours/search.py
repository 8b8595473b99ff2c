"""Who is nearest to a point, who is furthest from it, among the places left in a shrinking tree.

Boxes wait on a stack, the most promising on top; one that cannot hold anything better than what has been found is not
opened. Boxes that look just as good are opened, because of several equally good places that with the lowest record is
the answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.neighbours.tree import LANES, ShrinkingTree

Point = NDArray[np.float64]
Numbers = NDArray[np.int32]

NOBODY = np.iinfo(np.int32).max
"""A record number behind all others."""


@compiled
def furthest(tree: ShrinkingTree, query: Point) -> int:
    """The place furthest from a point, of several that with the lowest record; -1 in an empty tree."""
    best, who, found = -1.0, NOBODY, -1
    tree.stack[0], tree.bounds[0] = len(tree.under) - 1, -np.inf
    top = 1
    while top:
        top -= 1
        at = tree.stack[top]
        if tree.bounds[top] > -best:
            continue
        if at >= 0:
            _bound_far(tree.low[at], tree.high[at], tree.centre, query, tree.sums, tree.leaning)
            top = _pushed(tree, at, -best, top)
            continue
        leaf = -1 - at
        _leaf_distances(tree.cells[leaf], tree.live[leaf], query, tree.sums)
        for slot in range(tree.live[leaf]):
            if tree.sums[slot] >= best:
                place = tree.held[leaf, slot]
                if tree.sums[slot] > best or tree.first[place] < who:
                    best, who, found = tree.sums[slot], tree.first[place], place
    return found


@compiled
def nearest(tree: ShrinkingTree, query: Point, distances: Point, records: Numbers, places: Numbers) -> int:
    """Fill the arrays with the places nearest to a point, nearest first, then lowest record; how many there were."""
    wanted = len(places)
    for at in range(wanted):
        distances[at], records[at] = np.inf, NOBODY
    tree.stack[0], tree.bounds[0] = len(tree.under) - 1, 0.0
    top = 1 if wanted else 0
    while top:
        top -= 1
        at = tree.stack[top]
        if tree.bounds[top] > distances[0]:
            continue
        if at >= 0:
            _bound_near(tree.low[at], tree.high[at], query, tree.sums)
            top = _pushed(tree, at, distances[0], top)
            continue
        leaf = -1 - at
        _leaf_distances(tree.cells[leaf], tree.live[leaf], query, tree.sums)
        for slot in range(tree.live[leaf]):
            if tree.sums[slot] <= distances[0]:
                place = tree.held[leaf, slot]
                if tree.sums[slot] < distances[0] or tree.first[place] < records[0]:
                    _sink(distances, records, places, wanted, tree.sums[slot], tree.first[place], place)
    return _in_order(distances, records, places)


@compiled
def _leaf_distances(cells: Point, live: int, query: Point, sums: Point) -> None:
    """Squared distances of the places of a leaf."""
    for slot in range(live):
        sums[slot] = 0.0
    for column in range(len(query)):
        value, values = query[column], cells[column]
        for slot in range(live):
            apart = values[slot] - value
            sums[slot] += apart * apart


@compiled
def _bound_near(lows: Point, highs: Point, query: Point, sums: Point) -> None:
    """How near a place in each box of a block can be at most."""
    for lane in range(LANES):
        sums[lane] = 0.0
    for column in range(len(query)):
        value, low, high = query[column], lows[column], highs[column]
        for lane in range(LANES):
            below, above = low[lane] - value, value - high[lane]
            apart = below if below > above else above
            apart = apart if apart > 0.0 else 0.0
            sums[lane] += apart * apart


@compiled
def _bound_far(lows: Point, highs: Point, centres: Point, query: Point, sums: Point, leaning: Point) -> None:
    """How far away a place in each box of a block can be at most, negated: the smaller of two bounds.

    One is the distance of the box's furthest corner. With m the tree's centre, |x - q|^2 is |x - m|^2 + |m - q|^2 +
    2 (x - m)(m - q): the other takes the largest of each. It is far closer where what is left of the points is round,
    for the corners of boxes stick out then. Being summed in another order, it gets a margin for rounding.
    """
    for lane in range(LANES):
        sums[lane] = 0.0
        leaning[lane] = 0.0
    away = 0.0
    for column in range(len(query)):
        value, low, high = query[column], lows[column], highs[column]
        centre = centres[column]
        shift = centre - value
        away += shift * shift
        for lane in range(LANES):
            to_low, to_high = value - low[lane], high[lane] - value
            apart = to_low if to_low > to_high else to_high
            apart = apart if apart > 0.0 else 0.0
            sums[lane] += apart * apart
            one, other = (low[lane] - centre) * shift, (high[lane] - centre) * shift
            leaning[lane] += one if one > other else other
    margin = 1.0 + 2e-16 * (len(query) + 8.0) * (len(query) + 8.0)
    out = highs[len(query)]
    for lane in range(LANES):
        other = (out[lane] + away) * margin + 2.0 * leaning[lane]
        sums[lane] = -(sums[lane] if sums[lane] < other else other)


@compiled
def _pushed(tree: ShrinkingTree, block: int, worst: float, top: int) -> int:
    """Put the boxes of a block whose bound is not above `worst` on the stack, the lowest on top; the new top."""
    bottom = top
    for lane in range(LANES):
        bound = tree.sums[lane]
        if bound <= worst and tree.low[block, 0, lane] < np.inf:
            inside = tree.under[block] + lane
            at = top
            while at > bottom and tree.bounds[at - 1] < bound:
                tree.bounds[at], tree.stack[at] = tree.bounds[at - 1], tree.stack[at - 1]
                at -= 1
            tree.bounds[at], tree.stack[at] = bound, -1 - inside if block < tree.leaf_blocks else inside
            top += 1
    return top


@compiled
def _sink(
    distances: Point, records: Numbers, places: Numbers, size: int, distance: float, record: int, place: int
) -> None:
    """Replace the root of a heap whose root is the furthest."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _further(distances, records, child + 1, distances[child], records[child]):
            child += 1
        if not _further(distances, records, child, distance, record):
            break
        distances[at], records[at], places[at] = distances[child], records[child], places[child]
        at = child
    distances[at], records[at], places[at] = distance, record, place


@compiled
def _further(distances: Point, records: Numbers, at: int, distance: float, record: int) -> bool:
    return bool(distances[at] > distance or (distances[at] == distance and records[at] > record))


@compiled
def _in_order(distances: Point, records: Numbers, places: Numbers) -> int:
    """Sort the heap, nearest first; how many of its entries are places."""
    found = 0
    for size in range(len(places) - 1, -1, -1):
        distance, record, place = distances[0], records[0], places[0]
        _sink(distances, records, places, size, distances[size], records[size], places[size])
        distances[size], records[size], places[size] = distance, record, place
        found += distance < np.inf
    return found
