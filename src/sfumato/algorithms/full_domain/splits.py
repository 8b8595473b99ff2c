"""Splits: a recoding of single columns as a string of bits, one for every position where values can be distinguished.

A taxonomy node whose children are published instead of it is a split; so is a boundary between two numbers, and a
category that is shown. Searches over global recodings go from string to string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.loops.recoded_groups import Layout, close_below, labels_of
from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.taxonomies.taxonomy import Taxonomy

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Cuts = Mapping[str, tuple[Labels, Codes]]


class _Part(NamedTuple):
    """The splits of one column, numbered from 0: the parent of each, and the split that starts a label at each code."""

    parent: Codes
    switch: Codes
    scattered: bool = False


@dataclass(frozen=True, eq=False)
class Splits:
    """All splits of the quasi columns of a table; a string of bits says which of them are set.

    * A column with a taxonomy has a split at every node with two children or more. If it is set, the children (or their
      own splits) are published, else the node. A node with one child has no split, because both cover the same values.
    * Numbers and dates without a taxonomy have a split at every boundary between neighbours.
    * Categories without one have a split for every value, which is shown or becomes `*`; or, if `whole`, one split that
      shows all values.

    A split is legal only if its `parent` is set, because a node is replaced by its children before these are.
    Boundaries between numbers have the boundary before the missing value as parent, so that no interval mixes the two.
    -1 is no parent.
    """

    table: Table
    columns: tuple[str, ...]
    column: Codes
    parent: Codes
    layout: Layout

    @classmethod
    def of(cls, table: Table, *, whole: bool = False) -> Splits:
        """The splits of a table's quasi columns, column after column, parents first."""
        columns = table.schema.quasi
        parts = [_part(table.domain(name), table.taxonomies.get(name), whole) for name in columns]
        # `before[j]` is the number of splits of the columns before column j. It
        # turns numbers within a column into numbers within the whole string.
        before = np.cumsum([0, *(len(part.parent) for part in parts)])
        parent = [
            np.where(part.parent < 0, -1, part.parent + first) for part, first in zip(parts, before, strict=False)
        ]
        switch = [part.switch + first for part, first in zip(parts, before, strict=False)]
        layout = Layout(
            np.cumsum([0, *(len(table.domain(name)) for name in columns)]).astype(np.int64),
            np.concatenate(switch).astype(np.int32),
            np.array([part.scattered for part in parts]),
            np.concatenate([_positions(table.domain(name)) for name in columns]),
        )
        column = np.repeat(np.arange(len(columns)), np.diff(before)).astype(np.int32)
        return cls(table, columns, column, np.concatenate(parent).astype(np.int32), layout)

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def none(self) -> Bits:
        """The string without splits: every column is fully generalized."""
        return np.zeros(len(self), dtype=np.bool_)

    @property
    def all(self) -> Bits:
        """The string with all splits: every value is published unchanged."""
        return np.ones(len(self), dtype=np.bool_)

    def count(self) -> int:
        """The number of legal strings."""
        ways, below = 1, [1] * len(self)
        # `below[split]` is the number of legal strings of the splits below it; a split that is not set adds one
        for split in range(len(self) - 1, -1, -1):
            above = int(self.parent[split])
            if above < 0:
                ways *= below[split] + 1
            else:
                below[above] *= below[split] + 1
        return ways

    def make_legal(self, bits: Bits) -> Bits:
        """The string without the splits below a split that is not set."""
        legal = bits.copy()
        close_below(legal, self.parent)
        return legal

    @cached_property
    def ranges(self) -> Codes:
        """The first and the last code that each split divides, itself or by the splits below it."""
        found = np.tile(np.array([np.iinfo(np.int32).max, -1], dtype=np.int32), (len(self), 1))
        for place in range(len(self.columns)):
            start, stop = self._span(place)
            for code in range(1, stop - start):
                split = int(self.layout.switch[start + code])
                # A boundary between codes belongs to the range of its own split and of all
                # splits above it. Scattered columns have no ranges of neighbours, so their
                # entries have no meaning; only searches with `whole` read this property.
                while split >= 0:
                    found[split] = min(found[split, 0], code - 1), max(found[split, 1], code)
                    split = int(self.parent[split])
        return found

    def children(self, split: int) -> list[tuple[int, int]]:
        """The ranges of codes, first and last, into which a split divides its range."""
        lo, hi = self.ranges[split].tolist()
        start = int(self.layout.offset[self.column[split]])
        # A child begins at each code whose own switch is this split.
        # Switches of splits below it only divide a child further.
        begins = [lo, *(code for code in range(lo + 1, hi + 1) if self.layout.switch[start + code] == split), hi + 1]
        return [(first, after - 1) for first, after in pairwise(begins)]

    def cuts(self, bits: Bits) -> Cuts:
        """The labels of every column under a legal string, and the label of every code."""
        label = labels_of(bits, self.layout)[0]
        return {name: self._cut(name, label[slice(*self._span(place))]) for place, name in enumerate(self.columns)}

    def _cut(self, name: str, label: Codes) -> tuple[Labels, Codes]:
        """The labels of one column, and the label of every code."""
        domain, taxonomy = self.table.domain(name), self.table.taxonomies.get(name)
        if taxonomy is None and not domain.ordered:
            # The label of a shown value covers one code. If only one value is hidden, its label also covers one code:
            # everybody who knows the domain can infer the value behind `*`, so the value is shown instead.
            return Labels.of_disclosed(domain, None, np.bincount(label)[label] == 1)
        # Labels of neighbours are numbered upwards, so a new label starts wherever the number changes.
        starts = np.flatnonzero(np.append(True, label[1:] != label[:-1])).astype(np.int32)
        if taxonomy is None:
            return Labels.of_intervals(domain, None, starts)
        last = np.append(starts[1:], len(domain)).astype(np.int32) - 1
        # A run of codes that no split divides is exactly the range of one taxonomy node, which is the lowest node
        # above the first and the last code of the run.
        return Labels.of_nodes(taxonomy, taxonomy.lowest_common(starts, last)[label])

    def _span(self, column: int) -> tuple[int, int]:
        """The positions of the codes of a column in the flat arrays."""
        return int(self.layout.offset[column]), int(self.layout.offset[column + 1])


