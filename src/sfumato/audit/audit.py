"""Audits: measure how well a file or frame protects the persons in it, and judge it by models.

`sfumato check` and `sfumato attack` audit files of any origin; `plan.publication` audits the release it has written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.audit.plain_columns import PlainColumns
from sfumato.audit.sensitive_columns import SensitiveColumn
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.published_digits import rounded_down, rounded_up
from sfumato.disclosure.published_view import PublishedView, Sizes, sizes_of
from sfumato.disclosure.table_view import TableView
from sfumato.engines.base import BESIDE, Engine
from sfumato.engines.opening import open_file, open_frame
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import SchemaError, UsageError, nearest
from sfumato.models.base import PrivacyModel
from sfumato.models.judge import judge
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.verdict import Verdict
from sfumato.report.figures import percent
from sfumato.runtime.progress import advance
from sfumato.runtime.representations import html_table
from sfumato.taxonomies.base import TaxonomyBuilder

Distance = Literal["equal", "ordered", "hierarchical"]

_WORST = 5

_LARGE, _LARGE_TEXT = 50_000_000, 400_000_000
"""Bytes of a Parquet file, and of a text file, from which only the sizes of groups are counted if they suffice."""


@dataclass(frozen=True)
class Diversity:
    """How well one sensitive column is protected within the groups; each number is that of the worst group.

    `distinct` is the number of different values and `entropy` that of equally likely values with the same entropy. The
    column is recursively (c, 2)-diverse for every c above `recursive`, or for no c if it is None. `closeness` is the
    distance from the distribution in the whole table, for each kind of distance. `confidence` is the share of the most
    frequent value in a group: so sure may somebody be of a value who finds the group of a person.
    """

    distinct: int
    entropy: float
    recursive: float | None
    closeness: Mapping[str, float]
    confidence: float

    @classmethod
    def of(cls, groups: Groups, column: str) -> Diversity:
        """Measure one sensitive column."""
        from sfumato.models import (
            ConfidenceBounding,
            DistinctLDiversity,
            EntropyLDiversity,
            RecursiveCLDiversity,
            TCloseness,
        )

        c = RecursiveCLDiversity(c=1, l=2, sensitive=column).measure(groups)
        return cls(
            int(DistinctLDiversity(l=1, sensitive=column).measure(groups)),
            EntropyLDiversity(l=1, sensitive=column).measure(groups),
            c if np.isfinite(c) else None,
            {
                name: TCloseness(t=1, sensitive=column, distance=name).measure(groups)
                for name in _distances(groups, column)
            },
            ConfidenceBounding(h=1, sensitive=column).measure(groups),
        )

    def rounded(self) -> Diversity:
        """The same with three significant digits, to the safe side."""
        return Diversity(
            rounded_down(self.distinct),
            rounded_down(self.entropy),
            None if self.recursive is None else rounded_up(self.recursive),
            {name: rounded_up(t) for name, t in self.closeness.items()},
            rounded_up(self.confidence),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of an audit: group sizes, diversity and risk of a published table.

    `view` is None if only group sizes were counted. `sizes` are the sizes of the groups, or of the buckets if links are
    cut; then `record_group_sizes` are the sizes of groups of records that agree in the quasi columns. `plain` says what
    the other published columns give away; it is None if there are none, or links are cut. `sensitive` says what each
    sensitive column gives away by itself. `verdicts` are those of `judged`, by `models`.

    >>> from sfumato.datasets.hospital import ROWS
    >>> import pyarrow as pa
    >>> audit = Audit.of_frame(pa.table(ROWS), quasi=["Sex"], sensitive=["Disease"])
    >>> audit.k, audit.diversity["Disease"].distinct, audit.risk.prosecutor.average == 2 / 7
    (3, 2, True)
    """

    schema: Schema
    suppressed: int
    sizes: Sizes
    diversity: Mapping[str, Diversity]
    risk: Risk
    view: PublishedView | None = None
    record_group_sizes: Sizes | None = None
    plain: PlainColumns | None = None
    verdicts: tuple[Verdict, ...] = ()
    models: tuple[PrivacyModel, ...] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()

    def __repr__(self) -> str:
        return f"<Audit: {self.records:,} records in {self.groups:,} groups of at least {self.smallest:,} {self.unit}>"

    def _repr_html_(self) -> str:
        """Sizes, risks and confidences as a small table, for notebooks."""
        rows = [
            ("records", f"{self.records:,}"),
            ("suppressed", f"{self.suppressed:,}"),
            ("buckets" if self.linkage.cut else "groups", f"{self.groups:,} of at least {self.smallest:,} {self.unit}"),
            ("highest chance of finding a record", percent(self.risk.prosecutor.highest)),
            *(
                (f"{column}: fewest different values, highest confidence", f"{one.distinct}, {percent(one.confidence)}")
                for column, one in self.diversity.items()
            ),
            ("warnings", str(len(self.warnings))),
        ]
        return html_table("Audit", rows)

    @property
    def records(self) -> int:
        """The number of published records, without suppressed ones."""
        return int(self.sizes[0] @ self.sizes[1]) if self.view is None else self.view.table.records

    @property
    def waived(self) -> int:
        """The number of records of persons who waive protection; no other number includes them."""
        return self.view.waived if self.view is not None else 0

    @property
    def unit(self) -> Literal["records", "persons"]:
        """What groups and risks count: persons if there is a person key, otherwise records."""
        return "records" if self.view is None or self.view.table.person is None else "persons"

    @property
    def persons(self) -> int | None:
        """The number of persons in the published records; None without a person key."""
        return self.view.table.persons if self.view is not None and self.unit == "persons" else None

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.sizes[1].sum())

    @property
    def k(self) -> int:
        """The k of k-anonymity: the size of the smallest group of records that agree in the quasi columns."""
        return int((self.sizes if self.record_group_sizes is None else self.record_group_sizes)[0].min())

    @property
    def smallest(self) -> int:
        """The size of the smallest group, or of the smallest bucket if links are cut."""
        return int(self.sizes[0].min())

    @property
    def linkage(self) -> Linkage:
        """Which published columns belong to one record; if links are cut, groups are buckets."""
        return self.view.linkage if self.view is not None else Linkage()

    def judge(self, model: PrivacyModel) -> tuple[Verdict, ...]:
        """Judge the published table by every member of a model."""
        if self.view is None:
            return tuple(self._judge_sizes(member) for member in model.members())
        return judge(self.view, model.with_knowledge(self.view.original))

    def judged(self, model: PrivacyModel) -> Audit:
        """The same audit with one more verdict for every member of a model."""
        return replace(self, verdicts=(*self.verdicts, *self.judge(model)), models=(*self.models, *model.members()))

    @property
    def holds(self) -> bool:
        """Whether every model holds by which the table was judged."""
        return all(verdict.holds for verdict in self.verdicts)

    def whole(self) -> PublishedView:
        """The view of the published table; refused if only group sizes were counted."""
        if self.view is None:
            raise UsageError(
                "the file is large, so only its group sizes were counted; name a sensitive column to load the groups."
            )
        return self.view

    @classmethod
    def of_file(
        cls,
        path: str | Path | ReadableFile,
        *,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        taxonomies: Mapping[str, TaxonomyBuilder] | None = None,
        missing: Sequence[str] = (),
        population: str | Path | None = None,
        bucket: str = "",
        blocks: Sequence[Sequence[str]] = (),
        sensitive_table: str | Path | None = None,
        original: str | Path | None = None,
        waiver: str = "",
        person: str = "",
        options: ReadOptions = DETECTED,
        original_options: ReadOptions = DETECTED,
    ) -> Audit:
        """Audit a CSV or Parquet file.

        `population` is a file of the population with the same columns, generalized the same way. With a taxonomy of a
        sensitive column, t-closeness is also measured by ordered and hierarchical distance. In a bucketized release,
        `bucket` is the column with the bucket, `blocks` are the columns that stay together (by default the sensitive
        columns and the others), and `sensitive_table` is the file with the sensitive values if it is separate.
        `original` has the original records, for models that need values that the release hides, in the order of the
        release if it has no buckets; another order is refused where an unchanged column shows it. It has all quasi and
        sensitive columns. `waiver` is the column that states who waives protection; these records are counted and left
        out. `person` is the person key, in the file or in the original; with it, persons are counted, not records.
        `options` say how the release is read, and `original_options` how the original is.
        """
        advance("reading")
        files = ReleaseFiles(
            path if isinstance(path, ReadableFile) else Path(path),
            bucket,
            blocks,
            sensitive_table,
            original,
            options,
            original_options,
        )
        source = files.opened(sensitive)
        population_source = open_file(population) if population is not None else None
        nulls = files.release.typed
        large = files.release.size > (_LARGE if nulls else _LARGE_TEXT)
        linkage = files.linkage(source, sensitive, quasi)
        person_column = person if person in source.columns else ""
        if person and not person_column and original is None:
            raise SchemaError(f"the data has no column {person!r}; {nearest(person, source.columns)}")
        schema = _schema(quasi, sensitive, taxonomies or {}, missing, waiver, person_column, exact=linkage.cut)
        schema.check_against(files.released_columns(source))
        files.demand_originals(source, (*quasi, *sensitive), person)
        files.demand_same_order(source)
        original_person = "" if person_column else person
        known = original is not None
        original_schema = (
            _schema(quasi, sensitive, taxonomies or {}, missing, "", original_person, exact=True) if known else None
        )
        return cls.of_source(
            source,
            schema,
            nulls=nulls,
            sizes_only=large,
            population=population_source,
            linkage=linkage,
            original=original_schema,
        )

    @classmethod
    def of_frame(
        cls,
        frame: Any,
        *,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        taxonomies: Mapping[str, TaxonomyBuilder] | None = None,
        missing: Sequence[str] = (),
        waiver: str = "",
        person: str = "",
    ) -> Audit:
        """Audit a pandas, polars or pyarrow frame, or any object with `__arrow_c_stream__`."""
        schema = _schema(quasi, sensitive, taxonomies or {}, missing, waiver, person)
        return cls.of_source(open_frame(frame), schema, nulls=True)

    @classmethod
    def of_source(
        cls,
        source: Engine,
        schema: Schema,
        *,
        nulls: bool,
        sizes_only: bool = False,
        population: Engine | None = None,
        linkage: Linkage | None = None,
        original: Schema | None = None,
        plain: Sequence[str] | None = None,
        masked: Collection[str] = (),
    ) -> Audit:
        """Audit the data of an engine; `plain` are the columns that are published unchanged, by default all others.

        `masked` are columns whose values a mask has changed, so that nobody knows them.

        `sizes_only` counts group sizes in the engine and never loads the groups, which saves memory; it is ignored if
        sensitive, waiver or person columns or a population need the groups.
        """
        schema.check_against(source.columns)
        advance("counting")
        persons = schema.person or (original is not None and original.person)
        found = None
        if (linkage is None or not linkage.cut) and not schema.waiver:
            others = _others(source, schema) if plain is None else plain
            found = PlainColumns.of(source, schema.quasi, others, nulls=nulls, unnamed=plain is None)
        if sizes_only and not (schema.sensitive or schema.waiver or persons) and population is None:
            sizes, suppressed = sizes_of(source, schema.quasi, nulls=nulls, beside=original is not None)
            if not len(sizes[0]):
                raise UsageError(f"{source.described} has no published records, so there is nothing to measure.")
            return cls(schema, suppressed, sizes, {}, Risk.of_sizes(*sizes), plain=found)
        view = PublishedView.of_source(source, schema, nulls=nulls, linkage=linkage, original=original)
        if not view.table.records:
            raise UsageError(
                f"{source.described} has no published records of persons to protect; there is nothing to measure."
            )
        advance("measuring")
        # Known columns that stay with a sensitive one narrow its groups further; the bucket is what all records share.
        known = () if view.linkage.cut else None
        sizes = np.unique(view.groups(known, asked=schema.sensitive).sizes, return_counts=True)
        population_sizes = view.matched(population) if population is not None else None
        diversity = {column: Diversity.of(view.groups(asked=[column]), column) for column in schema.sensitive}
        record_group_sizes = None
        if view.linkage.cut:
            record_group_sizes = np.unique(view.groups(view.linkage.kept(schema.quasi)).sizes, return_counts=True)
        risk = Risk.of_sizes(*(record_group_sizes or sizes), population=population_sizes)
        columns = tuple(
            SensitiveColumn.of(view.groups(asked=[column]), column, known=not view.linkage.cut and column not in masked)
            for column in schema.sensitive
        )
        return cls(schema, view.suppressed, sizes, diversity, risk, view, record_group_sizes, found, sensitive=columns)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a publisher should know although models may hold: unique records, and values that are nearly sure."""
        found = [] if self.plain is None else [self.plain.warning]
        found += [said for column in self.sensitive for said in column.warnings(self.models, self.schema)]
        return tuple(said for said in found if said)

    def to_dict(self, *, rounded: bool = False) -> dict[str, Any]:
        """The results as plain data: counts and levels, never values of records.

        If `rounded`, numbers that count persons or sensitive values have three significant digits, to the safe side.
        """
        count = rounded_down if rounded else int
        worst = [{self.unit: count(size), "groups": count(often)} for size, often in self._smallest_groups()]
        diversity = {column: found.rounded() if rounded else found for column, found in self.diversity.items()}
        upward = rounded_up if rounded else int
        alone = {one.column: {} if one.alone is None else {"alone": upward(one.alone)} for one in self.sensitive}
        return {
            "records": self.records,
            "suppressed": self.suppressed,
            **({"waived": self.waived} if self.waived else {}),
            **({} if self.persons is None else {"persons": count(self.persons), "unit": self.unit}),
            "groups": self.groups,
            "k": count(self.k),
            **({} if not self.linkage.cut else {"smallest_bucket": count(self.smallest)}),
            "sensitive": {column: {**found.__dict__, **alone[column]} for column, found in diversity.items()},
            "worst_groups": worst,
            "risk": (self.risk.rounded() if rounded else self.risk).to_dict(),
            **({} if self.plain is None else {"plain_columns": self.plain.to_dict()}),
        }

    def _smallest_groups(self) -> list[tuple[int, int]]:
        """The smallest sizes of groups, and how many groups have each of them."""
        return [(int(size), int(often)) for size, often in zip(*self.sizes, strict=True)][:_WORST]

    def _judge_sizes(self, model: PrivacyModel) -> Verdict:
        """Judge by the sizes of groups alone: one group of each size represents all groups of that size."""
        sizes, how_many = self.sizes
        groups = Groups.of_sizes(self.schema, sizes)
        if not model.measured():
            return model.check(TableView(table=groups.table))
        if model.sensitive_columns(self.schema):
            raise SchemaError(f"{model} needs a sensitive column; name it.")
        (member,) = model.measured()
        return member.verdict(groups, how_many)


def _others(source: Engine, schema: Schema) -> list[str]:
    """The published columns that the schema does not name."""
    named = {column.name for column in schema.columns}
    return [name for name in source.columns if name not in named and not name.startswith(BESIDE)]


def release_schema(schema: Schema, kinds: Mapping[str, Kind]) -> Schema:
    """The schema for reading a written release: quasi columns are texts, except for columns with a given kind."""
    taxonomies: dict[str, TaxonomyBuilder] = {}
    for name in schema.sensitive:
        builder = schema.column(name).taxonomy
        if builder is not None:
            taxonomies[name] = builder
    typed = dict.fromkeys(schema.quasi, Kind.TEXT) | dict(kinds)
    return Schema.of(
        quasi=schema.quasi,
        sensitive=schema.sensitive,
        waiver=schema.waiver,
        person=schema.person if schema.person and schema.column(schema.person).pseudonym else "",
        taxonomies=taxonomies,
        kinds=typed,
        quasi_identifiers=schema.quasi_identifiers,
        missing=schema.missing,
    )


def _schema(
    quasi: Sequence[str],
    sensitive: Sequence[str],
    taxonomies: Mapping[str, TaxonomyBuilder],
    missing: Sequence[str],
    waiver: str = "",
    person: str = "",
    *,
    exact: bool = False,
) -> Schema:
    """The schema of a file; quasi columns are compared as texts, unless `exact` keeps their types."""
    if not quasi:
        raise UsageError("name at least one quasi column: a column by which persons could be recognized.")
    for name in taxonomies:
        if name not in sensitive:
            raise UsageError(
                f"column {name!r} is not sensitive, so its taxonomy is not used; {nearest(name, sensitive)}"
            )
    kinds = {} if exact else dict.fromkeys(quasi, Kind.TEXT)
    return Schema.of(
        quasi=quasi,
        sensitive=sensitive,
        waiver=waiver,
        person=person,
        taxonomies=taxonomies,
        kinds=kinds,
        missing=missing,
    )


def _distances(groups: Groups, column: str) -> tuple[Distance, ...]:
    """The distances for a column: always equal, ordered for ordered values, hierarchical with a taxonomy."""
    has_taxonomy = groups.histogram(column).taxonomy is not None
    ordered = groups.domain(column).ordered or has_taxonomy
    fitting: dict[Distance, bool] = {"equal": True, "ordered": ordered, "hierarchical": has_taxonomy}
    return tuple(name for name, fits in fitting.items() if fits)
