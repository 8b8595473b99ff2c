"""Incognito: all combinations of levels at which the model holds, found with subsets of the columns first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import (
    LatticeSearch,
    objective_metric,
    prepare_search,
    refuse_large_lattice,
)
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.nodes import LatticeNodes, Node

_OPEN, _FAILS, _SAFE = range(3)
"""What is known of a node."""


@dataclass(frozen=True, kw_only=True)
class Incognito(LatticeSearch):
    """Finds all combinations of levels at which the model holds, and takes the one that loses least.

    Records of groups that fail are suppressed as long as the limit allows. Combinations that generalize all columns but
    one to the root come first, then all but two, and so on. If too many records must be suppressed for some columns
    alone, this is true of all their lower levels and of every combination with more columns (subset property); without
    suppression, all combinations above one at which the model holds are safe as well (generalization property), for
    models that unions of groups keep. The groups of a combination are made from those of one below it (rollup).

    With l-diversity as the model this is l-Diversity Incognito, with t-closeness t-Closeness Incognito. The provenance
    has the number of combinations, how many were looked at, and how many are safe. `optimal_lattice` proves the
    same optimum without finding all that is safe. Among equals the least general combination in order wins.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = Incognito().anonymize(hospital(), KAnonymity(k=3))
    >>> release.recoding.levels
    {'Job': 1, 'Sex': 0, 'Age': 1}
    >>> release.provenance["search"]["nodes"], release.provenance["search"]["safe"]
    (18, 8)

    References: LeFevre, DeWitt and Ramakrishnan (2005), "Incognito: efficient full-domain k-anonymity";
    Machanavajjhala et al. (2007); Li, Li and Venkatasubramanian (2007); book, sections 5.1.1.2 and 5.2.1.
    """

    counts_persons: ClassVar[bool] = True
    optimal: ClassVar[bool] = True

    objective: str = param("ncp", doc="name of the metric to optimize")
    most: int = param(1_000_000, doc="largest lattice it will search", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        objective_metric(self.objective)

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        prepare_search(Incognito())

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        refuse_large_lattice(lattice, self.name(), self.most)
        nodes = LatticeNodes(lattice, table, model, suppression, objective_metric(self.objective))
        found = _SafeNodes(nodes)
        best = min(found.safe(), key=lambda node: node.order, default=None)
        facts = {"nodes": lattice.size, "checked": found.checked, "safe": found.count}
        return (lattice.top if best is None else best.levels), facts


class _SafeNodes:
    """All nodes of a lattice at which the model holds; `checked` counts those whose groups were judged for it."""

    def __init__(self, nodes: LatticeNodes) -> None:
        self.nodes = nodes
        self.checked = 0
        self._state = np.zeros(nodes.lattice.shape, dtype=np.int8)
        self._judged: dict[Levels, Node] = {}
        for number, levels in enumerate(_by_columns(nodes.lattice)):
            advance("searching", number, nodes.lattice.size)
            if self._state[levels] == _OPEN:
                self._check(levels)

    @property
    def count(self) -> int:
        """The number of nodes at which the model holds."""
        return int(np.count_nonzero(self._state == _SAFE))

    def safe(self) -> Iterator[Node]:
        """The nodes at which the model holds, with their losses."""
        for place in np.argwhere(self._state == _SAFE).tolist():
            node = self._judged.get(tuple(place)) or self._above_safe(tuple(place))
            if node is not None:
                yield node

    def _above_safe(self, levels: Levels) -> Node | None:
        """A node that is safe because one below it is; this is known only where nothing is suppressed."""
        from sfumato.algorithms.full_domain.nodes import Node

        if self.nodes.costs is not None:
            return Node(levels, 0, self.nodes.costs.bound(levels))
        return self.nodes.judged(levels, self.nodes.at(levels))

    def _check(self, levels: Levels) -> None:
        """Judge a node; what is known of nodes below or above it follows."""
        self.checked += 1
        node, none_below = self.nodes.check(levels)
        if node is not None:
            self._judged[levels] = node
            self._state[levels] = _SAFE
            if self.nodes.kept_upwards:
                self._state[tuple(slice(level, None) for level in levels)] = _SAFE
        elif none_below:
            self._state[tuple(slice(level + 1) for level in levels)] = _FAILS
        else:
            self._state[levels] = _FAILS


def _by_columns(lattice: Lattice) -> Iterator[Levels]:
    """Every node, by the number of columns below their root, then by these columns, then by height.

    >>> list(_by_columns(Lattice(columns=("job", "sex"), heights=(2, 1))))
    [(2, 1), (0, 1), (1, 1), (2, 0), (0, 0), (1, 0)]
    """
    places = range(len(lattice.columns))
    for below_root in range(len(places) + 1):
        for chosen in combinations(places, below_root):
            ranges = [range(height) if at in chosen else (height,) for at, height in enumerate(lattice.heights)]
            yield from sorted(product(*ranges), key=sum)
