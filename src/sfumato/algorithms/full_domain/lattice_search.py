"""Base of algorithms that generalize every column to one level, and search the lattice of these levels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UsageError, nearest
from sfumato.metrics.base import TableMetric
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_levels
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.catalogue import without_required_settings
from sfumato.taxonomies.flat import Flat


class LatticeSearch(TableAlgorithm):
    """Algorithms that generalize whole columns to a level; an author writes `_choose_levels`."""

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        lattice = Lattice.over(table)
        levels, facts = self._choose_levels(lattice, table, model, suppression)
        candidate = generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))
        return replace(candidate, search=facts)

    @abstractmethod
    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        """A level for every column of the lattice, and facts about the search for the provenance of the release."""


def objective_metric(name: str, **settings: Any) -> TableMetric:
    """The metric of that name, with the given settings and its own for the others."""
    metrics = without_required_settings("metrics", TableMetric)  # type: ignore[type-abstract]
    offered = {thing.name(): thing for thing in metrics}
    if name not in offered:
        raise ParameterError(
            f"'objective' must be the name of a metric of tables without required settings; {nearest(name, offered)}"
        )
    return offered[name](**settings)


def refuse_large_lattice(lattice: Lattice, name: str, most: int) -> None:
    """Raise an error if a lattice has more nodes than an algorithm of that name goes through."""
    if lattice.size > most:
        raise UsageError(
            f"the lattice has {lattice.size} combinations and {name} goes through at most {most}; use optimal_lattice, "
            "or raise 'most'."
        )


def prepare_search(search: LatticeSearch) -> None:
    """Compile the loops of a search, or load them from the cache, by generalizing two rows."""
    schema = Schema.of(quasi=["q"], taxonomies={"q": Flat()})
    search.anonymize(Table.of_rows(schema, {"q": ["a", "b"]}), KAnonymity(k=2))
