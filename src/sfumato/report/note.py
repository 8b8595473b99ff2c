"""Notes of a report: warnings about a release, and explanations of what was done. `report` collects them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.attacks.risk import Risk
from sfumato.audit.sensitive_columns import SensitiveColumn
from sfumato.data.schema import Role
from sfumato.disclosure.published_digits import rounded, rounded_down
from sfumato.errors import listed
from sfumato.releases.table_release import TableRelease
from sfumato.report.confidence import Confidence
from sfumato.report.figures import figure, percent
from sfumato.report.promise import Promise
from sfumato.report.published_column import PublishedColumn

_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Note:
    """One note; a warning calls for a decision, a note only explains."""

    kind: Literal["warning", "note"]
    text: str


def homogeneous_share(release: TableRelease, column: str) -> float:
    """The share of published records, or persons, in groups in which all of them share a sensitive value."""
    groups = release.candidate.groups(asked=[column])
    if not groups.records:
        return 0.0
    shared = groups.histogram(column).certain
    return int(groups.sizes[shared].sum()) / groups.records


_KEEP = Note(
    "note",
    "The report shows frequencies of original values. Keep it with the data; do not publish it with the release.",
)


def masks_of(release: TableRelease) -> dict[str, list[str]]:
    """For every masked column, the names of its masks."""
    found: dict[str, list[str]] = {}
    for mask in release.provenance.get("masks", ()):
        for name in mask["columns"]:
            found.setdefault(name, []).append(mask["name"])
    return found


def notes_of(
    release: TableRelease,
    promises: Sequence[Promise],
    columns: Sequence[PublishedColumn],
    risk: Risk,
    confidences: Sequence[Confidence],
) -> tuple[Note, ...]:
    """Every note that applies, warnings first."""
    found = [
        *_failing_models(promises),
        *_suppressed_records(release),
        *_homogeneous_groups(release),
        *_records_at_risk(release, risk),
        *_lossy_columns(release, columns),
    ]
    found += [*_misleading_labels(release), *_waived_records(release)]
    found += [Note("warning", _sentence(warning)) for warning in release.provenance.get("warnings", ())]
    return (*found, *_explanations(release, promises, columns, risk, confidences))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _failing_models(promises: Sequence[Promise]) -> Iterator[Note]:
    for promise in promises:
        if not promise.holds:
            yield Note("warning", f"The release does not satisfy {promise.described}. Do not publish it.")


def _suppressed_records(release: TableRelease) -> Iterator[Note]:
    suppressed, records = release.candidate.suppressed_records, release.original.records
    if suppressed and suppressed == records:
        yield Note("warning", f"All {records:,} records are suppressed: the release has no record.")
        return
    if suppressed:
        yield Note(
            "warning",
            f"{suppressed:,} of {records:,} records ({percent(suppressed / records)}) are suppressed. They are often "
            "unusual, so rare cases are under-represented in the release.",
        )
    if suppressed and release.recoding.linkage.cut:
        yield Note(
            "warning",
            "Bucketization suppresses records whose sensitive value is too frequent, or for which too few other values "
            "are left. If a person is known to be in the data but is missing from the release, an attacker may infer "
            "such a value.",
        )


def _person_counts(release: TableRelease) -> Iterator[Note]:
    original = release.original
    if original.person is not None:
        yield Note(
            "note",
            f"{original.records:,} records are about {original.persons:,} persons. Groups, models, risks and the "
            "suppression limit count persons, not records.",
        )


def _waived_records(release: TableRelease) -> Iterator[Note]:
    waived = int(release.original.counts[release.original.waived].sum())
    if waived:
        yield Note(
            "warning",
            f"{waived:,} of {release.original.records:,} records belong to persons who waive protection and are "
            "published unchanged. The models protect the others, without counting these records.",
        )


def _homogeneous_groups(release: TableRelease) -> Iterator[Note]:
    unit = release.groups.unit
    for column in release.original.schema.sensitive:
        share = homogeneous_share(release, column)
        if share:
            found = SensitiveColumn.of(release.candidate.groups(asked=[column]), column)
            same, what = ("the same value of", "that value")
            if found.is_missing:
                same, what = ("no value of", "that it is missing")
            advice = "If that matters, add a diversity model, for example distinct_l_diversity."
            advice = advice if found.values > 1 else found.advice
            yield Note(
                "warning",
                f"{percent(share)} of the published {unit} lie in groups in which all {unit} have {same} {column!r}. "
                f"An attacker who knows the group of a person knows {what}. {advice}",
            )


def _misleading_labels(release: TableRelease) -> Iterator[Note]:
    for name, labels in release.recoding.labels.items():
        taxonomy = release.original.taxonomies.get(name)
        false = [label for label in (taxonomy.misnamed if taxonomy else ()) if label in labels.texts]
        if false:
            yield Note(
                "warning",
                f"{len(false):,} label{'s' if len(false) > 1 else ''} of {name!r}, such as {false[0]!r}, look like an "
                "interval that does not contain every value below it. Correct the taxonomy if readers will rely on the "
                "label.",
            )


def _records_at_risk(release: TableRelease, risk: Risk) -> Iterator[Note]:
    share = risk.prosecutor.share_above
    if share and not release.recoding.linkage.cut:
        yield Note(
            "warning",
            f"{percent(share)} of the published {release.groups.unit} can be re-identified with a probability above "
            f"{percent(risk.threshold)} by an attacker who knows that the person is in the data.",
        )


def _lossy_columns(release: TableRelease, columns: Sequence[PublishedColumn]) -> Iterator[Note]:
    # A centroid covers a whole group and may still be close to each value.
    if "microaggregated" in release.provenance or release.suppressed.all():
        return
    for column in columns:
        if column.loss is not None and column.loss > _NEARLY_ALL:
            yield Note(
                "warning",
                f"Column {column.name!r} lost {percent(column.loss)} of its detail and has little information left.",
            )


def _explanations(
    release: TableRelease,
    promises: Sequence[Promise],
    columns: Sequence[PublishedColumn],
    risk: Risk,
    confidences: Sequence[Confidence],
) -> Iterator[Note]:
    if release.suppressed.all():
        yield from _person_counts(release)
        yield _KEEP
        return
    if release.recoding.linkage.cut:
        yield from _bucketized_columns(release, risk, confidences)
    else:
        yield from _sensitive_columns(release, confidences)
    yield from _limited_attackers(promises)
    yield from _person_counts(release)
    yield from _masked_columns(release)
    yield from _microaggregated_columns(release)
    yield from _search(release)
    masked = masks_of(release)
    plain = [column.name for column in columns if column.role == Role.PLAIN and column.name not in masked]
    if plain:
        subject = f"Column {plain[0]!r} is" if len(plain) == 1 else f"Columns {listed(plain)} are"
        them = "it identifies" if len(plain) == 1 else "they identify"
        yield Note("note", f"{subject} published unchanged. Make sure that {them} no person.")
    if not risk.population_known:
        yield Note(
            "note",
            "No population was given, so the risk of the journalist is assumed to equal that of the prosecutor.",
        )
    yield _KEEP


def _search(release: TableRelease) -> Iterator[Note]:
    """How far a search over combinations of levels came, and what is proven of its result."""
    search = release.provenance.get("search", {})
    if "proven" not in search:
        return
    looked = f"{search['checked']:,} of {search['nodes']:,}" if "checked" in search else f"All {search['nodes']:,}"
    if search["proven"]:
        yield Note("note", f"{looked} combinations of levels were looked at, and it is proven that none loses less.")
        return
    loss, bound = search.get("loss"), search.get("lower_bound")
    known = ""
    if loss is not None and bound is not None:
        known = f" It loses {figure(loss)} by its objective, and every combination loses at least {figure(bound)}."
    yield Note("note", f"The search ended after {looked} combinations of levels; others may lose less.{known}")


def _bucketized_columns(release: TableRelease, risk: Risk, confidences: Sequence[Confidence]) -> Iterator[Note]:
    sensitive, share = listed(release.original.schema.sensitive), risk.prosecutor.share_above
    sure = percent(max((found.highest for found in confidences), default=0.0))
    masked = set(release.original.schema.quasi) & set(masks_of(release))
    shown = "not generalized" if masked else "published unchanged"
    found = (
        f"{percent(share)} of the {release.groups.unit} are found with a probability above {percent(risk.threshold)}"
    )
    yield Note(
        "note",
        f"Quasi values are {shown}, so an attacker who knows a person finds the bucket of that person: "
        f"{found if share else 'records are found by their quasi values'}. That is intended. The sensitive value "
        f"({sensitive}) is one of those in the bucket, and an attacker can be at most {sure} sure of it.",
    )


def _sensitive_columns(release: TableRelease, confidences: Sequence[Confidence]) -> Iterator[Note]:
    masked = masks_of(release)
    shown = [found for found in confidences if found.column not in masked]
    if not shown:
        return
    sure, names = max(found.highest for found in shown), listed(found.column for found in shown)
    limited = f"an attacker who finds the group of a person can be at most {percent(sure)} sure of a value"
    if sure >= 1:
        limited = "an attacker who finds the group of a person is certain of a value only in some groups"
    everywhere = min((homogeneous_share(release, found.column) for found in shown), default=0.0) >= 1
    intended = "" if everywhere else f" That is intended: {limited}."
    yield Note("note", f"Sensitive values ({names}) are published unchanged.{intended}")


def _limited_attackers(promises: Sequence[Promise]) -> Iterator[Note]:
    limited = [promise.described for promise in promises if promise.limited]
    if limited:
        verb = "limits" if len(limited) == 1 else "limit"
        yield Note(
            "note",
            f"{' and '.join(limited)} {verb} attackers who know less than all quasi columns of a person. Group sizes, "
            "risks and confidences in this report are those for an attacker who knows all of them, and may be higher.",
        )


def _microaggregated_columns(release: TableRelease) -> Iterator[Note]:
    how = release.provenance.get("microaggregated")
    if how is None:
        return
    shown = " and ".join(", ".join(repr(name) for name in block) for block in how["columns"])
    weights = (
        "so that all columns have the same weight"
        if how["standardized"]
        else "so that columns with large numbers have most weight"
    )
    yield Note(
        "note",
        f"Groups of similar records publish one value for each of {shown}: the {how['centroid'].replace('_', ' ')} of "
        "numbers and dates, and one category. It need not be the value of any person. Totals are nearly preserved, and "
        "variation within a group is lost. Distances were computed on "
        f"{'standardized values, ' if how['standardized'] else 'unscaled values, '}{weights}.",
    )
    if "least" in how:
        yield Note(
            "note",
            f"Measured by this distance, these groups lose {figure(rounded(how['lost']))} % of the variation, and no "
            f"groups of the same minimum size lose less than {figure(rounded_down(how['least']))} %.",
        )


def _masked_columns(release: TableRelease) -> Iterator[Note]:
    for mask in release.provenance.get("masks", ()):
        columns = ", ".join(repr(name) for name in mask["columns"])
        yield Note(
            "note",
            f"{columns}: masked by {mask['name']} before the algorithm ran. The random numbers are not stored, so that "
            "nobody can repeat them; the models do not rely on the mask.",
        )
    if release.provenance.get("masks"):
        yield Note(
            "note",
            "What this report calls the original is the table after masking: risks, losses and distributions do not "
            "include what the masks changed.",
        )
