"""The summary of a report for readers who decide about a release: what it cost and what is left, in sentences.

`text` and `html` show it. Each sentence is about the release as a whole; details follow in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.data.schema import Role
from sfumato.errors import shortened
from sfumato.report.confidence import Confidence
from sfumato.report.figures import figure, percent
from sfumato.report.promise import Promise
from sfumato.report.report import Report

MOST_SENSITIVE = 4
"""Sensitive columns in the table of what is left."""

MOST_AVERAGES = 2
"""Sensitive columns up to which their average confidences are in this table, too; the section on risks has all."""

_COLUMNS = 3


@dataclass(frozen=True)
class LeftRisk:
    """One risk of the original and of the release."""

    name: str
    before: float | None
    after: float


@dataclass(frozen=True)
class PromisedAlike:
    """Models of one kind that all hold, or a single model: what they mean, and what was found."""

    described: tuple[str, ...]
    meaning: str
    holds: bool
    finding: str
    guards_against: tuple[str, ...]


def promised(report: Report) -> tuple[PromisedAlike, ...]:
    """The models of a release; those of one kind are together, so that many of them stay on one page."""
    alike: dict[object, list[Promise]] = {}
    for number, promise in enumerate(report.promises):
        kind = (promise.model.get("name"), promise.meaning)
        alike.setdefault(kind if promise.holds and promise.groups else number, []).append(promise)
    return tuple(_alike(promises) for promises in alike.values())


def _alike(promises: Sequence[Promise]) -> PromisedAlike:
    first, finding = promises[0], promises[0].finding
    if len(promises) > 1:
        levels = ", ".join(promise.reached for promise in promises)
        finding = f"All {len(promises)} hold: their weakest groups reach {levels}, in this order."
    described = tuple(promise.described for promise in promises)
    guarded = tuple(attack for attack in first.guards_against if all(attack in one.guards_against for one in promises))
    return PromisedAlike(described, first.meaning, first.holds, finding, guarded)


SHORT = 200
"""Characters of a warning in the summary."""


def in_short(text: str, most: int) -> str:
    """The first sentences of a text, or the first words of a long sentence, in at most so many characters.

    >>> in_short("One. Two words. Three.", 16), in_short("One two three four.", 12), in_short("One. Two.", 20)
    ('One. Two words. …', 'One two…', 'One. Two.')
    """
    if len(text) <= most:
        return text
    start = text[:most]
    sentences = start.rfind(". ")
    kept = start[: sentences + 1] if sentences > 0 else start.rpartition(" ")[0].rstrip(",;:")
    return f"{kept} …" if sentences > 0 else f"{kept or start[:-1]}…"


def to_whom(report: Report) -> tuple[str, ...]:
    """The attackers that the models are about, one sentence for each kind."""
    said = dict.fromkeys(promise.attacker for promise in report.promises if promise.attacker)
    return tuple(said)


def cost_of(report: Report) -> tuple[str, ...]:
    """What the release lost, in sentences."""
    suppressed, records = report.suppressed_records, report.records
    counted = "All records are published." if not suppressed else ""
    if suppressed:
        share = percent(suppressed / records)
        counted = (
            f"{report.published_records:,} of {records:,} records are published; {suppressed:,} ({share}) are not."
        )
    if not report.published_records:
        return (counted, "No record is published, so nothing can be learned from the release, by anybody.")
    masked = shortened(_masked(report))
    masks = (f"Masks changed {masked} before; that is not included.",) if masked else ()
    if report.bucketized:
        together = f"buckets of {figure(report.group_sizes.average)} {report.unit} on average"
        said = (
            "Values are not generalized. What is lost is the link between a record and its sensitive value, which is "
            f"known only within {together}."
        )
        return counted, said, *masks
    lost = report.detail_lost
    scale = "0% means that all values are unchanged, 100% that all records are one group"
    return counted, f"{percent(lost)} of the detail was lost ({scale}).", *_columns(report), *_worse(report), *masks


def _masked(report: Report) -> list[str]:
    """The columns that masks changed before the algorithm ran."""
    return list(dict.fromkeys(name for mask in report.provenance.get("masks", ()) for name in mask["columns"]))


def _columns(report: Report) -> tuple[str, ...]:
    """Which columns lost most, and which lost nothing."""
    lost = sorted((one for one in report.quasi if one.loss), key=lambda one: -(one.loss or 0.0))
    kept = [one.name for one in report.quasi if not one.loss]
    most = [f"{one.name} ({percent(one.loss or 0.0)})" for one in lost[:_COLUMNS]]
    said = [f"The columns that lost most are {shortened(most)}."] if len(lost) > 1 else []
    said += [f"Columns that lost nothing: {shortened(kept, 6)}."] if kept and lost else []
    return tuple(said)


def _worse(report: Report) -> tuple[str, ...]:
    """By which measures the release is worse than one group of all records."""
    worse = [cost.described for cost in report.costs if cost.is_worse_than_one_group]
    return (f"Worse than all records as one group by {shortened(worse)}.",) if worse else ()


def left_risks(report: Report) -> tuple[LeftRisk, ...]:
    """What attackers can still achieve, beside what they could with the original; what models limit comes first."""
    risk, original, unit = report.risk, report.original_risk, report.unit
    one = unit.removesuffix("s")
    found = [
        LeftRisk(
            f"highest chance of finding a {one}",
            None if original is None else original.prosecutor.highest,
            risk.prosecutor.highest,
        ),
        LeftRisk(
            f"average chance of finding a {one}",
            None if original is None else original.prosecutor.average,
            risk.prosecutor.average,
        ),
        LeftRisk(
            f"{unit} with a chance above {percent(risk.threshold)}",
            None if original is None else original.prosecutor.share_above,
            risk.prosecutor.share_above,
        ),
    ]
    learned = []
    for sure in _most_sensitive(report):
        learned.append(LeftRisk(f"highest confidence in {sure.column}", sure.original_highest, sure.highest))
        if len(report.confidences) <= MOST_AVERAGES:
            learned.append(LeftRisk(f"average confidence in {sure.column}", sure.original_average, sure.average))
    return tuple([*learned, *found] if report.bucketized else [*found, *learned])


def _most_sensitive(report: Report) -> list[Confidence]:
    return sorted(report.confidences, key=lambda one: -one.highest)[:MOST_SENSITIVE]


def left_of(report: Report) -> tuple[str, ...]:
    """What the numbers compare with, and what the models do not limit, in sentences."""
    guesses = [f"{one.column} in {percent(one.guess)}" for one in _most_sensitive(report)]
    said = (
        [f"Without any table, the best guess is right for {' and for '.join(guesses)} of persons."] if guesses else []
    )
    said += [f"{promise.described}: {text}" for promise in report.promises for text in promise.not_against]
    if report.plain is not None:
        alone, records = report.plain.unique, report.plain.records
        columns = shortened(list(report.plain.columns), 4)
        said.append(
            f"Somebody who also knows {columns} finds {alone:,} of {records:,} published records for sure "
            f"({percent(alone / records)}): these columns are published as they are, and no model counts them."
        )
    elif any(column.role in (Role.PLAIN, Role.TARGET) for column in report.columns):
        said.append(
            "Other columns are published that no model counts. What they give away was not measured here; a plan or "
            "sfumato check measures it."
        )
    more = len(report.confidences) - MOST_SENSITIVE
    if more > 0:
        said.append(f"{more} more sensitive columns have no higher confidences; they are listed below.")
    return tuple(said)


def attacked_of(report: Report) -> str:
    """What attacks count where the models count persons; otherwise empty."""
    if report.unit != "persons":
        return ""
    return (
        "Models count persons here, attacks count records: a person with several records is attacked once for each of "
        "them, and the 95% range takes records for independent, so it is too narrow."
    )


def warnings_of(report: Report) -> tuple[str, ...]:
    """The warnings that no other sentence of the summary says."""
    said = "" if report.plain is None else report.plain.warning.lower()
    return tuple(text for text in report.warnings if text.lower() != said)
