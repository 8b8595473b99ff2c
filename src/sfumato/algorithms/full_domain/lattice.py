"""The space of full-domain generalizations: one level for every quasi column.

`Lattice` enumerates its nodes lazily; `nodes` tells what a table looks like at a node, and what that costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
                f"column {bare[0]!r} has no taxonomy, and a full-domain search needs one for every quasi column; "
                "give it one, such as flat, whose levels are the values and `*`."
            )
        return cls(table.schema.quasi, tuple(table.taxonomies[name].height for name in table.schema.quasi))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(height + 1 for height in self.heights)

    @property
    def size(self) -> int:
        """The number of nodes; it may be larger than `sys.maxsize`, which `len` cannot return."""
        return prod(self.shape)

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
