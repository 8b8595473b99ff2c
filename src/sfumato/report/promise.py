"""Promises: the models of a release, each with its meaning, requirement and verdict, for readers of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import UsageError
from sfumato.models.base import ATTACKS
from sfumato.releases.verdict import Verdict
from sfumato.report.figures import figure
from sfumato.settings.catalogue import find
from sfumato.settings.params import Declared


@dataclass(frozen=True)
class Promise:
    """One model of a release: its meaning, the level that it requires and the level of the weakest group."""

    model: Mapping[str, Any]
    described: str
    meaning: str
    guards_against: tuple[str, ...]
    holds: bool
    level: float
    required: float
    better: str
    groups: int
    failing_groups: int
    failing_records: int
    evidence: str
    unit: str = "records"

    @classmethod
    def of(cls, verdict: Verdict, *, bucketized: bool = False) -> Promise:
        """The promise of a verdict; a model that is not in the catalogue has no meaning text.

        If the release is bucketized, its quasi values are published unchanged, so no model protects against finding
        records.
        """
        thing = _model_class(str(verdict.model.get("name", "")))
        guarded: frozenset[str] = getattr(thing, "guards_against", frozenset())
        attacks = sorted(guarded - {"record linkage"} if bucketized else guarded)
        return cls(
            model=dict(verdict.model),
            described=verdict.described,
            meaning=_meaning(thing, verdict.model) if thing else "",
            guards_against=tuple(ATTACKS.get(attack, attack) for attack in attacks),
            holds=verdict.holds,
            level=verdict.level,
            required=verdict.required,
            better=verdict.better,
            groups=verdict.groups,
            failing_groups=verdict.failing_groups,
            failing_records=verdict.failing_records,
            evidence=verdict.evidence,
            unit=verdict.unit,
        )

    @property
    def finding(self) -> str:
        """The requirement and the result in one sentence."""
        bound = "at least" if self.better == "higher" else "at most"
        required, level = self._figures()
        requirement = f"{bound} {required} is required"
        if self.evidence == "accounted":
            outcome = "Holds" if self.holds else "Fails"
            return f"{outcome} by the account of the algorithm: {requirement}, and {level} was spent."
        if self.holds and not self.groups:
            return f"Holds: {requirement}, and no record is published."
        if self.holds:
            return f"Holds: {requirement}, and the weakest of {self.groups:,} groups reaches {level}."
        return (
            f"Fails: {requirement}, but {self.failing_groups:,} of {self.groups:,} groups "
            f"with {self.failing_records:,} {self.unit} fall short; the weakest reaches {level}."
        )

    def _figures(self) -> tuple[str, str]:
        """The required level and the one that is reached, with more digits if a model fails by less than they show."""
        required, level = figure(self.required), figure(self.level)
        if self.holds or required != level:
            return required, level
        return f"{self.required:.12g}", f"{self.level:.12g}"


_READINGS = {
    "value": "A missing value counts as a value of its own.",
    "no value": "A missing value does not count as a value, and a group needs a known one.",
}
"""What the setting `missing` of a model means for what it promises."""


def _meaning(thing: type[Declared], settings: Mapping[str, Any]) -> str:
    """The summary of a model and, if it has a setting for that, how it reads missing values."""
    default = next((item.default for item in thing.settings() if item.name == "missing"), None)
    reading = _READINGS.get(settings.get("missing", default), "")
    return f"{thing.summary()} {reading}".rstrip()


def _model_class(name: str) -> type[Declared] | None:
    """The model of that name; None if the catalogue does not have it."""
    try:
        return find("models", name)
    except UsageError:
        return None
