"""Promises: what each model requires and what was found, in words for a data steward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import UsageError
from sfumato.releases.verdict import Verdict
from sfumato.report.figures import figure
from sfumato.settings.catalogue import find
from sfumato.settings.params import Declared

_ATTACKS = {
    "record linkage": "finding the row of a known person",
    "attribute linkage": "learning the sensitive value of a known person without finding the row",
    "table linkage": "learning whether a person is in the data at all",
    "probabilistic attack": "becoming much surer about a person than before",
    "background knowledge": "ruling values out for a person by what is known beforehand",
}


@dataclass(frozen=True)
class Promise:
    """One model of a release: what it means, what was asked, what the weakest group reaches."""

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

    @classmethod
    def of(cls, verdict: Verdict) -> Promise:
        """The promise behind a verdict; a model that is not on offer here is still reported, without its meaning."""
        thing = _on_offer(str(verdict.model.get("name", "")))
        attacks = sorted(getattr(thing, "guards_against", ()))
        return cls(
            model=dict(verdict.model),
            described=verdict.described,
            meaning=thing.summary() if thing else "",
            guards_against=tuple(_ATTACKS.get(attack, attack) for attack in attacks),
            holds=verdict.holds,
            level=verdict.level,
            required=verdict.required,
            better=verdict.better,
            groups=verdict.groups,
            failing_groups=verdict.failing_groups,
            failing_records=verdict.failing_records,
            evidence=verdict.evidence,
        )

    @property
    def finding(self) -> str:
        """What was asked and what was found, in one sentence."""
        bound = "at least" if self.better == "higher" else "at most"
        asked = f"{bound} {figure(self.required)} is required"
        if self.evidence == "accounted":
            return f"Kept by the way the data were made: {asked}, {figure(self.level)} is accounted for."
        if self.holds and not self.groups:
            return f"Kept: {asked}, and nobody can stand out because no record is published."
        if self.holds:
            return f"Kept: {asked}, and the weakest of {self.groups:,} groups reaches {figure(self.level)}."
        return (
            f"Broken: {asked}, but {self.failing_groups:,} of {self.groups:,} groups with {self.failing_records:,} "
            f"records fall short; the weakest reaches {figure(self.level)}."
        )


def _on_offer(name: str) -> type[Declared] | None:
    try:
        return find("models", name)
    except UsageError:
        return None
