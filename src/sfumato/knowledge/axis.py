"""Axis: the items of one column that a mined rule may use, as ranges of codes. The search and the counting use it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.table import Table
from sfumato.knowledge.item import Item
from sfumato.knowledge.membership import Membership, Shape, membership_of

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ItemAxis:
    """The items of one column: one item per taxonomy node, in preorder (a node comes before its descendants).

    Item i covers the codes `first[i]` to `last[i]`. Where `grades` are given, it covers each of these codes to the
    degree in `grades[i]`. `parent[i]` is the next wider item, or -1 if only the root is wider. Items that cover every
    value carry no information and are left out, and so are second names for the same values.
    """

    domain: Domain
    items: tuple[Item, ...] = field(repr=False)
    first: Places
    last: Places
    parent: Places
    grades: tuple[NDArray[np.float64], ...] | None = None

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def of(
        cls, table: Table, column: str, *, least: float = 0, fuzziness: float = 0.0, shape: Shape = "trapezoid"
    ) -> ItemAxis:
        """The items of a column: the nodes of its taxonomy, or its values if it has no taxonomy.

        Values with fewer than `least` records are left out, because a column may have very many of them.
        """
        domain, taxonomy = table.domain(column), table.taxonomies.get(column)
        # Values come first, so that a node that covers one value does not replace the value's own name in `known`.
        ranges = [(code, code, "") for code in np.flatnonzero(table.histogram(column) >= least).tolist()]
        if taxonomy is not None:
            bounds = zip(taxonomy.lo.tolist(), taxonomy.hi.tolist(), taxonomy.labels, strict=True)
            # The first nodes of a taxonomy are its leaves, one per code; they are in the list already.
            ranges += list(bounds)[len(domain) :]
        known: dict[tuple[int, int], tuple[Membership, str]] = {}
        for lo, hi, label in ranges:
            found = membership_of(domain, lo, hi, fuzziness, shape)
            # Two nodes that cover the same codes would make the same rule twice; the first name is kept.
            if found is not None and found.sure != (0, len(domain) - 1):
                known.setdefault(found.sure, (found, label))
        # By first code, the wider range first: this is preorder, because ranges of a taxonomy are nested or disjoint.
        made = sorted(known.values(), key=lambda one: (one[0].node[0], -one[0].node[1]))
        return cls._of_members(domain, [found for found, _ in made], [label for _, label in made])

    @classmethod
    def _of_members(cls, domain: Domain, members: list[Membership], labels: list[str]) -> ItemAxis:
        fuzzy = any(found.grades is not None for found in members)
        items = tuple(Item.of_range(domain, *found.sure, label) for found, label in zip(members, labels, strict=True))
        return cls(
            domain,
            items,
            np.array([found.reach[0] for found in members], dtype=np.int64),
            np.array([found.reach[1] for found in members], dtype=np.int64),
            np.array(_parents(found.node for found in members), dtype=np.int64),
            tuple(found.degrees() for found in members) if fuzzy else None,
        )

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """`above[j, i]` is the item j steps wider than item i; -1 for the root, -2 for beyond the root."""
        rows = [np.arange(len(self), dtype=np.int64)]
        over = np.append(self.parent, (-2, -2))  # index -1 (the root) and index -2 both lead to -2
        while rows[-1].size and (rows[-1] >= 0).any():
            rows.append(np.where(rows[-1] >= 0, over[rows[-1]], -2))
        return np.array(rows)

    @property
    def top(self) -> Places:
        """The items directly under the root."""
        return np.flatnonzero(self.parent < 0)


def _parents(ranges: Iterable[tuple[int, int]]) -> list[int]:
    """For each range the index of the narrowest range around it; ranges are nested or disjoint, and in preorder."""
    parents: list[int] = []
    around: list[tuple[int, int]] = []
    for place, (lo, hi) in enumerate(ranges):
        while around and around[-1][1] < lo:
            # The ranges on the stack contain each other. Those that end
            # before this one begins contain neither it nor any later range.
            around.pop()
        parents.append(around[-1][0] if around else -1)
        around.append((place, hi))
    return parents
