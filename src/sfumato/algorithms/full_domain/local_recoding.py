"""Local recoding by levels: every group is published at the first combination of levels at which it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.partitioning import Partitioning
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.arrays import Flags
from sfumato.metrics.ncp import Ncp
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.taxonomies.flat import Flat

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.distinct_rows import RecodedRows


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Partitioning):
    """Publishes only labels of the given taxonomies, for numbers too, and each group as exact as its records allow.

    The combinations of levels are taken in the order of what they lose. At each, the groups of the remaining records
    that satisfy the model are published, under the lowest taxonomy nodes above their values, and the others go on to
    the next combination. Records that are left at the end, and groups that fail, join the groups that lose least by it.

    For models that limit what can be learned of secrets, groups are also formed by their size alone and repaired
    afterwards, and the better of both is published.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = LocalRecoding().anonymize(hospital(), KAnonymity(k=3))
    >>> release.groups.sizes.tolist(), release.recoding.labels["Job"].texts
    ([3, 4], ('Professional', 'Artist'))

    References: Xu et al. (2006), Utility-based anonymization using local recoding, for the problem; book, section 3.1.
    """

    needs = frozenset({"kept_by_merging"})
    anytime: ClassVar[bool] = True

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by grouping three rows."""
        schema = Schema.of(quasi=["q"], taxonomies={"q": Flat()})
        LocalRecoding().anonymize(Table.of_rows(schema, {"q": ["a", "a", "b"]}), KAnonymity(k=2))

    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        from sfumato.algorithms.clustering.covers import covers_of
        from sfumato.algorithms.clustering.group_repair import repair_groups
        from sfumato.algorithms.full_domain.distinct_rows import DistinctRows
        from sfumato.algorithms.full_domain.level_costs import LevelCosts
        from sfumato.algorithms.full_domain.level_groups import groups_by_levels, holding, of_size

        lattice = Lattice.over(table)
        if not len(table):
            return Partition.of_labels(np.zeros(0, dtype=np.int32))
        costs, rows = LevelCosts(lattice, table, Ncp()), DistinctRows(table, lattice.columns, model)
        covers, least = covers_of(self._charged(table), sets=False), model.bounds.least_size()
        ways: list[Callable[[RecodedRows], Flags]] = [holding]
        if model.sensitive_columns(table.schema) and least > 1:
            ways.append(lambda recoded: of_size(recoded, least))
        found: list[tuple[float, int, Partition]] = []
        for way in ways:
            labels = repair_groups(table, covers, groups_by_levels(lattice, costs, rows, way, least), model)
            partition = Partition.of_labels(labels)
            found.append((Ncp().measure(self._generalized(table, partition)), len(found), partition))
        return min(found)[2]

    def _publishes_nodes_of_numbers(self) -> bool:
        return True
