"""Promises: the models of a release, each with its meaning, requirement and verdict, for readers of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sfumato.data.schema import Schema
from sfumato.errors import SfumatoError, UsageError, listed, shortened
from sfumato.models.base import ATTACKS, PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.releases.verdict import Verdict
from sfumato.report.figures import figure
from sfumato.settings.catalogue import find

_COLUMNS = 8
"""Quasi columns that are named."""

FINDING, LEARNING = "record linkage", "attribute linkage"


class Seen(NamedTuple):
    """What was found in a release that a statement about a model must not contradict.

    `bucketized` says whether links between columns are cut, `highest_risk` is the highest chance that a record is
    found by all quasi columns, and `certain` are the sensitive columns of which some group has a single value.
    """

    schema: Schema
    bucketized: bool = False
    highest_risk: float = 0.0
    certain: Collection[str] = ()


@dataclass(frozen=True)
class Promise:
    """One model of a release: its meaning, the level that it requires and the level of the weakest group.

    `attacker` says what an attacker may know, against whom the model protects, and `limited` whether that is less than
    all quasi columns. `guards_against` are the attacks that it protects from in this release, and `not_against` says
    in sentences which attacks of its kind it does not prevent here.
    """

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
    attacker: str = ""
    limited: bool = False
    not_against: tuple[str, ...] = ()

    @classmethod
    def of(cls, verdict: Verdict, seen: Seen | None = None) -> Promise:
        """The promise of a verdict; a model that is not in the catalogue has no meaning text.

        With what was seen in the release, the promise names the attacker, and leaves out attacks that the release
        allows although the model holds.
        """
        thing = _model_class(str(verdict.model.get("name", "")))
        model = _model(thing, verdict)
        attacker, limited = ("", False) if seen is None else _attacker(model, seen.schema)
        allowed = {} if seen is None else dict(_allowed(model, verdict, seen, limited))
        guarded: frozenset[str] = thing.guards_against if thing and verdict.holds else frozenset()
        attacks = [attack for attack in ATTACKS if attack in guarded and attack not in allowed]
        return cls(
            model=dict(verdict.model),
            described=verdict.described,
            meaning=_meaning(thing, verdict.model) if thing else "",
            guards_against=tuple(ATTACKS[attack] for attack in attacks),
            holds=verdict.holds,
            level=verdict.level,
            required=verdict.required,
            better=verdict.better,
            groups=verdict.groups,
            failing_groups=verdict.failing_groups,
            failing_records=verdict.failing_records,
            evidence=verdict.evidence,
            unit=verdict.unit,
            attacker=attacker,
            limited=limited,
            not_against=tuple(said for attack, said in allowed.items() if attack in guarded and said),
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

    @property
    def reached(self) -> str:
        """The level of the weakest group, as `finding` says it."""
        return self._figures()[1]

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


def _meaning(thing: type[PrivacyModel], settings: Mapping[str, Any]) -> str:
    """The summary of a model and, if it has a setting for that, how it reads missing values."""
    default = next((item.default for item in thing.settings() if item.name == "missing"), None)
    reading = _READINGS.get(settings.get("missing", default), "")
    return f"{thing.summary()} {reading}".rstrip()


def _model_class(name: str) -> type[PrivacyModel] | None:
    """The model of that name; None if the catalogue does not have it."""
    try:
        found = find("models", name)
    except UsageError:
        return None
    return found if issubclass(found, PrivacyModel) else None


def _model(thing: type[PrivacyModel] | None, verdict: Verdict) -> GroupModel | None:
    """The judged model with its settings; None if it does not judge groups, or was not given all settings."""
    if thing is None or not issubclass(thing, GroupModel):
        return None
    known = {setting.name for setting in thing.settings()}
    try:
        return thing.build({name: value for name, value in verdict.model.items() if name in known})
    except SfumatoError:
        return None


def _attacker(model: GroupModel | None, schema: Schema) -> tuple[str, bool]:
    """What an attacker may know against whom a model protects, and whether that is less than all quasi columns."""
    if model is None or not schema.quasi:
        return "", False
    columns, at_most = (known := model.known_columns(schema)).columns, known.at_most
    if at_most < len(columns):
        of = "" if set(columns) == set(schema.quasi) else f": {listed(columns)}"
        values = "one value" if at_most == 1 else f"any {at_most} values"
        return f"An attacker may know {values} of a person, of {len(columns)} quasi columns{of}.", True
    if set(columns) < set(schema.quasi):
        return f"An attacker may know {listed(columns)} of a person, and no other quasi column.", True
    if len(columns) == 1:
        return f"An attacker may know {listed(columns)} of a person.", False
    return f"An attacker may know all {len(columns)} quasi columns of a person: {shortened(columns, _COLUMNS)}.", False


def _allowed(model: GroupModel | None, verdict: Verdict, seen: Seen, limited: bool) -> Iterator[tuple[str, str]]:
    """The attacks of the kind of a model that a release allows although the model holds, each with a sentence."""
    sensitive = () if model is None else model.sensitive_columns(seen.schema)
    if seen.bucketized and sensitive:
        yield FINDING, "It does not limit finding the record of a person: quasi values are not generalized."
    elif not limited and seen.highest_risk >= 1:
        yield FINDING, "It does not prevent finding a record here: some records are alone with their quasi values."
    elif verdict.model.get("k") == 1:
        yield FINDING, "It does not limit finding the record of a person, because groups of one record suffice."
    if model is None:
        return
    certain = [] if model.named_values else [name for name in sensitive if name in seen.certain]
    if not sensitive:
        yield LEARNING, ""
    elif certain and not limited:
        yield (
            LEARNING,
            f"It does not prevent that here: in some groups all {verdict.unit} have the same value of "
            f"{listed(certain)}, which is then certain.",
        )
