"""The space of full-domain generalizations: one level for every quasi column, and what a table looks like at each.

`Lattice` enumerates nodes lazily. `LatticeEvaluator` judges a node from its frequency set, which it rolls up from that
of a finer node instead of counting all rows again. Searches over levels use both.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.table_view import TableView
from sfumato.errors import TaxonomyError
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel

Levels = tuple[int, ...]

_CACHED_ROWS = 20_000_000
"""Frequency sets are kept up to this many rows together; the ones used longest ago go first."""


@dataclass(frozen=True)
class Lattice:
    """All combinations of levels, from every value as it is to every column at its root.

    >>> lattice = Lattice(columns=("job", "sex"), heights=(2, 1))
    >>> len(lattice), list(lattice)[:3], list(lattice.above((1, 0)))
    (6, [(0, 0), (0, 1), (1, 0)], [(2, 0), (1, 1)])
    """

    columns: tuple[str, ...]
    heights: Levels

    @classmethod
    def over(cls, table: Table) -> Lattice:
        """The lattice of a table's quasi columns; each needs a taxonomy."""
        bare = [name for name in table.schema.quasi if name not in table.taxonomies]
        if bare:
            raise TaxonomyError(
                f"column {bare[0]!r} has no taxonomy, and a full-domain search needs one for every quasi column."
            )
        return cls(table.schema.quasi, tuple(table.taxonomies[name].height for name in table.schema.quasi))

    @property
    def size(self) -> int:
        """The number of nodes; it may be larger than `sys.maxsize`, which `len` cannot return."""
        return prod(height + 1 for height in self.heights)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Levels]:
        """Every node, by height and then in order, so that a node comes after all it generalizes."""
        for height in range(sum(self.heights) + 1):
            yield from self.at_height(height)

    def at_height(self, height: int) -> Iterator[Levels]:
        """The nodes whose levels add up to a height, in order; made one by one, so that no lattice is too large.

        >>> list(Lattice(columns=("job", "sex"), heights=(2, 1)).at_height(2))
        [(1, 1), (2, 0)]
        """
        yield from _adding_up(self.heights, height)

    @property
    def bottom(self) -> Levels:
        """Every value as it is."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Levels:
        """Every column at its root."""
        return self.heights

    def above(self, node: Levels) -> Iterator[Levels]:
        """The nodes one step more general."""
        for place, level in enumerate(node):
            if level < self.heights[place]:
                yield (*node[:place], level + 1, *node[place + 1 :])

    def below(self, node: Levels) -> Iterator[Levels]:
        """The nodes one step more specific."""
        for place, level in enumerate(node):
            if level > 0:
                yield (*node[:place], level - 1, *node[place + 1 :])


def _adding_up(heights: Levels, height: int) -> Iterator[Levels]:
    """Levels up to these heights that add up to a number, in order."""
    if not heights:
        if height == 0:
            yield ()
        return
    first, *others = heights
    # The lower bound keeps the remaining columns able to reach the rest, so no branch of the recursion is empty.
    for level in range(max(0, height - sum(others)), min(first, height) + 1):
        for rest in _adding_up(tuple(others), height - level):
            yield (level, *rest)


class LatticeEvaluator:
    """Judges nodes of a lattice by their frequency sets: distinct generalized rows with counts.

    The frequency set of a node is rolled up from a cached one that is finer in every column, so a node costs as much as
    the finest rows it can be made from, not as much as the table. Nobody waives protection: a search over levels
    refuses such a table.
    """

    def __init__(self, lattice: Lattice, table: Table, model: PrivacyModel) -> None:
        self._lattice, self._model = lattice, model
        self._cached: OrderedDict[Levels, Table] = OrderedDict({lattice.bottom: table})
        self._numbered: dict[tuple[str, int], NDArray[np.int32]] = {}

    def frequency_set(self, node: Levels) -> Table:
        """The distinct rows of a node, whose quasi codes number the taxonomy nodes on its levels."""
        if node in self._cached:
            return self._used(node)
        found = self._rolled_up(node)
        self._keep(node, found)
        return found

    def failing(self, node: Levels) -> int:
        """How many records, or persons, are in a group that fails one of the models, before any are suppressed."""
        rows = self.frequency_set(node)
        view = TableView(table=rows)
        failing: Flags = np.zeros(len(rows), dtype=bool)
        for member in self._model.measured():
            failing |= member.fails(view)
        if rows.person is not None:
            return len(np.unique(rows.person[failing]))
        return int(rows.counts[failing].sum())

    def _rolled_up(self, node: Levels) -> Table:
        """From the cached frequency set with fewest rows among those that are finer in every column."""
        finer = [
            levels for levels in self._cached if all(one <= other for one, other in zip(levels, node, strict=True))
        ]
        start = min(finer, key=lambda levels: len(self._cached[levels]))
        rows = self._used(start)
        codes = dict(rows.codes)
        for name, level, reached in zip(self._lattice.columns, node, start, strict=True):
            if level > reached:
                codes[name] = self._parents(rows, name, reached, level)[codes[name]]
        # All columns are compared, not only the quasi columns: models also need the sensitive values and the persons.
        return replace(rows, codes=MappingProxyType(codes)).distinct(tuple(codes))[0]

    def _parents(self, rows: Table, name: str, reached: int, level: int) -> NDArray[np.int32]:
        """For every taxonomy node on one level the node above it on another one."""
        below, above = self._numbers(rows, name, reached), self._numbers(rows, name, level)
        parents = np.zeros(len(below), dtype=np.int32)
        # Several values share a node on the lower level. They also share the
        # node above it, so it does not matter which of them is written last.
        parents[below] = above
        return parents

    def _numbers(self, rows: Table, name: str, level: int) -> NDArray[np.int32]:
        """The node of every value on a level, numbered from 0, so that codes stay below the size of the domain."""
        if (name, level) not in self._numbered:
            nodes = rows.taxonomies[name].nodes[level]
            self._numbered[name, level] = np.unique(nodes, return_inverse=True)[1].astype(np.int32)
        return self._numbered[name, level]

    def _used(self, node: Levels) -> Table:
        """A cached frequency set, which is now the one used last."""
        self._cached.move_to_end(node)
        return self._cached[node]

    def _keep(self, node: Levels, found: Table) -> None:
        """Keep a frequency set, and drop those used longest ago; the table itself always stays."""
        self._cached[node] = found
        # A frequency set that is larger than the limit by itself is dropped again at once.
        while sum(map(len, self._cached.values())) - len(self._cached[self._lattice.bottom]) > _CACHED_ROWS:
            oldest = next(levels for levels in self._cached if levels != self._lattice.bottom)
            del self._cached[oldest]
