"""The clustering of Loukides and Shao: groups grow while their loss stays below a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs
from sfumato.algorithms.clustering.quasi_rows import partition_of
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel
from sfumato.models.judge import judge
from sfumato.operations.suppress import most_suppressed
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows


@dataclass(frozen=True, kw_only=True)
class LoukidesShao(Clustering):
    """A group starts at a random record and takes the cheapest one while the loss of its cells is at most `threshold`.

    Groups with fewer than k records are not published. Their records are suppressed if the limit on suppression allows
    all of them; otherwise each joins the group whose loss increases least, as do records of groups that the model
    rejects. A small threshold gives precise groups and many records without a group; a large one gives few, large
    groups.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = LoukidesShao(threshold=0.2).anonymize(hospital(), KAnonymity(k=2), suppression=0.5)
    >>> release.candidate.suppressed_records, release.groups.sizes.tolist()
    (1, [4, 2])

    References: Loukides and Shao (2007), Capturing data usefulness and privacy protection in k-anonymisation, of whose
    two objectives this is the first; Kabir (2010), section 4.2.2.
    """

    by_record: ClassVar[bool] = False

    threshold: float = param(
        0.1, doc="the largest loss of a group, relative to one group of all", at_least=0, at_most=1
    )

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        from sfumato.algorithms.clustering.loops.greedy_growth import grown_to_loss
        from sfumato.kernels.covers import most_loss

        limit = floor(self.threshold * most_loss(rows.covers))
        row, group, counts = grown_to_loss(rows.covers, rows.counts, random.permutation(len(rows)), limit)
        return row, group, counts

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        kept = table.rows_where(~table.waived) if table.schema.waiver else table
        rows, owner = self._rows(kept)
        runs = self._cluster_records(kept, model, rows, owner, random)
        shares = kept.rows_at(runs.row, runs.counts)
        failing = ~model.holds(Groups.of_labels(shares, runs.group))
        left_out = shares.rows_where(failing[runs.group]).persons
        # Suppression is chosen only if it covers all failing
        # groups; otherwise all of their records join other groups.
        if not failing.all() and left_out <= most_suppressed(table, suppression):
            shortened = self._without_failing(table, model, partition_of(kept, owner, runs), failing)
            if shortened is not None:
                return shortened
        repaired = self._with_waivers(table, self._repair(kept, model, rows, owner, runs))
        return self._generalized(table, repaired)

    def _without_failing(
        self, table: Table, model: GroupModel, chosen: Partition, failing: Flags
    ) -> TableCandidate | None:
        """The release of only the groups that hold, if the model holds for it without the other groups."""
        partition = self._with_waivers(table, chosen)
        gone = np.append(failing, np.zeros(len(partition) - len(failing), dtype=bool))
        candidate = self._generalized(table, partition)
        candidate = candidate.suppressing(gone[partition.group])
        kept = all(verdict.holds for verdict in judge(candidate.view, model))
        return candidate if kept else None
