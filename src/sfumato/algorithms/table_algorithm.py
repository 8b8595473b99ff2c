"""Base of algorithms for tables.

It refuses tables that an algorithm cannot publish, suppresses groups that fail within the limit, and says why nothing
could be published. Families derive from it: partitioning, bucketization, microaggregation, full-domain search and
specialization.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import SchemaError, UnsuitableError
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.operations.suppress import suppress_failing
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease
from sfumato.releases.verdict import Verdict

_UNPROVEN = (
    "the search ended before all combinations were ruled out, so another one may lose less. Give it more time by "
    "[run] seconds, or fewer quasi columns."
)


class TableAlgorithm(Algorithm[Table, TableCandidate, TableRelease]):
    """Base of algorithms for tables; an author writes `_publish`, or the one step of a family.

    Facts that other modules read, beside those of `Algorithm`: `improvable` (a local search can improve its groups),
    `counts_persons` (it chooses by persons where they have several records), `optimal` (no release of its kind
    loses less by its objective, unless a time limit ends the search) and `family` (what its releases look like).
    """

    serves: ClassVar[frozenset[str]] = frozenset({"table"})
    improvable: ClassVar[bool] = False
    counts_persons: ClassVar[bool] = False
    optimal: ClassVar[bool] = False
    family: ClassVar[str] = "one label for a value wherever it occurs"

    @property
    def lets_waive(self) -> bool:
        """Whether it can publish the records of some persons as they are and generalize others with the same values."""
        return False

    @property
    def separate_table(self) -> bool:
        """Whether sensitive values are published in a table of their own."""
        return False

    def _publish_improved(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> TableCandidate:
        """What an improvable algorithm publishes after a local search improved its groups."""
        raise UnsuitableError(f"{self.name()} makes no groups that a local search could improve.")

    def _with_knowledge(self, model: PrivacyModel, data: Table) -> PrivacyModel:
        return model.with_knowledge(data)

    def _with_derived_columns(self, data: Table, model: GroupModel) -> Table:
        return model.with_derived_columns(data)

    def _suppress(self, candidate: TableCandidate, model: GroupModel, limit: float) -> TableCandidate:
        return suppress_failing(candidate, model, limit)

    def _release(
        self, candidate: TableCandidate, verdicts: tuple[Verdict, ...], provenance: dict[str, Any]
    ) -> TableRelease:
        if not candidate.search:
            return TableRelease(candidate, verdicts, provenance)
        warnings = provenance["warnings"] + ([] if candidate.search.get("proven", True) else [_UNPROVEN])
        return TableRelease(candidate, verdicts, provenance | {"search": dict(candidate.search), "warnings": warnings})

    def _refuse_unsuitable(self, data: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(data, model)
        if not data.schema.quasi:
            raise SchemaError(
                'no column is declared quasi, so there is nothing to generalize; give the role "quasi" to columns that '
                "others may know of a person."
            )
        self._refuse_waivers(data)
        self._refuse_persons(data)
        for member in model.measured():
            member.known_columns(data.schema)
            member.sensitive_columns(data.schema)

    def _refuse_persons(self, table: Table) -> None:
        if table.repeats_persons and not self.counts_persons:
            raise UnsuitableError(
                f"{self.name()} counts records while it chooses, and {table.records:,} records are about "
                f"{table.persons:,} persons; take an algorithm that counts persons, such as mondrian, k_member or mdav."
            )

    def _refuse_waivers(self, table: Table) -> None:
        if table.schema.waiver and not self.lets_waive:
            raise UnsuitableError(
                f"{self.name()} has no way to publish some people as they are and not others, so nobody can waive "
                "protection; take mondrian, or publish those people in a file of their own."
            )
        if table.waived.all():
            raise UnsuitableError(
                "everybody waives protection, so there is nothing to choose; publish the data as it is."
            )

    def _why(self, data: Table, model: GroupModel, suppression: float) -> str:
        """The reason that a model knows, or the most common one: not even the whole table as one group satisfies it."""
        if model.infeasible_because(data):
            return model.infeasible_because(data)
        kept = data.rows_where(~data.waived)
        whole = Groups.of_labels(kept, np.zeros(len(kept), dtype=np.int32))
        failing = [member for member in model.measured() if member.kept_by_merging and not member.holds(whole).all()]
        if not failing:
            return self.way_out
        shown = "; ".join(f"{member} (the whole table reaches {member.measure(whole):.4g})" for member in failing)
        if suppression:
            return f"All records as one group fail {shown}. {self.way_out}"
        return f"Even all records as one group fail {shown}: ask for less, or for other models."

    def _warnings(self, data: Table, model: GroupModel, seed: int | None) -> list[str]:
        known = [warning for member in model.members() for warning in member.warnings(data)]
        return [*super()._warnings(data, model, seed), *_linked_persons(data), *known]


def _linked_persons(table: Table) -> list[str]:
    """A warning that pseudonyms link the records of a person, which models do not judge."""
    if not (table.repeats_persons and table.schema.column(table.schema.person).pseudonym):
        return []
    return [
        f"pseudonyms of {table.schema.person!r} link the records of a person. Models judge knowledge of one record: "
        "an attacker who knows several of them can intersect their groups. Leave the key out if that matters."
    ]
