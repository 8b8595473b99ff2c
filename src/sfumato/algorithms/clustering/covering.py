"""Rows in the form in which the kernels read what a group of them loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.loops.covers import Covers
from sfumato.data.domain import Domain
from sfumato.data.table import Table
from sfumato.metrics.information_loss import heights
from sfumato.taxonomies.taxonomy import Taxonomy

_WHOLE = 2**28
"""All cells of a record together cost at most this, which leaves room for sums of two of them."""


def covers_of(table: Table, *, sets: bool, min_levels: int = 0) -> Covers:
    """The quasi columns of a table as terms of information loss, each cell at most `whole`.

    Numbers and dates lose by width. Other columns lose one part of `whole` for every value of a set but the first, or
    for every level of their taxonomy that the group is mixed on, and for at least `min_levels` of them.
    """
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
            rungs = _rungs(taxonomy)
            price = round(whole / max(len(rungs), 1))
            base += price * min(min_levels, len(rungs))
            nodes += [rung[codes] for rung in rungs[min_levels:]]
            node_price += [price] * len(rungs[min_levels:])
    return Covers(
        _stacked(places, len(table)),
        _stacked(nodes, len(table)),
        np.array(node_price, dtype=np.int32),
        _stacked(values, len(table)),
        np.array(value_price, dtype=np.int32),
        np.array(first, dtype=np.int64),
        base,
        whole,
    )


def _stacked(terms: list[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    return np.ascontiguousarray(terms, dtype=np.int32) if terms else np.empty((0, rows), dtype=np.int32)


def _places(domain: Domain, whole: int) -> NDArray[np.int32]:
    """Where every code lies between 0 and `whole`; a missing value so far off that a range with it costs all of it."""
    places = np.full(len(domain), 2 * whole, dtype=np.int32)
    if domain.numbers is not None and domain.present:
        numbers = domain.numbers[: domain.present]
        span = numbers[-1] - numbers[0]
        places[: domain.present] = np.rint((numbers - numbers[0]) / (span or 1.0) * whole)
    return places


def _rungs(taxonomy: Taxonomy) -> list[NDArray[np.int32]]:
    """For every height below the root's the highest node over each code that is no higher.

    Two codes meet at a node of the height up to which their nodes differ, also where branches are not equally long.
    """
    height = heights(taxonomy)
    rungs = []
    for limit in range(int(height[taxonomy.root])):
        rung = taxonomy.nodes[0].copy()
        for nodes in taxonomy.nodes:
            rung = np.where(height[nodes] <= limit, nodes, rung)
        rungs.append(rung.astype(np.int32))
    return rungs
