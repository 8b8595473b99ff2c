"""The contract of a privacy model: a question about groups."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.disclosure.view import View
from sfumato.errors import UnsuitableError
from sfumato.models.search_bounds import SearchBounds
from sfumato.releases.verdict import Verdict, worst_of
from sfumato.settings.params import Declared

if TYPE_CHECKING:
    from sfumato.models.all_of import AllOf

WITNESSES = 5


class PrivacyModel(Declared):
    """Base of all models. An author writes `level` and `required`; judging, measuring and witnesses come from here.

    Facts that others read: `judges_groups_alone` (a group's answer depends on that group and the whole table only),
    `kept_by_merging` (merging groups that hold gives a group that holds), `about_secrets` (it asks what can be learned
    of the sensitive column, not how many records look alike), `about_distances` (how far apart sensitive numbers lie is
    part of the question), `guards_against`, and `better` (whether a higher or a lower level is safer).
    """

    judges_groups_alone: ClassVar[bool] = True
    kept_by_merging: ClassVar[bool] = True
    about_secrets: ClassVar[bool] = True
    about_distances: ClassVar[bool] = False
    guards_against: ClassVar[frozenset[str]] = frozenset()
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    @property
    @abstractmethod
    def required(self) -> float:
        """The level every group must reach."""

    @abstractmethod
    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The level each group reaches."""

    def informed(self, table: Table | None) -> PrivacyModel:
        """The model with everything it must learn from files or from the original table, which may not be at hand.

        Most models have nothing to learn.
        """
        return self

    def prepared(self, table: Table) -> Table:
        """A table of original values with the columns that the model works out for itself; most need none."""
        return table

    def in_brief(self) -> dict[str, Any]:
        """Name and settings for a certificate or a report, which others read: nothing that was learned about people."""
        return self.to_dict()

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether each group satisfies the model."""
        level = self.level(groups)
        return level >= self.required if self.better == "higher" else level <= self.required

    def safety(self, groups: Groups) -> NDArray[np.float64]:
        """How safe each group is, more being safer; by what a search weighs the privacy that a step costs."""
        level = self.level(groups)
        return level if self.better == "higher" else -level

    def measure(self, groups: Groups) -> float:
        """The level the worst group reaches; what could be promised of the table as it is."""
        level = self.level(groups)
        if not len(level):
            return float("nan")
        return float(level.min() if self.better == "higher" else level.max())

    def background(self, schema: Schema) -> KnownColumns:
        """The sets of columns that somebody could know together; the groups that each of them makes must hold."""
        columns = schema.known_together(getattr(self, "quasi", ""))
        return KnownColumns(columns, len(columns))

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose histogram the model asks for."""
        return (schema.one_sensitive(self.sensitive),) if hasattr(self, "sensitive") else ()

    @property
    def bounds(self) -> SearchBounds:
        """Numbers by which searches prune; those of a model that knows none exclude nothing."""
        return SearchBounds()

    def members(self) -> tuple[PrivacyModel, ...]:
        """The models this one is made of."""
        return (self,)

    def check(self, view: View, schema: Schema) -> Verdict:
        """Judge what a stranger sees, and say where it fails."""
        self._refuse_torn(view, schema)
        verdicts = [
            self.verdict(found.groups, np.ones(len(found.groups), dtype=np.int64))
            for found in self.background(schema).groupings(view, self.sensitive_columns(schema))
        ]
        verdict = verdicts[0] if len(verdicts) == 1 else worst_of(verdicts)
        return verdict if verdict.holds else replace(verdict, reasons=self.reasons(view, schema))

    def reasons(self, view: View, schema: Schema) -> tuple[str, ...]:
        """What makes groups fail, in words that tell nobody's values; most models have nothing to add."""
        return ()

    def doubts(self, table: Table) -> tuple[str, ...]:
        """What of its settings says nothing about a table, in words that tell nobody's values."""
        return ()

    def obstacles(self, table: Table) -> str:
        """Why no release of a table can hold, in words that tell nobody's values; empty where it knows of no reason."""
        return ""

    def fails(self, view: View, schema: Schema) -> NDArray[np.bool_]:
        """Which rows of what a stranger sees are in a group that does not hold."""
        self._refuse_torn(view, schema)
        failing: NDArray[np.bool_] | bool = False
        for found in self.background(schema).groupings(view, self.sensitive_columns(schema)):
            failing = failing | ~self.holds(found.groups)[found.labels]
        return np.asarray(failing, dtype=np.bool_)

    def _refuse_torn(self, view: View, schema: Schema) -> None:
        """Where links are cut, records that look alike and secrets that can be learned are told by different groups."""
        if view.linkage.cut and not self.about_secrets and self.sensitive_columns(schema):
            raise UnsuitableError(
                f"{self} asks at once how many records look alike and what can be learned of them, and in a bucketized "
                "release different groups answer that; ask k_anonymity and confidence_bounding one by one."
            )

    def verdict(self, groups: Groups, times: NDArray[np.int64]) -> Verdict:
        """What judging the groups found, each of which stands for as many like it as `times` says."""
        holds, level = self.holds(groups), self.level(groups)
        worst = np.argsort(level if self.better == "higher" else -level, kind="stable")
        failing = worst[~holds[worst]]
        shown = np.repeat(failing[:WITNESSES], np.minimum(times[failing[:WITNESSES]], WITNESSES))[:WITNESSES]
        return Verdict(
            model=self.in_brief(),
            described=str(self),
            holds=bool(holds.all()),
            level=self.measure(groups),
            required=float(self.required),
            better=self.better,
            groups=int(times.sum()),
            failing_groups=int(times[failing].sum()),
            failing_records=int(groups.sizes[failing] @ times[failing]),
            witnesses=tuple((int(groups.sizes[index]), float(level[index])) for index in shown),
        )

    def __and__(self, other: PrivacyModel) -> AllOf:
        from sfumato.models.all_of import AllOf

        return AllOf(models=(*self.members(), *other.members()))
