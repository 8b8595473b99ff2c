"""The quasi columns of rows as terms of the cover loss, which the compiled loops read.

`covers_of` makes the terms from a table, `covers_at` selects rows, and `compact_blocks` divides rows into blocks of
similar ones, for algorithms whose time grows with the square of the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.table import Table
from sfumato.metrics.information_loss import heights
from sfumato.taxonomies.taxonomy import Taxonomy

if TYPE_CHECKING:
    from sfumato.kernels.covers import Covers

_WHOLE = 2**28
"""The largest loss of a record over all cells, before prices are rounded.

A column is charged at most `whole`, its share of this, in steps of equal price. Rounding less than doubles a price
above a half, and makes a lower one 0. So a loss is at most 2^29: a sum of two losses fits 32 bits, and so does
the sum of a loss and 2^30, which the loops use as a mark.
"""

Places = NDArray[np.int64]
Terms = list[NDArray[np.int32]]

_SMALLEST_SIDE = 0.25
"""Each side of a cut has at least this fraction of the weight; if necessary the cut separates equal values."""


def covers_of(table: Table, *, sets: bool, min_levels: int = 0) -> Covers:
    """The quasi columns of a table as terms of information loss; a cell loses at most `whole`.

    Numbers and dates lose the width of their range. Other columns lose a part of `whole` for each value of a set except
    the first, or for each taxonomy level on which the group has different nodes, but for at least `min_levels` levels.
    """
    from sfumato.kernels.covers import Covers

    places, nodes, values = [], [], []
    node_price, value_price, first = [], [], [0]
    base, whole = 0, _WHOLE // max(len(table.schema.quasi), 1)
    for name in table.schema.quasi:
        domain, taxonomy, codes = table.domain(name), table.taxonomies.get(name), table.codes[name]
        if domain.ordered:
            places.append(_places(domain, whole)[codes])
        elif sets or taxonomy is None:
            values.append(codes)
            value_price.append(round(whole / max(len(domain) - 1, 1)))
            first.append(first[-1] + len(domain))
        else:
            levels = _nodes_by_height(taxonomy)
            price = round(whole / max(len(levels), 1))
            base += price * min(min_levels, len(levels))
            nodes += [level[codes] for level in levels[min_levels:]]
            node_price += [price] * len(levels[min_levels:])
    return Covers(
        _stack(places, len(table)),
        _stack(nodes, len(table)),
        np.array(node_price, dtype=np.int32),
        _stack(values, len(table)),
        np.array(value_price, dtype=np.int32),
        np.array(first, dtype=np.int64),
        base,
        whole,
    )


def _stack(terms: list[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    """The arrays of all terms of a kind as rows of one array."""
    return np.ascontiguousarray(terms, dtype=np.int32) if terms else np.empty((0, rows), dtype=np.int32)


def _places(domain: Domain, whole: int) -> NDArray[np.int32]:
    """The position of each code between 0 and `whole`; a missing value is so far away that its range costs `whole`."""
    places = np.full(len(domain), 2 * whole, dtype=np.int32)
    if domain.numbers is not None and domain.present:
        numbers = domain.numbers[: domain.present]
        span = numbers[-1] - numbers[0]
        places[: domain.present] = np.rint((numbers - numbers[0]) / (span or 1.0) * whole)
    return places


def _nodes_by_height(taxonomy: Taxonomy) -> list[NDArray[np.int32]]:
    """For each height below the root: the highest node above each code that is not above this height.

    Two codes have their lowest common ancestor at the height up to which their nodes differ, also if branches differ in
    length.
    """
    height = heights(taxonomy)
    levels = []
    for limit in range(int(height[taxonomy.root])):
        level = taxonomy.nodes[0].copy()
        for nodes in taxonomy.nodes:
            level = np.where(height[nodes] <= limit, nodes, level)
        levels.append(level.astype(np.int32))
    return levels


def covers_at(covers: Covers, places: NDArray[np.integer]) -> Covers:
    """The covers of the rows at these places."""
    terms = (covers.places, covers.nodes, covers.values)
    numbers, nodes, values = (np.ascontiguousarray(term[:, places]) for term in terms)
    return covers._replace(places=numbers, nodes=nodes, values=values)


def compact_blocks(covers: Covers, weights: NDArray[np.int64], most: int) -> Iterator[Places]:
    """Blocks of rows with a total weight of at most `most`, or of a single row; each block is sorted by row.

    A block that is too heavy is cut in two along the term of the loss that leaves the two sides with the smallest loss.
    """
    waiting = [np.arange(len(weights))]
    while waiting:
        block = waiting.pop()
        if len(block) == 1 or weights[block].sum() <= most:
            yield np.sort(block)
        else:
            waiting += _cut_block(covers, weights, block)


def _cut_block(covers: Covers, weights: NDArray[np.int64], block: Places) -> tuple[Places, Places]:
    """Cut a block in two: along each term near the middle of the weight, and keep the cut with the smallest loss."""
    terms = [term[block] for kind in (covers.places, covers.nodes, covers.values) for term in kind]
    found = []
    for term in terms or [np.zeros(len(block), dtype=np.int32)]:  # without any, all rows cost the same
        order = np.argsort(term, kind="stable")
        place = _middle(term[order], weights[block][order])
        loss = [_loss_per_record(covers, [other[side] for other in terms]) for side in (order[:place], order[place:])]
        found.append((sum(loss), order, place))
    _, order, place = min(found, key=lambda cut: cut[0])
    return block[order[:place]], block[order[place:]]


def _middle(values: NDArray[np.int32], weights: NDArray[np.int64]) -> int:
    """Where to cut rows that are sorted by value: between two values, if such a place is close enough to the middle."""
    before = np.cumsum(weights)
    inside = np.arange(1, len(values))
    share = before[:-1] / before[-1]
    between = inside[(values[1:] != values[:-1]) & (share >= _SMALLEST_SIDE) & (share <= 1 - _SMALLEST_SIDE)]
    choices = between if len(between) else inside
    return int(choices[np.argmin(np.abs(share[choices - 1] - 0.5))])


def _loss_per_record(covers: Covers, terms: Terms) -> int:
    """The loss per record of a group of all these rows."""
    numbers, nodes = len(covers.places), len(covers.places) + len(covers.nodes)
    loss = sum(min(covers.whole, int(term.max()) - int(term.min())) for term in terms[:numbers])
    for term, price in zip(terms[numbers:nodes], covers.node_price.tolist(), strict=True):
        loss += price * bool((term != term[0]).any())
    for term, price in zip(terms[nodes:], covers.value_price.tolist(), strict=True):
        loss += price * (np.count_nonzero(np.bincount(term)) - 1)
    return loss
