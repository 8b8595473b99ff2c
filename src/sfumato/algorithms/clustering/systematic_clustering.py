"""Systematic clustering: seeds at equal steps through the sorted records, and groups that grow together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.base import Clustering, Runs
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.errors import ParameterError, SchemaError, nearest
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import watched
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows


@dataclass(frozen=True, kw_only=True)
class SystematicClustering(Clustering):
    """Sorts records and cuts them into runs of k; a record of each run starts a group, and all groups grow together.

    The algorithm takes one place of all runs after the other, in a random order or the given one. The records of the
    first place start groups; each other record joins the group with fewer than k records whose loss increases least.
    The records after the last run, fewer than k, join any group. Groups have k to 2k - 1 records. Groups that the model
    rejects are dissolved, and their records one after the other join the group that holds and whose loss increases
    least; this is the step to l-diversity in section 4.6.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> SystematicClustering(order=(2, 3, 1)).anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist()
    [4, 3]

    References: Kabir (2010), sections 4.3 and 4.6; its worked examples take the increase of information loss with
    `min_levels=1` and categories as taxonomy nodes.
    """

    min_levels: Literal[0, 1] = param(
        1, doc="fewest levels that a category is charged for, where categories are published as taxonomy nodes"
    )
    loss: Literal["il", "sse", "adm"] = param(
        "il", doc="the loss of a group: information loss, squared errors or deviations from the median"
    )
    order: tuple[int, ...] = param((), doc="the places 1 to k of a run in the order they are taken; none: random")
    sort_by: tuple[str, ...] = param((), doc="quasi columns to sort by before the others, most important first")

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        order = np.array(self.order or random.permutation(k) + 1, dtype=np.int64) - 1
        runs = Partition.of_records(rows.each, self._groups(rows, k, order))
        return runs.row, runs.group, np.asarray(runs.counts)

    def _groups(self, rows: QuasiRows, k: int, order: NDArray[np.int64]) -> NDArray[np.int32]:
        """The group of each record."""
        if self.loss == "il":
            from sfumato.algorithms.clustering.loops.systematic_clustering import grow_together
            from sfumato.kernels.covers import empty_group_covers

            grown = empty_group_covers(rows.covers, rows.records // k)
            with watched("growing groups", rows.records, lambda: int(grown.size.sum())):
                return grow_together(rows.covers, grown, rows.each, k, order)
        from sfumato.algorithms.microaggregation.systematic_microaggregation import arrivals
        from sfumato.kernels.systematic_growth import grow_by_medians, grow_by_squares

        grow = grow_by_squares if self.loss == "sse" else grow_by_medians
        return grow(rows.points[rows.each], k, arrivals(np.arange(rows.records), k, (order + 1).tolist()))

    def _columns(self, table: Table) -> tuple[str, ...]:
        return (*self.sort_by, *(name for name in table.schema.quasi if name not in self.sort_by))

    def _needs_points(self) -> bool:
        return self.loss != "il"

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        for name in self.sort_by:
            if name not in table.schema.quasi:
                known = nearest(name, table.schema.quasi)
                raise SchemaError(f"'sort_by' names {name!r}, which is no quasi column; {known}")
        k = max(model.bounds.least_size(), 1)
        if self.order and sorted(self.order) != list(range(1, k + 1)):
            raise ParameterError(
                f"'order' of SystematicClustering must name each place of a run of {k} records once, from 1 to {k}; it "
                f"has {len(self.order)} entries. Leave it out to have it drawn."
            )
