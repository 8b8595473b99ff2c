"""Injector: buckets that protect against an attacker who can rule out sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.base import Bucketizing
from sfumato.algorithms.bucketization.eligibility import why_not
from sfumato.algorithms.bucketization.records import Records
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Injector(Bucketizing):
    """Buckets in which each record keeps l possible sensitive values, also for an attacker who can rule out values.

    The algorithm is made for `matching_l_diversity`, whose rules state which values are ruled out for which records;
    rules may be mined from the table itself. The members of a bucket have distinct values, and no value is ruled out
    for a member. So each value of the bucket stays possible for each member, with a probability of at most 1 in l.

    `strategy="near"` chooses members that are near in the quasi columns. It then swaps members while this brings the
    associations between quasi columns and sensitive values that a recipient can reconstruct closer to the truth.
    `"guarded"` takes any compatible members in one pass. A record that finds no such bucket joins one in which all
    members still have l possible values, if the model allows a value to make up more than 1 in l; otherwise it is
    suppressed, within the limit on suppression. `"three_phases"` is the algorithm of the paper, which leaves many
    records to its last phase, where buckets grow.

    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import MatchingLDiversity
    >>> known = {"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]}
    >>> release = Injector().anonymize(nine_patients(), MatchingLDiversity(l=2, knowledge=known), seed=0)
    >>> sorted(release.groups.sizes.tolist()), release.holds
    ([2, 2, 2, 3], True)

    References: Li and Li (2008), Injector: mining background knowledge for data anonymization.
    """

    strategy: Literal["near", "guarded", "three_phases"] = param("near", doc="how members of a bucket are chosen")
    tables: Literal["one", "two"] = param("one", doc="sensitive values shuffled inside buckets, or in a separate table")
    effort: float = param(1.0, doc="factor on the number of swaps of near members; 0 for none", at_least=0)

    @property
    def anytime(self) -> bool:  # type: ignore[override]  # a fact of one strategy
        """Only near members are searched for; the other strategies choose each member once."""
        return self.strategy == "near"

    @property
    def separate_table(self) -> bool:
        """Whether sensitive values have a table of their own."""
        return self.tables == "two"

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        from sfumato.algorithms.bucketization.group_merging import place_by_merging
        from sfumato.algorithms.bucketization.guarded_members import guarded_buckets
        from sfumato.algorithms.bucketization.near_members import near_buckets
        from sfumato.algorithms.bucketization.three_phases import three_phases

        records, l = Records.of(table, row, model), model.bounds.least_size()
        if self.strategy == "three_phases":
            return three_phases(records, l)
        near_ones = self.strategy == "near"
        buckets = (
            near_buckets(records, l, effort=self.effort, random=random) if near_ones else guarded_buckets(records, l)
        )
        if (buckets >= 0).all():
            return buckets
        # Merged buckets keep l valid values, but one value may exceed 1 in l. Not every model accepts that, so the
        # completed buckets are checked before they replace the stricter ones.
        completed = place_by_merging(records, l, buckets)
        better = np.count_nonzero(completed < 0) < np.count_nonzero(buckets < 0)
        return completed if better and _keeps(table, row, model, completed) else buckets

    def _why(self, table: Table, model: GroupModel, suppression: float) -> str:
        sensitive = model.sensitive_columns(table.schema)[0]
        return (
            model.infeasible_because(table)
            or why_not(table, sensitive, model.bounds.least_size())
            or super()._why(table, model, suppression)
        )


def _keeps(table: Table, row: NDArray[np.int64], model: GroupModel, buckets: NDArray[np.int32]) -> bool:
    """Whether the model holds in each bucket."""
    inside = buckets >= 0
    rows = table.rows_at(row[inside], np.ones(int(inside.sum()), dtype=np.int64))
    return bool(model.holds(Groups.of_labels(rows, buckets[inside])).all())
