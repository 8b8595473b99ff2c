"""Cuts rows into blocks of near ones, for work that grows with the square of what is looked at together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.loops.covers import Covers

Places = NDArray[np.int64]
Terms = list[NDArray[np.int32]]

_UNEVEN = 0.25
"""A side is at least this share of what is cut; else equal values are parted to make it larger."""


def compact_blocks(covers: Covers, weights: NDArray[np.int64], most: int) -> Iterator[Places]:
    """Blocks of rows that weigh at most so much together, or are one row; each in the order of its rows.

    What weighs more is cut in two, along whichever term of the loss leaves the two sides the least to lose.
    """
    waiting = [np.arange(len(weights))]
    while waiting:
        block = waiting.pop()
        if len(block) == 1 or weights[block].sum() <= most:
            yield np.sort(block)
        else:
            waiting += _halves(covers, weights, block)


def _halves(covers: Covers, weights: NDArray[np.int64], block: Places) -> tuple[Places, Places]:
    terms = [term[block] for kind in (covers.places, covers.nodes, covers.values) for term in kind]
    found = []
    for term in terms or [np.zeros(len(block), dtype=np.int32)]:  # without any, all rows cost the same
        order = np.argsort(term, kind="stable")
        place = _middle(term[order], weights[block][order])
        charged = [_charge(covers, [other[side] for other in terms]) for side in (order[:place], order[place:])]
        found.append((sum(charged), order, place))
    _, order, place = min(found, key=lambda cut: cut[0])
    return block[order[:place]], block[order[place:]]


def _middle(values: NDArray[np.int32], weights: NDArray[np.int64]) -> int:
    """Where to cut rows in the order of their values: between two of them if that is not too far from the middle."""
    before = np.cumsum(weights)
    inside = np.arange(1, len(values))
    share = before[:-1] / before[-1]
    between = inside[(values[1:] != values[:-1]) & (share >= _UNEVEN) & (share <= 1 - _UNEVEN)]
    choices = between if len(between) else inside
    return int(choices[np.argmin(np.abs(share[choices - 1] - 0.5))])


def _charge(covers: Covers, terms: Terms) -> int:
    """What a group of all these rows is charged for each of its records."""
    numbers, nodes = len(covers.places), len(covers.places) + len(covers.nodes)
    charged = sum(min(covers.whole, int(term.max()) - int(term.min())) for term in terms[:numbers])
    for term, price in zip(terms[numbers:nodes], covers.node_price.tolist(), strict=True):
        charged += price * bool((term != term[0]).any())
    for term, price in zip(terms[nodes:], covers.value_price.tolist(), strict=True):
        charged += price * (np.count_nonzero(np.bincount(term)) - 1)
    return charged