def _part(domain: Domain, taxonomy: Taxonomy | None, whole: bool) -> _Part:
    """The splits of a column."""
    if taxonomy is not None:
        return _of_nodes(taxonomy)
    if domain.ordered:
        return _of_boundaries(domain)
    every = np.arange(len(domain), dtype=np.int32)
    if whole:
        # A domain of one value has no split, because its value and `*` cover the same records. The switch of a
        # column's first code is never read, so the 0 there needs no split either.
        return _Part(np.full(min(len(domain) - 1, 1), -1, dtype=np.int32), np.zeros_like(every))
    return _Part(np.full(len(domain), -1, dtype=np.int32), every, scattered=True)


def _of_nodes(taxonomy: Taxonomy) -> _Part:
    """A split for every node with several children: neighbours are divided if the lowest node above both is split."""
    code = np.arange(len(taxonomy.domain), dtype=np.int32)
    # Codes are in the order of the leaves, so every node with several children is the lowest common node of at least
    # one pair of neighbours, and a node with one child of none.
    over = taxonomy.lowest_common(code[:-1], code[1:])
    nodes = np.unique(over)
    # More leaves first: a node above another one has strictly more leaves here,
    # so parents precede their children, which `close_below` and `count` require.
    nodes = nodes[np.lexsort((taxonomy.lo[nodes], -taxonomy.leaves[nodes]))]
    place = {int(node): index for index, node in enumerate(nodes)}
    above, parent = taxonomy.parents(), []
    for node in nodes:
        # Nodes with one child have no split, so the parent is the nearest node
        # above that has one. The root is its own parent and ends the climb.
        up = int(above[node])
        while up not in place and up != taxonomy.root:
            up = int(above[up])
        parent.append(place.get(up, -1) if up != node else -1)
    switch = np.append(0, [place[int(node)] for node in over])
    return _Part(np.array(parent, dtype=np.int32), switch.astype(np.int32))


def _of_boundaries(domain: Domain) -> _Part:
    """A split for every boundary; the boundary before the missing value is the parent of all others."""
    boundaries = len(domain) - 1
    if not domain.has_missing or boundaries < 1:
        return _Part(np.full(boundaries, -1, dtype=np.int32), np.append(0, np.arange(boundaries)).astype(np.int32))
    # The missing value has the last code. Its boundary gets number 0, because a parent must precede its children; the
    # boundaries between numbers follow as 1, 2, ...
    parent = np.append(-1, np.zeros(boundaries - 1)).astype(np.int32)
    return _Part(parent, np.concatenate([[0], np.arange(1, boundaries), [0]]).astype(np.int32))


def _positions(domain: Domain) -> NDArray[np.float64]:
    """The positions of the codes between 0 and 1.

    A missing number is at 1, because it only shares a label with all others.
    """
    if domain.numbers is None:
        return np.arange(len(domain)) / max(len(domain) - 1, 1)
    place = np.ones(len(domain))
    known = domain.numbers[: domain.present]
    # `tiny` avoids a division by zero if all numbers are equal; the numerator is 0 then, too.
    place[: domain.present] = (known - known[:1]) / max(np.ptp(known) if len(known) else 0.0, np.finfo(float).tiny)
    return place
