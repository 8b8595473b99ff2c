"""Reports: all results for a release, collected once. `text`, `json` and `html` write them in their format.

`Release.report` and `plan.publication` create a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sfumato.attacks.base import AttackResult
from sfumato.attacks.risk import Risk
from sfumato.audit.plain_columns import PlainColumns
from sfumato.data.schema import Role
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_digits import file_shows_levels, rounded, rounded_down, rounded_up
from sfumato.metrics.ncp import Ncp
from sfumato.releases.table_release import TableRelease
from sfumato.report.confidence import Confidence
from sfumato.report.cost import Cost, costs_of
from sfumato.report.figures import percent
from sfumato.report.group_sizes import GroupSizes
from sfumato.report.note import Note, homogeneous_share, masks_of, notes_of
from sfumato.report.promise import Promise, Seen
from sfumato.report.published_column import PublishedColumn
from sfumato.report.risk_bands import RiskBand, risk_bands
from sfumato.report.suppressed_values import SuppressedValue, suppressed_values
from sfumato.runtime.representations import html_table


@dataclass(frozen=True)
class Report:
    """The verdicts, costs, risks, columns and notes of a release.

    A report contains no record and no value of a sensitive, identifying or plain column; of quasi columns it contains
    the frequencies of values and labels. If the release is `bucketized`, `group_sizes` are the sizes of the buckets,
    whose records share their sensitive values but differ in quasi columns. `attacks` are the results of the attacks
    that a plan names. Costs, attacks, distributions and, if the published file does not show them, levels and risks
    have three significant digits (`disclosure.published_digits`). Risks, confidences and distributions of the original
    show what the release changed; they make a report a document for internal use. `plain` says what columns that are
    published unchanged give away, if an audit counted it.

    >>> from sfumato.algorithms.mondrian.mondrian import Mondrian
    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> report = Report.of_release(Mondrian().anonymize(hospital(), KAnonymity(k=3)))
    >>> report.promises[0].finding
    'Holds: at least 3 is required, and the weakest of 2 groups reaches 3.'
    """

    title: str
    records: int
    published_records: int
    suppressed_records: int
    promises: tuple[Promise, ...]
    costs: tuple[Cost, ...]
    risk: Risk
    group_sizes: GroupSizes
    columns: tuple[PublishedColumn, ...]
    homogeneous: Mapping[str, float]
    notes: tuple[Note, ...]
    provenance: Mapping[str, Any]
    bucketized: bool = False
    attacks: tuple[AttackResult, ...] = ()
    persons: int | None = None
    original_risk: Risk | None = None
    risk_bands: tuple[RiskBand, ...] = ()
    confidences: tuple[Confidence, ...] = ()
    suppressed_values: tuple[SuppressedValue, ...] = ()
    plain: PlainColumns | None = None

    def __repr__(self) -> str:
        verdict = "every model holds" if self.holds else "a model fails"
        return f"<Report: {self.published_records:,} of {self.records:,} records published, {verdict}>"

    def _repr_html_(self) -> str:
        """The report as a small table, for notebooks; `html` draws the whole page."""
        found = self.risk.prosecutor
        return html_table(
            self.title,
            [
                *((promise.described, "holds" if promise.holds else "FAILS") for promise in self.promises),
                ("records published", f"{self.published_records:,} of {self.records:,}"),
                (f"smallest {self.groups_are[0]}", f"{self.group_sizes.smallest:,} {self.unit}"),
                ("detail lost", percent(self.detail_lost)),
                (f"highest chance of finding a {self.unit.removesuffix('s')}", percent(found.highest)),
                *((f"highest confidence in {one.column}", percent(one.highest)) for one in self.confidences),
                ("warnings", str(len(self.warnings))),
            ],
        )

    @classmethod
    def of_release(
        cls,
        release: TableRelease,
        *,
        title: str = "Release report",
        costs: Sequence[Cost] = (),
        attacks: Sequence[AttackResult] = (),
        plain: PlainColumns | None = None,
    ) -> Report:
        """Collect the results; without `costs`, every suitable metric of the catalogue is measured.

        `plain` is what an audit found about columns that are published unchanged, beside the quasi columns.
        """
        candidate, suppressed = release.candidate, release.candidate.suppressed_records
        shown = file_shows_levels(release.original)
        bucketized = candidate.linkage.cut
        schema = release.original.schema
        people = release.original.rows_where(~release.original.waived) if schema.waiver else release.original
        before, after = Groups.of(people, schema.quasi), candidate.groups(candidate.linkage.kept(schema.quasi))
        confidences = tuple(Confidence.of(candidate.groups(asked=[name]), before, name) for name in schema.sensitive)
        homogeneous = {name: homogeneous_share(release, name) for name in schema.sensitive}
        exact = Risk.of(after)
        seen = Seen(
            schema, bucketized, exact.prosecutor.highest, tuple(name for name, share in homogeneous.items() if share)
        )
        verdicts = (verdict if shown else verdict.rounded() for verdict in release.verdicts)
        promises = tuple(Promise.of(verdict, seen) for verdict in verdicts)
        columns, risk = _columns(release), exact if shown else exact.rounded()
        confidences = confidences if shown else tuple(found.rounded() for found in confidences)
        return cls(
            title=title,
            records=release.original.records,
            published_records=release.original.records - suppressed,
            suppressed_records=suppressed,
            promises=promises,
            costs=tuple(cost.rounded() for cost in tuple(costs) or costs_of(release)),
            risk=risk,
            group_sizes=GroupSizes.of(candidate.groups((), schema.sensitive) if bucketized else release.groups),
            columns=columns,
            homogeneous={name: share if shown else rounded_up(share) for name, share in homogeneous.items()},
            notes=notes_of(release, promises, columns, risk, confidences),
            provenance=_rounded_provenance(release.provenance),
            bucketized=bucketized,
            attacks=tuple(result.rounded() for result in attacks),
            persons=None if release.published.person is None else candidate.published_rows.persons,
            original_risk=Risk.of(before).rounded(),
            risk_bands=risk_bands(before, after),
            confidences=confidences,
            suppressed_values=suppressed_values(release),
            plain=plain,
        )

    @property
    def holds(self) -> bool:
        """Whether every model holds."""
        return all(promise.holds for promise in self.promises)

    @property
    def unit(self) -> str:
        """What groups, models and risks count: records, or persons if a column is the person's key."""
        return self.group_sizes.unit

    @property
    def quasi(self) -> tuple[PublishedColumn, ...]:
        """The quasi columns."""
        return tuple(column for column in self.columns if column.role == Role.QUASI)

    @property
    def microaggregated(self) -> bool:
        """Whether groups publish one representative value in each column."""
        return "microaggregated" in self.provenance

    @property
    def groups_are(self) -> tuple[str, str]:
        """The name of a group, and a phrase for what its records have in common."""
        return ("bucket", "share a bucket") if self.bucketized else ("group", "look alike")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The texts of the notes that call for a decision."""
        return tuple(note.text for note in self.notes if note.kind == "warning")

    @property
    def detail_lost(self) -> float:
        """The mean share of detail that the quasi columns lost."""
        return rounded(fmean([column.loss or 0.0 for column in self.quasi] or [0.0]))

    def cost(self, name: str) -> float:
        """The result of the metric with this name."""
        return next(cost.value for cost in self.costs if cost.name == name)

    def origins(self) -> tuple[tuple[str, str], ...]:
        """The provenance of the release as names and short texts."""
        shown = {key: value for key, value in self.provenance.items() if key not in ("columns", "warnings")}
        return tuple(
            (key.replace("_", " "), _text(value)) for key, value in shown.items() if value not in (None, {}, [])
        )

    def pictures(self) -> dict[str, str]:
        """Every picture of the report as the text of an SVG file, by name: `risk`, `loss`, `column age`, ..."""
        from sfumato.report.pictures import pictures_of

        return pictures_of(self)

    def text(self) -> str:
        """The report as plain text."""
        from sfumato.report.text import draw_text

        return draw_text(self)

    def json(self) -> str:
        """The report as JSON."""
        from sfumato.report.json import draw_json

        return draw_json(self)

    def html(self) -> str:
        """The report as one self-contained HTML page."""
        from sfumato.report.html import draw_html

        return draw_html(self)


def _rounded_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance with three digits of the loss that algorithms with centroids compare with its least value."""
    made = dict(provenance)
    if "lost" in made.get("microaggregated", {}):
        how = made["microaggregated"]
        made["microaggregated"] = {**how, "lost": rounded(how["lost"]), "least": rounded_down(how["least"])}
    return made


def _columns(release: TableRelease) -> tuple[PublishedColumn, ...]:
    """All columns in the order of the source; without a source, those of the schema."""
    schema, source = release.original.schema, release.original.source
    names = source.columns if source is not None else tuple(column.name for column in schema.columns)
    losses, masks = Ncp().per_column(release), masks_of(release)
    return tuple(
        PublishedColumn.of_quasi(release.candidate, name, losses[name], masks.get(name, ()))
        if name in losses
        else PublishedColumn.of_other(schema.column(name), release.recoding, masks.get(name, ()))
        for name in names
    )


def _text(value: Any) -> str:
    """A setting, a list or a dictionary of settings as text on one line."""
    if isinstance(value, Mapping) and "name" in value:
        settings = ", ".join(f"{key}={_text(item)}" for key, item in value.items() if key != "name")
        return f"{value['name']}({settings})" if settings else str(value["name"])
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    return str(value)
