"""What a sensitive column gives away when it is published: values that are nearly sure, or of one person alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_digits import rounded_up
from sfumato.models.base import PrivacyModel
from sfumato.report.figures import percent

NEARLY_SURE = 0.9
"""The confidence in a sensitive value from which a warning says it."""
STAND_OUT, SOME = 0.05, 5
"""The share of persons who are the only ones with their value, and their number, from which a warning says it."""


@dataclass(frozen=True)
class SensitiveColumn:
    """One sensitive column of a release, by the numbers of its values; no number tells a value.

    `confidence` is the share of the most frequent value in the group where it is largest. `is_missing` says that the
    only value of which somebody can be nearly sure in any group is the missing one. `sure` is the share of all persons
    who have the value of the group with the largest share, `frequent` that of the most frequent value, and `values` the
    number of different values. `alone` are the persons who are the only ones with their value, out of `people`, which
    are of `unit`; it is None if a mask has changed the values, or they stand in no record.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.disclosure.groups import Groups
    >>> found = SensitiveColumn.of(Groups.of(hospital(), ["Sex"]), "Disease")
    >>> found.values, round(found.confidence, 2), found.alone, found.people
    (3, 0.75, 1, 7)
    """

    column: str
    kind: Kind
    confidence: float
    is_missing: bool
    sure: float
    frequent: float
    values: int
    alone: int | None
    people: int
    unit: str

    @classmethod
    def of(cls, groups: Groups, column: str, *, known: bool = True) -> SensitiveColumn:
        """Count the values of a column in the groups of a release and in all its records.

        If its values stand in no record, or not as others know them, `known` is false.
        """
        domain, histogram, whole = groups.domain(column), groups.histogram(column), groups.whole(column)
        people = groups.table.persons if groups.unit == "persons" else groups.table.records
        shares = histogram.counts / histogram.sizes[histogram.group]
        worst = int(shares.argmax()) if len(shares) else 0
        missing = domain.present if domain.has_missing else -1
        value = int(histogram.values[worst]) if len(shares) else missing
        nearly_sure = set(histogram.values[shares > NEARLY_SURE].tolist())
        present = np.delete(whole, missing) if missing >= 0 else whole
        return cls(
            column=column,
            kind=domain.kind,
            confidence=float(shares[worst]) if len(shares) else 0.0,
            is_missing=nearly_sure == {missing},
            sure=int(whole[value]) / people if people else 0.0,
            frequent=int(whole.max(initial=0)) / people if people else 0.0,
            values=int((whole > 0).sum()),
            alone=int((present == 1).sum()) if known else None,
            people=people,
            unit=groups.unit,
        )

    def warnings(self, models: Sequence[PrivacyModel], schema: Schema) -> tuple[str, ...]:
        """What a publisher should know, with the models that judged the release."""
        return tuple(said for said in (self._of_confidence(models, schema), self._of_values()) if said)

    @property
    def advice(self) -> str:
        """What could make groups less sure of a value; it depends on how frequent one value is in all records."""
        if self.values == 1:
            return "All records have this one, so no model can hide it: leave the column out, or publish it as plain."
        frequent = percent(rounded_up(self.frequent))
        if self.frequent > NEARLY_SURE:
            have = "miss it" if self.is_missing else "have the same value"
            return (
                f"{frequent} of all {self.unit} {have}, and no model "
                "can make every group less sure than that; distinct_l_diversity rules out certainty alone. Leave the "
                "column out if this is too much."
            )
        return f"confidence_bounding limits it, to {frequent} at best: so many of all {self.unit} have one value."

    def _of_confidence(self, models: Sequence[PrivacyModel], schema: Schema) -> str:
        if self.confidence <= NEARLY_SURE:
            return ""
        what = f"that the value of {self.column!r} is missing" if self.is_missing else f"of a value of {self.column!r}"
        confidence = percent(rounded_up(self.confidence))
        said = f"somebody who finds the group of a person can be up to {confidence} sure {what}."
        members = [member for model in models for member in model.members()]
        judging = [member for member in members if self.column in member.sensitive_columns(schema)]
        if self.values > 1:
            said += "".join(f" {self._allowance(member, schema)}" for member in judging)
        return f"{said} {self.advice}"

    def _allowance(self, model: PrivacyModel, schema: Schema) -> str:
        """What a model that holds allows to somebody who knows all quasi columns."""
        known = [member.known_columns(schema) for member in model.measured()]
        limited = any(set(one.columns) < set(schema.quasi) or one.at_most < len(one.columns) for one in known)
        most = 1.0 if limited else model.most_confidence(self.sure)
        return f"{model} allows {'that' if most >= 1 else f'up to {percent(rounded_up(most))}'}."

    def _of_values(self) -> str:
        if self.alone is None or self.alone < SOME or self.alone <= STAND_OUT * self.people:
            return ""
        numbers = self.kind is not Kind.TEXT
        coarser = "Round it by a mask" if numbers else "Publish coarser values"
        return (
            f"{self.alone:,} of {self.people:,} published {self.unit} ({self.alone / self.people:.1%}) are the only "
            f"ones with their value of {self.column!r}, which is published unchanged: somebody who knows this value of "
            f"a person finds the record, whatever the models promise. {coarser}, or make the column quasi, so that it "
            f"is generalized{' or microaggregated' if numbers else ''}."
        )
