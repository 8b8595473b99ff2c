"""Audits: measure how well any file or frame hides the people in it, and judge it by models.

`sfumato check` and `sfumato attack` read files through it, and `plan.publication` reads back what it wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.data.domain import Kind
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.published_view import PublishedView, Sizes, sizes_of
from sfumato.disclosure.view import View
from sfumato.engines.base import Engine
from sfumato.engines.opening import open_file, open_frame
from sfumato.errors import SchemaError, UsageError, nearest
from sfumato.models.base import PrivacyModel
from sfumato.models.judge import judge
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.verdict import Verdict
from sfumato.runtime.progress import advance
from sfumato.taxonomies.base import TaxonomyBuilder

Distance = Literal["equal", "ordered", "hierarchical"]

_WORST = 5
_LARGE = {".parquet": 50_000_000, ".pq": 50_000_000}
_LARGE_TEXT = 400_000_000


@dataclass(frozen=True)
class Diversity:
    """How well one sensitive column is hidden inside the groups: the level of the worst group.

    `distinct` different values, as uncertain as `entropy` equally likely ones, recursively (c, 2)-diverse for every c
    above `recursive` (None: for none), and at most `closeness[distance]` away from the whole table.
    """

    distinct: int
    entropy: float
    recursive: float | None
    closeness: Mapping[str, float]

    @classmethod
    def of(cls, groups: Groups, column: str) -> Diversity:
        """Measure one column."""
        from sfumato.models import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity, TCloseness

        c = RecursiveCLDiversity(c=1, l=2, sensitive=column).measure(groups)
        return cls(
            int(DistinctLDiversity(l=1, sensitive=column).measure(groups)),
            EntropyLDiversity(l=1, sensitive=column).measure(groups),
            c if np.isfinite(c) else None,
            {
                name: TCloseness(t=1, sensitive=column, distance=name).measure(groups)
                for name in _distances(groups, column)
            },
        )


@dataclass(frozen=True, eq=False)
class Audit:
    """What a reader can find out from a published table.

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
    seen: PublishedView | None = None
    alike: Sizes | None = None

    @property
    def records(self) -> int:
        """How many records are published, suppressed ones not counted."""
        return int(self.sizes[0] @ self.sizes[1]) if self.seen is None else self.seen.table.records

    @property
    def waived(self) -> int:
        """How many records are of people who waive protection; they are counted nowhere else."""
        return self.seen.waived if self.seen is not None else 0

    @property
    def unit(self) -> Literal["records", "persons"]:
        """What groups and risks count: persons where a column is the person's key, else records."""
        return "records" if self.seen is None or self.seen.table.person is None else "persons"

    @property
    def persons(self) -> int | None:
        """How many persons the published records are about; None where no column is the person's key."""
        return self.seen.table.persons if self.seen is not None and self.unit == "persons" else None

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.sizes[1].sum())

    @property
    def k(self) -> int:
        """How many records look alike at least."""
        return int((self.sizes if self.alike is None else self.alike)[0].min())

    @property
    def smallest(self) -> int:
        """The size of the smallest group, or of the smallest bucket where links are cut."""
        return int(self.sizes[0].min())

    @property
    def linkage(self) -> Linkage:
        """Which columns belong to one record, where links between columns are cut; groups are buckets then."""
        return self.seen.linkage if self.seen is not None else Linkage()

    def judge(self, model: PrivacyModel) -> tuple[Verdict, ...]:
        """Check every member of a model against what was seen."""
        if self.seen is None:
            return tuple(self._judge_sizes(member) for member in model.members())
        return judge(self.seen, model.with_knowledge(self.seen.original))

    def whole(self) -> PublishedView:
        """All that was seen; refuses where only group sizes were counted."""
        if self.seen is None:
            raise UsageError("the file is too large to hold its groups; name a sensitive column to have them counted.")
        return self.seen

    @classmethod
    def of_file(
        cls,
        path: str | Path,
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
        separator: str | None = None,
        encoding: str | None = None,
    ) -> Audit:
        """Measure a CSV or Parquet file; a population is a file with the same columns, published the same way.

        A taxonomy of a sensitive column lets t-closeness be measured by ordered and hierarchical distance too. Of a
        bucketized release, `bucket` is the column that names the bucket, `blocks` the columns that stay together if
        they are not simply the sensitive and the others, and `sensitive_table` the file with the secrets, where they
        have one of their own. `original` has the records it was made from, for models that ask who people are.
        `waiver` is the column that says who waives protection; these people are counted and left out. `person` is the
        key of the person that a record is about, in the file or in the original: persons are counted, not records.
        """
        advance("reading")
        files = ReleaseFiles(Path(path), bucket, blocks, sensitive_table, original, separator, encoding)
        source = files.opened(sensitive)
        crowd = open_file(population) if population is not None else None
        suffix = Path(path).suffix.lower()
        large = Path(path).stat().st_size > _LARGE.get(suffix, _LARGE_TEXT)
        linkage = files.linkage(source, sensitive, quasi)
        here = person if person in source.columns else ""
        if person and not here and original is None:
            raise SchemaError(f"the data has no column {person!r}; {nearest(person, source.columns)}")
        schema = _schema(quasi, sensitive, taxonomies or {}, missing, waiver, here, exact=linkage.cut)
        there = "" if here else person
        known = original is not None
        was = _schema(quasi, sensitive, taxonomies or {}, missing, "", there, exact=True) if known else None
        nulls = suffix in _LARGE
        return cls.of_source(
            source, schema, nulls=nulls, sizes_only=large, population=crowd, linkage=linkage, original=was
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
        """Measure a pandas, polars or pyarrow frame, or anything with `__arrow_c_stream__`."""
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
    ) -> Audit:
        """Measure what lies behind an engine; `sizes_only` never holds the groups, which suffices without secrets."""
        schema.check_against(source.columns)
        advance("counting")
        if sizes_only and not (schema.sensitive or schema.waiver or schema.person) and population is None:
            sizes, gone = sizes_of(source, schema.quasi, nulls=nulls)
            if not len(sizes[0]):
                raise UsageError(f"{source.described} publishes no records, so there is nothing to measure.")
            return cls(schema, gone, sizes, {}, Risk.of_sizes(*sizes))
        seen = PublishedView.of_source(source, schema, nulls=nulls, linkage=linkage, original=original)
        if not seen.table.records:
            raise UsageError(
                f"{source.described} publishes nobody who is to be protected; there is nothing to measure."
            )
        advance("measuring")
        sizes = np.unique(seen.groups(asked=schema.sensitive).sizes, return_counts=True)
        crowd = seen.matched(population) if population is not None else None
        diversity = {column: Diversity.of(seen.groups(asked=[column]), column) for column in schema.sensitive}
        alike = None
        if seen.linkage.cut:
            alike = np.unique(seen.groups(seen.linkage.kept(schema.quasi)).sizes, return_counts=True)
        risk = Risk.of_sizes(*(alike or sizes), population=crowd)
        return cls(schema, seen.suppressed, sizes, diversity, risk, seen, alike)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: counts and levels, never a value of a record."""
        worst = [{self.unit: int(size), "groups": int(count)} for size, count in zip(*self.sizes, strict=True)][:_WORST]
        return {
            "records": self.records,
            "suppressed": self.suppressed,
            **({"waived": self.waived} if self.waived else {}),
            **({} if self.persons is None else {"persons": self.persons, "unit": self.unit}),
            "groups": self.groups,
            "k": self.k,
            **({} if not self.linkage.cut else {"smallest_bucket": self.smallest}),
            "sensitive": {column: dict(found.__dict__) for column, found in self.diversity.items()},
            "worst_groups": worst,
            "risk": self.risk.to_dict(),
        }

    def _judge_sizes(self, model: PrivacyModel) -> Verdict:
        """One group of every size stands for all groups of that size."""
        empty = Table(self.schema, {}, self.sizes[0][:0], {})
        if not model.measured():
            return model.check(View(table=empty))
        if model.sensitive_columns(self.schema):
            raise SchemaError(f"{model} needs a sensitive column; name it.")
        sizes, how_many = self.sizes
        (member,) = model.measured()
        return member.verdict(Groups.of_matrices(empty, sizes, {}), how_many)


def release_schema(schema: Schema, kinds: Mapping[str, Kind]) -> Schema:
    """How to read a release back: columns of given kinds as such, all other quasi columns as the texts in the file."""
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
    if not quasi:
        raise UsageError("name at least one quasi column: the columns by which somebody could be recognized.")
    for name in taxonomies:
        if name not in sensitive:
            raise UsageError(f"the taxonomy of {name!r} is of no use here; {nearest(name, sensitive)}")
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
    """The distances that make sense for a column: ordered for ordered values, hierarchical with a taxonomy."""
    has_taxonomy = groups.histogram(column).taxonomy is not None
    ordered = groups.domain(column).ordered or has_taxonomy
    fitting: dict[Distance, bool] = {"equal": True, "ordered": ordered, "hierarchical": has_taxonomy}
    return tuple(name for name, fits in fitting.items() if fits)
