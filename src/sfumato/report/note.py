"""Notes: remarks that the reader of a report must not overlook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.attacks.risk import Risk
from sfumato.data.schema import Role
from sfumato.releases.table_release import TableRelease
from sfumato.report.figures import percent
from sfumato.report.promise import Promise
from sfumato.report.published_column import PublishedColumn

_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Note:
    """One remark; a warning asks for a decision, a note only explains."""

    kind: Literal["warning", "note"]
    text: str


def homogeneous_share(release: TableRelease, column: str) -> float:
    """The share of published records in groups in which a sensitive column has a single value."""
    groups = release.groups
    if not groups.records:
        return 0.0
    alone = groups.histogram(column).distinct == 1
    return int(groups.sizes[alone].sum()) / groups.records


def notes_of(
    release: TableRelease, promises: Sequence[Promise], columns: Sequence[PublishedColumn], risk: Risk
) -> tuple[Note, ...]:
    """Every note that applies, warnings first."""
    found = [*_broken(promises), *_suppressed(release), *_homogeneous(release), *_at_risk(risk), *_silent(columns)]
    found += [*_misnamed(release), *_waived(release)]
    found += [Note("warning", doubt) for doubt in release.provenance.get("warnings", ())]
    return (*found, *_explained(release, columns, risk))


def _broken(promises: Sequence[Promise]) -> Iterator[Note]:
    for promise in promises:
        if not promise.holds:
            yield Note("warning", f"The promise {promise.described} is broken. Do not publish this release.")


def _suppressed(release: TableRelease) -> Iterator[Note]:
    left_out, records = release.candidate.suppressed_records, release.original.records
    if left_out:
        yield Note(
            "warning",
            f"{left_out:,} of {records:,} records ({percent(left_out / records)}) are left out. They are often the "
            "unusual ones, so rare cases are under-represented in the release.",
        )
    if left_out and release.recoding.linkage.cut:
        yield Note(
            "warning",
            "Bucketizing leaves out records whose sensitive value is too frequent, or which have too few values left. "
            "A person who is known to be in the data and is missing from the release may be taken for one of them.",
        )


def _persons(release: TableRelease) -> Iterator[Note]:
    original = release.original
    if original.person is not None:
        yield Note(
            "note",
            f"{original.records:,} records are about {original.persons:,} persons. Groups, promises, risks and the "
            "limit of suppression count persons, not records.",
        )


def _waived(release: TableRelease) -> Iterator[Note]:
    waived = int(release.original.counts[release.original.waived].sum())
    if waived:
        yield Note(
            "warning",
            f"{waived:,} of {release.original.records:,} people waive protection and are published as they are. All "
            "that is promised is promised to the others, who are protected without counting on them.",
        )


def _homogeneous(release: TableRelease) -> Iterator[Note]:
    for column in release.original.schema.sensitive:
        share = homogeneous_share(release, column)
        if share:
            yield Note(
                "warning",
                f"{percent(share)} of the published records lie in groups in which everybody has the same value of "
                f"{column!r}. An attacker who knows that a person is in such a group knows that value. Ask for "
                "diversity (for example distinct_l_diversity) if that matters.",
            )


def _misnamed(release: TableRelease) -> Iterator[Note]:
    for name, labels in release.recoding.labels.items():
        taxonomy = release.original.taxonomies.get(name)
        false = [label for label in (taxonomy.misnamed if taxonomy else ()) if label in labels.texts]
        if false:
            yield Note(
                "warning",
                f"{len(false):,} label{'s' if len(false) > 1 else ''} of {name!r}, such as {false[0]!r}, read like an "
                "interval without containing every value under it. Correct the taxonomy if readers will take it at its "
                "word.",
            )


def _at_risk(risk: Risk) -> Iterator[Note]:
    share = risk.prosecutor.share_above
    if share:
        yield Note(
            "warning",
            f"{percent(share)} of the published records could be picked out with a chance of more than "
            f"{percent(risk.threshold)} by somebody who knows that the person is in the data.",
        )


def _silent(columns: Sequence[PublishedColumn]) -> Iterator[Note]:
    for column in columns:
        if column.loss is not None and column.loss > _NEARLY_ALL:
            yield Note(
                "warning", f"Column {column.name!r} has lost {percent(column.loss)} of its detail and says little now."
            )


def _explained(release: TableRelease, columns: Sequence[PublishedColumn], risk: Risk) -> Iterator[Note]:
    sensitive = ", ".join(repr(name) for name in release.original.schema.sensitive)
    if release.recoding.linkage.cut:
        yield Note(
            "note",
            "Quasi values are published as they are, so an attacker who knows a person finds that person's bucket. "
            f"What is protected is the sensitive value ({sensitive}): it is one of those in the bucket.",
        )
    elif sensitive:
        yield Note(
            "note",
            f"Sensitive values ({sensitive}) are published unchanged. That is intended: what is protected is the link "
            "between a person and a value, by making people look alike in everything else.",
        )
    yield from _persons(release)
    yield from _masked(release)
    yield from _microaggregated(release)
    plain = ", ".join(repr(column.name) for column in columns if column.role == Role.PLAIN)
    if plain:
        yield Note("note", f"Columns {plain} pass through untouched. Make sure that nobody can be recognized by them.")
    if not risk.population_known:
        yield Note(
            "note",
            "No population was given, so the journalist's chances are taken to equal the prosecutor's.",
        )
    yield Note(
        "note",
        "The report shows how common original values are. Keep it with the data, not with the release.",
    )


def _microaggregated(release: TableRelease) -> Iterator[Note]:
    how = release.provenance.get("microaggregated")
    if how is None:
        return
    shown = " and ".join(", ".join(repr(name) for name in block) for block in how["columns"])
    counted = (
        "so that every column counts alike" if how["standardized"] else "as they are, so that large units count most"
    )
    yield Note(
        "note",
        f"Groups of near records publish one {how['centroid'].replace('_', ' ')} for each of {shown}. That is true of "
        f"the group and of nobody in it: totals are about right, and what varies within a group is gone. Nearness was "
        f"measured on values taken {'to a common scale, ' if how['standardized'] else ''}{counted}.",
    )
    if "least" in how:
        yield Note(
            "note",
            f"By that measure these groups lose {how['lost']:.4g} % of all that varies, and no groups of the same "
            f"least size, however they are formed, lose less than {how['least']:.4g} %.",
        )


def _masked(release: TableRelease) -> Iterator[Note]:
    for mask in release.provenance.get("masks", ()):
        columns = ", ".join(repr(name) for name in mask["columns"])
        yield Note(
            "note",
            f"{columns} went through {mask['name']} before anything was decided. Its draws are not kept, so that "
            "nobody can repeat them; the promises above do not count on it.",
        )
