"""Datafly: generalizes the column with the most distinct values, level by level, until few records fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch, objective_metric, prepare_search
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Datafly(LatticeSearch):
    """Raises the column with the most distinct values by one level, until the records that fail can be suppressed.

    Distinct values are counted in all records as they are generalized so far; among equals the first column in order is
    raised. The search looks at one combination of levels per step and never goes back, so it is fast, and often
    generalizes more than needed. With `stop = "limit"` it ends when no more records must be suppressed than the limit
    allows. The original ends when at most k records must be: `stop = "k"`, with the least size of a group that the
    model implies as k. The limit is kept in both cases, so it should be at least k records for the second.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = Datafly().anonymize(hospital(), KAnonymity(k=3))
    >>> release.recoding.levels, release.provenance["search"]["raised"]
    ({'Job': 1, 'Sex': 0, 'Age': 1}, ['Job', 'Age'])

    References: Sweeney (1998), "Datafly: a system for providing anonymity in medical data"; book, section 5.1.2.2.
    """

    counts_persons: ClassVar[bool] = True
    way_out: ClassVar[str] = (
        "Allow more suppression, ask for less, give coarser taxonomies, or take optimal_lattice, which looks beyond "
        "one path through the levels."
    )

    stop: Literal["limit", "k"] = param(
        "limit", doc='the most records that may be left to suppress: those of the limit, or k if that is less ("k")'
    )

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        prepare_search(Datafly())

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        # The search does not measure losses, so any metric does.
        nodes = LatticeNodes(lattice, table, model, suppression, objective_metric("discernibility"))
        most = nodes.allowed if self.stop == "limit" else min(nodes.allowed, model.bounds.least_size())
        distinct, levels, raised = _distinct_values(lattice, table), lattice.bottom, list[str]()
        while True:
            advance("generalizing", len(raised), sum(lattice.heights))
            recoded = nodes.at(levels)
            if nodes.must_be_left_out(recoded) <= most:
                left, gone = recoded.without_failing(most)
                if gone <= most and left.any():
                    break
            if levels == lattice.top:
                break
            nodes.keep(levels, recoded)
            place = _most_distinct(lattice, levels, distinct)
            levels = (*levels[:place], levels[place] + 1, *levels[place + 1 :])
            raised.append(lattice.columns[place])
        return levels, {"nodes": lattice.size, "checked": len(raised) + 1, "raised": raised}


def _distinct_values(lattice: Lattice, table: Table) -> list[list[int]]:
    """For each column, the number of distinct values on each level."""
    taxonomies = [(table.taxonomies[name], table.histogram(name) > 0) for name in lattice.columns]
    return [[len(np.unique(nodes[there])) for nodes in taxonomy.nodes] for taxonomy, there in taxonomies]


def _most_distinct(lattice: Lattice, levels: Levels, distinct: list[list[int]]) -> int:
    """The column with the most distinct values of those below their root, the first one among equals."""
    places = [place for place, level in enumerate(levels) if level < lattice.heights[place]]
    return max(places, key=lambda place: distinct[place][levels[place]])
