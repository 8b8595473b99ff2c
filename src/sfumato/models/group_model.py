"""Base of models that judge groups of records which an attacker cannot distinguish."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.disclosure.background import Background
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.disclosure.view import View
from sfumato.errors import UnsuitableError
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.models.search_bounds import SearchBounds
from sfumato.releases.verdict import Verdict, worst_of
from sfumato.settings.params import Selected, param

WITNESSES = 5
"""Most failing groups that a verdict shows."""


def sensitive_setting(doc: str = "the sensitive column; may stay empty where there is only one") -> Any:
    """A setting that names the sensitive column whose histograms a model reads."""
    return param("", doc=doc, selects="sensitive")


def quasi_setting() -> Any:
    """A setting that names the quasi-identifier by whose columns a model groups records."""
    return param("", doc="name of the quasi-identifier; empty means all quasi columns", selects="quasi")


class GroupModel(PrivacyModel):
    """Base of models that judge each group by its size and histograms, and by those of the whole table.

    A model defines `level` and `required`; this class measures, judges and returns verdicts with witnesses. A model
    that reads a sensitive column declares its setting with `sensitive_setting`, and one that can be limited to a
    quasi-identifier with `quasi_setting`. A model with bounds for searches returns them from `bounds`.

    Facts that other modules read: `kept_by_merging` (the union of groups that hold also holds), `kept_by_suppressing`
    (groups that hold still hold when other groups are suppressed), `about_secrets` (it limits what can be learned of a
    sensitive column, not the size of groups), `about_distances` (it depends on the differences of sensitive numbers)
    and `one_record_a_person` (its inference is valid only if every person has one record).
    """

    kept_by_merging: ClassVar[bool] = True
    kept_by_suppressing: ClassVar[bool] = True
    about_secrets: ClassVar[bool] = True
    about_distances: ClassVar[bool] = False
    one_record_a_person: ClassVar[bool] = False

    @abstractmethod
    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The level of each group."""

    def holds(self, groups: Groups) -> Flags:
        """Whether each group satisfies the model."""
        level = self.level(groups)
        return level >= self.required if self.better == "higher" else level <= self.required

    def measure(self, groups: Groups) -> float:
        """The level of the worst group: the strictest setting for which the groups hold."""
        level = self.level(groups)
        if not len(level):
            return float("nan")
        return float(level.min() if self.better == "higher" else level.max())

    @property
    def missing_is_a_value(self) -> bool:
        """Whether a missing sensitive value is judged like any other value."""
        return True

    @property
    def reads_order(self) -> bool:
        """Whether a level depends on the order of codes of sensitive values, or on their taxonomy."""
        return False

    @property
    def named_values(self) -> tuple[str, ...]:
        """The sensitive values that are named by the settings, or by knowledge that is loaded."""
        return ()

    def values_read(self, column: str, schema: Schema) -> int | None:
        """How many of the most frequent values of a sensitive column `holds` and `bounds` read in each group.

        None means that they read all values. A number means that the answers stay the same if a histogram has only so
        many of the most frequent values of each group, besides those of `always_read`, and the true sizes. A search
        then need not count the others, which matters in columns of thousands of values.
        """
        return None

    def always_read(self, domain: Domain) -> Flags:
        """Which values of a column are counted however rare they are: a missing value, and `named_values`."""
        always = np.arange(len(domain)) >= domain.present
        for value in self.named_values:
            code = domain.code_of(value)
            if code is not None:
                always[code] = True
        return always

    @property
    def bounds(self) -> SearchBounds:
        """Bounds by which searches prune; the default excludes nothing."""
        return SearchBounds()

    def background(self, schema: Schema) -> Background[Any]:
        """What an attacker may know; the model must hold for every grouping. A model of other data overrides it."""
        return self.known_columns(schema)

    def known_columns(self, schema: Schema) -> KnownColumns:
        """The sets of columns of a table that an attacker could know together."""
        columns = schema.known_together(self._selected("quasi") or "")
        return KnownColumns(columns, len(columns))

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The column that the model's `sensitive_setting` names; none if the model has no such setting."""
        column = self._selected("sensitive")
        return () if column is None else (schema.one_sensitive(column),)

    def _selected(self, what: Selected) -> str | None:
        """The value of the setting that selects a column or quasi-identifier; None if the model has no such setting."""
        return next((getattr(self, one.name) for one in self.settings() if one.selects == what), None)

    def check(self, view: View) -> Verdict:
        """Judge every grouping of a view, and combine the verdicts."""
        self._refuse_unsuitable(view)
        verdicts = [
            self.verdict(found.groups, np.ones(len(found.groups), dtype=np.int64))
            for found in self.background(view.schema).groupings(view, self.sensitive_columns(view.schema))
        ]
        verdict = verdicts[0] if len(verdicts) == 1 else worst_of(verdicts)
        return verdict if verdict.holds else replace(verdict, reasons=self.reasons(view))

    def as_group_model(self) -> GroupModel:
        """The model itself."""
        return self

    def measured(self) -> tuple[GroupModel, ...]:
        """The model itself."""
        return (self,)

    def reasons(self, view: View) -> tuple[str, ...]:
        """Why groups fail, without values of records; most models give no reasons."""
        return ()

    def fails(self, view: View) -> Flags:
        """Which rows of a view are in a group that does not hold."""
        self._refuse_unsuitable(view)
        failing: Flags | bool = False
        for found in self.background(view.schema).groupings(view, self.sensitive_columns(view.schema)):
            failing = failing | ~self.holds(found.groups)[found.labels]
        return np.asarray(failing, dtype=np.bool_)

    def verdict(self, groups: Groups, times: NDArray[np.int64]) -> Verdict:
        """The verdict on groups, each of which stands for `times` equal groups."""
        holds, level = self.holds(groups), self.level(groups)
        # `holds` decides, not the level: some models also require something that the level does not show.
        worst = np.argsort(level if self.better == "higher" else -level, kind="stable")
        failing = worst[~holds[worst]]
        shown = np.repeat(failing[:WITNESSES], np.minimum(times[failing[:WITNESSES]], WITNESSES))[:WITNESSES]
        return Verdict(
            model=self.public_settings(),
            described=str(self),
            holds=bool(holds.all()),
            level=self.measure(groups),
            required=float(self.required),
            better=self.better,
            groups=int(times.sum()),
            failing_groups=int(times[failing].sum()),
            failing_records=int(groups.sizes[failing] @ times[failing]),
            witnesses=tuple((int(groups.sizes[index]), float(level[index])) for index in shown),
            unit=groups.unit,
        )

    def _refuse_unsuitable(self, view: View) -> None:
        """Raise an error for views that the model cannot judge.

        If links are cut, the groups of indistinguishable records differ from those that share sensitive values.
        """
        if self.one_record_a_person and view.data.repeats_persons:
            raise UnsuitableError(
                f"{self} assumes one record for each person, and persons here have several records; use "
                "confidence_bounding, or publish one record for each person."
            )
        if view.linkage.cut and not self.about_secrets and self.sensitive_columns(view.schema):
            raise UnsuitableError(
                f"{self} limits both the size of groups and what can be learned of them, and in a bucketized release "
                "these are different groups; check k_anonymity and confidence_bounding one by one."
            )
