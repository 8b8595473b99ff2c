"""SPALM: full-domain generalization for delta-presence, from the top of the lattice down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch, objective_metric
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.population_model import PopulationModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param
from sfumato.taxonomies.flat import Flat

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.distinct_rows import RecodedRows
    from sfumato.algorithms.full_domain.nodes import LatticeNodes, Node

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Spalm(LatticeSearch):
    """Generalizes every column to the combination of levels that loses least of all for which the model holds.

    It begins with all columns at their roots and looks at more specific combinations only below those that hold: the
    share of a group's persons who are in the data is a weighted mean of those of its parts, so if a combination is not
    delta-present, no more specific one is. The same is true of every model that is kept by merging. At each combination
    the records of the data and the persons of the population are counted in the groups that its labels make.

    With a limit of suppression, groups that fail other models are suppressed, and their records no longer count as
    present. Then nothing follows for more specific combinations, so all of them are judged. Among equals the least
    general combination in order wins, as in `exhaustive`. Without a population it serves other models, too.

    >>> from sfumato.datasets import hospital, hospital_population
    >>> from sfumato.disclosure.population import Population
    >>> from sfumato.models import DeltaPresence
    >>> everybody = Population.of_table(hospital_population())
    >>> model = DeltaPresence(delta_min=0.75, delta_max=0.8, population=everybody)
    >>> Spalm().anonymize(hospital(), model).recoding.levels
    {'Job': 1, 'Sex': 0, 'Age': 1}

    References: Nergiz, Atzori and Clifton (2007); book, section 5.3.1.
    """

    needs = frozenset({"kept_by_merging"})
    counts_persons: ClassVar[bool] = True
    reads_population: ClassVar[bool] = True
    optimal: ClassVar[bool] = True

    objective: str = param("discernibility", doc="name of the metric to optimize")

    def __post_init__(self) -> None:
        super().__post_init__()
        objective_metric(self.objective)

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        schema = Schema.of(quasi=["q"], taxonomies={"q": Flat()})
        Spalm().anonymize(Table.of_rows(schema, {"q": ["a", "b"]}), KAnonymity(k=2))

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        shares = [_Shares(lattice, table, member) for member in model.compared()]

        def admits(levels: Levels, recoded: RecodedRows, left: Counts) -> bool:
            return all(one.admit(levels, recoded.rows.table, left) for one in shares)

        metric = objective_metric(self.objective)
        nodes = LatticeNodes(lattice, table, model, suppression, metric, admits=admits)
        judged = dict(nodes.every()) if nodes.allowed else _from_the_top(nodes, lattice)
        held = [node for node in judged.values() if node is not None]
        best = min(held, key=lambda node: node.order).levels if held else lattice.top
        return best, {"nodes": lattice.size, "checked": len(judged), "proven": True}


def _from_the_top(nodes: LatticeNodes, lattice: Lattice) -> dict[Levels, Node | None]:
    """What was found at every node that is the top, or directly below a node that holds."""
    judged: dict[Levels, Node | None] = {}
    level: Sequence[Levels] = [lattice.top]
    while level:
        for levels in level:
            advance("searching", len(judged), lattice.size)
            judged[levels] = nodes.judged(levels, nodes.at(levels))
        held = [levels for levels in level if judged[levels] is not None]
        level = sorted({below for levels in held for below in lattice.below(levels)})
    return judged


class _Shares:
    """The groups of a population at the nodes of a lattice, and the records of the data in them."""

    def __init__(self, lattice: Lattice, table: Table, model: PopulationModel) -> None:
        self._model = model
        self._people = model.at_hand.table(table)
        self._columns = lattice.columns
        self._nodes = [table.taxonomies[name].nodes for name in lattice.columns]

    def admit(self, levels: Levels, rows: Table, left: Counts) -> bool:
        """Whether the model holds for every group of persons at a node, with so many records of each row left."""
        labels, radices = [], []
        for name, nodes, level in zip(self._columns, self._nodes, levels, strict=True):
            codes = np.concatenate([rows.codes[name], self._people.codes[name]])
            labels.append(nodes[level][codes])
            radices.append(int(nodes[level].max()) + 1)
        packing, group = Packing.of(labels, radices)
        present = np.bincount(group[: len(rows)], weights=left, minlength=len(packing)).astype(np.int64)
        people = np.bincount(group[len(rows) :], weights=self._people.counts, minlength=len(packing))
        return bool(self._model.admits(present, people.astype(np.int64)).all())
