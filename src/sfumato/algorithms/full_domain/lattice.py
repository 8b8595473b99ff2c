"""The space of full-domain generalizations: one level for every quasi column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from sfumato.data.table import Table
from sfumato.errors import TaxonomyError

Levels = tuple[int, ...]


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

    def __len__(self) -> int:
        return prod(height + 1 for height in self.heights)

    def __iter__(self) -> Iterator[Levels]:
        """Every node, by height and then in order, so that a node comes after all it generalizes."""
        return iter(
            sorted(product(*(range(height + 1) for height in self.heights)), key=lambda node: (sum(node), node))
        )

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
