"""Exhaustive search: look at every full-domain generalization. Optimal and slow; others are compared with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch, objective_metric, refuse_large_lattice
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Exhaustive(LatticeSearch):
    """Generalizes every column to the combination of levels that loses least among all that satisfy the model.

    Records of groups that fail are suppressed as long as the limit allows. Every combination is judged and measured,
    so it serves small lattices and as a reference; among equals the least general combination in order wins.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> Exhaustive().anonymize(hospital(), KAnonymity(k=3)).recoding.levels
    {'Job': 1, 'Sex': 0, 'Age': 1}

    References: Sweeney (2002), MinGen; book, section 5.1.1.1.
    """

    counts_persons: ClassVar[bool] = True
    optimal: ClassVar[bool] = True

    objective: str = param("ncp", doc="name of the metric to optimize")
    most: int = param(100_000, doc="largest lattice it will go through", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        objective_metric(self.objective)

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        refuse_large_lattice(lattice, self.name(), self.most)
        nodes, found = LatticeNodes(lattice, table, model, suppression, objective_metric(self.objective)), []
        for number, (_, node) in enumerate(nodes.every()):
            advance("searching", number, lattice.size)
            if node is not None:
                found.append(node)
        best = min(found, key=lambda node: node.order).levels if found else lattice.top
        return best, {"nodes": lattice.size, "proven": True}
