"""Base of algorithms that put every record into a group and publish the smallest true label of each group.

Mondrian and the clustering algorithms derive from it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_groups
from sfumato.releases.table_candidate import TableCandidate


class Partitioning(TableAlgorithm):
    """Algorithms that put every record into a group; an author writes `_choose_groups`."""

    improvable: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    family: ClassVar[str] = "groups that publish ranges, sets or taxonomy nodes"

    @property
    def lets_waive(self) -> bool:
        """True: records of people who waive protection get groups of their own."""
        return True

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        return self._publish_improved(table, model, random, None)

    def _publish_improved(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> TableCandidate:
        """Publish the chosen groups, improved by the local search if one is given."""
        return self._generalized(table, self._every_group(table, model, random, search))

    def _every_group(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> Partition:
        """The groups of all records; people who waive protection are grouped only with records equal to theirs."""
        # Records of people who waive protection must not fill up groups: they are recognizable and protect nobody.
        kept = table.rows_where(~table.waived) if table.schema.waiver else table
        chosen = self._choose_groups(kept, model, random)
        if search is not None:
            chosen = search.of_covers(
                self._charged(kept), chosen, model, sets=self._publishes_sets(), min_levels=self._least_levels()
            )
        # The choice counted records. A group of k records of fewer than k persons has to be repaired.
        if kept.repeats_persons:
            chosen = self._with_enough_persons(kept, chosen, model)
        return self._with_waivers(table, chosen)

    def _with_enough_persons(self, table: Table, chosen: Partition, model: GroupModel) -> Partition:
        """The groups, repaired where they hold by records and not by persons: dissolved into others, or merged."""
        from sfumato.algorithms.clustering.covers import covers_at, covers_of
        from sfumato.algorithms.clustering.group_repair import repair_groups
        from sfumato.algorithms.clustering.quasi_rows import partition_of

        counts = table.counts[chosen.row] if chosen.counts is None else chosen.counts
        quasi, owner = table.distinct(table.schema.quasi)
        covers = covers_of(self._charged(quasi), sets=self._publishes_sets(), min_levels=self._least_levels())
        labels = repair_groups(
            table.rows_at(chosen.row, counts), covers_at(covers, owner[chosen.row]), chosen.group, model
        )
        return partition_of(table, owner, Partition(chosen.row, labels, counts))

    def _with_waivers(self, table: Table, chosen: Partition) -> Partition:
        """The groups of protected people, and further groups for the records of people who waive protection."""
        if not table.schema.waiver:
            return chosen
        alike = table.rows_where(table.waived).group_numbers(table.schema.quasi)
        return chosen.beside(table.waived, alike, table.counts)

    def _provenance(self, table: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        categories = "sets" if self._publishes_sets() else "taxonomy"
        found = super()._provenance(table, model, suppression, seed) | {"categories": categories}
        return found | {"labels": "taxonomy"} if self._publishes_nodes_of_numbers() else found

    @abstractmethod
    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        """Which group every row of the table belongs to."""

    def _generalized(self, table: Table, partition: Partition) -> TableCandidate:
        """The groups with the labels that this algorithm publishes."""
        nodes = self._publishes_nodes_of_numbers()
        return generalize_groups(table, partition, sets=self._publishes_sets(), numbers_as_nodes=nodes)

    def _charged(self, table: Table) -> Table:
        """The table by which the loss of groups is computed, so that it is the loss of what is published."""
        return table.with_numbers_as_categories() if self._publishes_nodes_of_numbers() else table

    def _publishes_sets(self) -> bool:
        return False

    def _publishes_nodes_of_numbers(self) -> bool:
        """Whether numbers and dates that have a taxonomy are published as its nodes."""
        return False

    def _least_levels(self) -> int:
        """The fewest levels of its taxonomy that a generalized category is charged for, when groups are compared."""
        return 0
