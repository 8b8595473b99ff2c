"""Base of algorithms that generalize every column to one level, and search the lattice of these levels."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_levels
from sfumato.releases.table_candidate import TableCandidate


class LatticeSearch(TableAlgorithm):
    """Algorithms that generalize whole columns to a level; an author writes `_choose_levels`."""

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        lattice = Lattice.over(table)
        levels = self._choose_levels(lattice, table, model, suppression)
        return generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))

    @abstractmethod
    def _choose_levels(self, lattice: Lattice, table: Table, model: GroupModel, suppression: float) -> tuple[int, ...]:
        """A level for every column of the lattice."""
