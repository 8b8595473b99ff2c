"""k-member: grows groups of k records one after the other, each from a record far from the last seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.algorithms.clustering.base import Clustering, Runs
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.clustering.quasi_rows import QuasiRows

_OF_POINTS = 20_000
"""The default limit on rows for squared errors and deviations, which take much longer than information loss."""


@dataclass(frozen=True, kw_only=True)
class KMember(Clustering):
    """Greedy k-member clustering: a group starts far from the last seed and takes the k - 1 cheapest records.

    The seed of a group is the record farthest from the last seed. Then the group takes the record with the smallest
    increase of loss, k - 1 times. At the end, the remaining records, fewer than k, each join the group whose loss
    increases least. The first seed is the record farthest from a random one. On ties the first row is taken; records
    that agree in all quasi columns join together while there is room.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> KMember().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist()
    [4, 3]

    References: Byun, Kamra, Bertino and Li (2007), Efficient k-anonymization using clustering techniques; Kabir (2010),
    section 4.2.2.
    """

    by_record: ClassVar[bool] = False

    loss: Literal["il", "sse", "adm"] = param(
        "il", doc="the loss of a group: information loss, squared errors or deviations from the median"
    )

    def _cluster(self, rows: QuasiRows, k: int, random: np.random.Generator) -> Runs:
        first = int(np.searchsorted(np.cumsum(rows.counts), random.integers(rows.records), side="right"))
        if self.loss == "il":
            return _grown(rows, k, first)
        from sfumato.algorithms.clustering.losses import grown_to_size, point_loss

        return grown_to_size(point_loss(self.loss, rows.points, rows.records // k), rows.counts, k, first)

    def _needs_points(self) -> bool:
        return self.loss != "il"

    def _limit(self) -> int:
        return self.most_rows if self.loss == "il" else _OF_POINTS


def _grown(rows: QuasiRows, k: int, first: int) -> Runs:
    """Groups of k by the compiled loop; each remaining record joins the group whose loss increases least."""
    from sfumato.algorithms.clustering.loops.greedy_growth import grown_to_size
    from sfumato.kernels.covers import empty_group_covers, join_least, join_runs

    row, group, counts = grown_to_size(rows.covers, rows.counts, k, first)
    rest = group < 0
    grown = empty_group_covers(rows.covers, rows.records // k)
    join_runs(rows.covers, grown, row[~rest], group[~rest], counts[~rest])
    group[rest] = join_least(rows.covers, grown, row[rest], counts[rest])
    return row, group, counts
