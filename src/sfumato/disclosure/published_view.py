"""The view of a published file or frame, as an attacker reads it, without suppressed records.

The audit counts with it a release that was read back from disk, and matches the release with a population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.table_view import TableView
from sfumato.engines.base import BESIDE, Counted, Engine
from sfumato.errors import DataError
from sfumato.kernels.arrays import Flags
from sfumato.taxonomies.taxonomy import ROOT

Sizes = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Distinct group sizes, and the number of groups of each size."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PublishedView(TableView):
    """The view of a published file.

    A record counts as suppressed if all its published values are `*`, or all are missing in a format that has missing
    values (`nulls`). `suppressed` is their number.
    `original` has the original values of every row, if they are available. `waived` is the number of records of persons
    who waive protection; these records are not in the table.
    """

    suppressed: int
    original: Table | None = None
    waived: int = 0

    @property
    def people(self) -> Table | None:
        """The rows with their original values: from the original file, or published unchanged."""
        shown = self.linkage.cut and self.linkage.kept(self.schema.quasi) == self.schema.quasi
        return self.table if self.original is None and shown else self.original

    @property
    def truth_known(self) -> bool:
        """True only with an original: a release alone does not say which person of a group has which value."""
        return self.original is not None

    @classmethod
    def of_source(
        cls,
        source: Engine,
        schema: Schema,
        *,
        nulls: bool,
        linkage: Linkage | None = None,
        original: Schema | None = None,
    ) -> PublishedView:
        """Count the records of an engine; `original` is the schema of original columns, if the source has any."""
        schema.check_against(source.columns)
        linkage = linkage or Linkage()
        bucket = (linkage.bucket_column,) if linkage.cut else ()
        more = (*bucket, *(BESIDE + name for name in (original.judged if original else ())))
        counted, gone = _count_published(source, schema, more, nulls=nulls, beside=original is not None)
        # With bucket or original columns, rows that agree on the judged columns must stay apart.
        counted = replace(counted, uncounted=counted.uncounted or bool(more))
        table = Table.of_counted(counted, schema, source)
        if linkage.cut:
            domain, codes = Domain.of(linkage.bucket_column, counted.raw[linkage.bucket_column])
            table = table.with_column(linkage.bucket_column, codes[counted.codes[linkage.bucket_column]], domain)
        was = None
        if original:
            was = _original(counted, original, source)
            # An engine counts in any order; attacks add up fractions row by row, and must answer the same every time.
            order = np.lexsort([*was.codes.values(), *table.codes.values()])
            table, was = table.rows_at(order), was.rows_at(order)
            if was.person is not None and table.person is None:
                table = table.with_persons(was.schema.person, was.person, was.domain(was.schema.person))
        return cls(table=table, linkage=linkage, suppressed=gone, original=was)._without_waived()

    def _without_waived(self) -> PublishedView:
        """The view without the records of persons who waive protection."""
        free = self.table.waived
        if not free.any():
            return self
        was = None if self.original is None else self.original.rows_where(~free)
        kept, waived = self.table.rows_where(~free), int(self.table.counts[free].sum())
        return replace(self, table=kept, original=was, waived=waived)

    def matched(self, population: Engine) -> Sizes:
        """Sizes in a population of the groups of this view, and the number of groups of each size.

        Raises an error if a group has fewer records in the population: then it is not the population of the release, or
        its columns are not generalized in the same way.
        """
        quasi = self.schema.quasi
        Schema.of(quasi=quasi).check_against(population.columns)
        packing, groups = Packing.of([self.table.codes[name] for name in quasi], self._radices(quasi))
        counted = population.count(quasi)
        codes = [self._translated(name, counted.raw[name])[counted.codes[name]] for name in quasi]
        known = np.logical_and.reduce([code >= 0 for code in codes])
        numbers = packing.numbers([np.where(known, code, 0).astype(np.int32) for code in codes])
        known &= numbers >= 0
        sizes = np.bincount(numbers[known], weights=counted.counts[known], minlength=len(packing)).astype(np.int64)
        here = np.bincount(groups, weights=self.table.counts, minlength=len(packing)).astype(np.int64)
        smaller = int((sizes < here).sum())
        if smaller:
            raise DataError(
                f"{smaller:,} of {len(packing):,} groups of the release have fewer records in the population than in "
                "the release. Give a population that contains the records of the release, with the quasi columns "
                "generalized in the same way, for example by applying the same recoding."
            )
        found, how_many = np.unique(sizes, return_counts=True)
        return found, how_many

    def _radices(self, columns: Sequence[str]) -> list[int]:
        return [len(self.table.domains[name]) for name in columns]

    def _translated(self, name: str, raw: Sequence[str | None]) -> NDArray[np.int32]:
        """The code in this view of each text of another source; -1 if the text does not occur here."""
        encoding = self.table.encodings[name]
        place = {text: int(code) for text, code in zip(encoding.raw, encoding.codes, strict=True)}
        return np.array([place.get(text, -1) for text in raw], dtype=np.int32)


def sizes_of(
    source: Engine, quasi: Sequence[str], *, nulls: bool, beside: bool = False, by_hash: bool = False
) -> tuple[Sizes, int]:
    """Group sizes and the number of suppressed records, without holding the groups of a large file in memory.

    `beside` says that the source also has original columns; `by_hash` that hashes are compared instead of values.
    """
    published = _of_release(source, beside=beside)
    marks, gone = _marks(nulls), 0
    sizes, how_many, filled = source.group_sizes(quasi, filled_with=marks, by_hash=by_hash)
    for mark, alike in zip(marks, filled, strict=True):
        fully = source.filled(published, mark) if alike else 0
        if fully:
            sizes, how_many = _smaller_by(sizes, how_many, alike, fully)
            gone += fully
    return (sizes, how_many), gone


def _smaller_by(sizes: NDArray[np.int64], how_many: NDArray[np.int64], size: int, less: int) -> Sizes:
    """Remove `less` records from one group of the given size; a group without records is dropped."""
    counts = {int(key): int(count) for key, count in zip(sizes, how_many, strict=True)}
    counts[size] -= 1
    counts[size - less] = counts.get(size - less, 0) + 1
    kept = sorted((key, count) for key, count in counts.items() if key and count)
    return np.array([key for key, _ in kept], dtype=np.int64), np.array([count for _, count in kept], dtype=np.int64)


def _count_published(
    source: Engine, schema: Schema, more: Sequence[str], *, nulls: bool, beside: bool
) -> tuple[Counted, int]:
    """The judged and some more columns, counted without suppressed records, and the number of those."""
    columns, release, gone = (*schema.judged, *more), _of_release(source, beside=beside), 0
    counted = source.count(columns)
    for mark in _marks(nulls):
        hit = _marked(counted, schema, mark)
        if not hit.any():
            continue
        # A record of `*` in the judged columns may be generalized and not suppressed, and one of missing values may
        # have been so. Only a record that is `*` in every column of the release is suppressed; counted rows do not
        # show the other columns.
        fully = source.filled(release, mark)
        if fully == counted.counts[hit].sum():
            counted = _kept(counted, ~hit)
        elif fully:
            source = source.without_filled(release, mark)
            counted = source.count(columns)
        gone += fully
    return counted, gone


def _of_release(source: Engine, *, beside: bool) -> list[str]:
    """The columns of the release itself, without the original ones beside it."""
    return [name for name in source.columns if not (beside and name.startswith(BESIDE))]


def _marks(nulls: bool) -> tuple[str | None, ...]:
    """What stands in every cell of a suppressed record: `*`, or a missing value if the format has them."""
    return (ROOT, None) if nulls else (ROOT,)


def _marked(counted: Counted, schema: Schema, mark: str | None) -> Flags:
    """The counted rows with `mark` in all quasi and sensitive columns."""
    hit = np.ones(len(counted.counts), dtype=bool)
    for name in (*schema.quasi, *schema.sensitive):
        raw = counted.raw[name]
        hit &= counted.codes[name] == (list(raw).index(mark) if mark in raw else -1)
    return hit


def _kept(counted: Counted, keep: Flags) -> Counted:
    """The rows where `keep` is true, with only those values of every column that still occur."""
    raw: dict[str, list[str | None]] = {}
    codes: dict[str, NDArray[np.int32]] = {}
    for name, values in counted.raw.items():
        used, places = np.unique(counted.codes[name][keep], return_inverse=True)
        raw[name], codes[name] = [values[place] for place in used], places.astype(np.int32)
    return Counted(raw, codes, counted.counts[keep])


def _original(counted: Counted, schema: Schema, source: Engine) -> Table:
    """The original values of the counted rows, in the same order."""
    typed = [_as_stored(one, counted, schema, source) if one.kind is None else one for one in schema.columns]
    raw = {name: counted.raw[BESIDE + name] for name in schema.judged}
    codes = {name: counted.codes[BESIDE + name] for name in schema.judged}
    return Table.of_counted(Counted(raw, codes, counted.counts, uncounted=True), replace(schema, columns=tuple(typed)))


def _as_stored(column: Column, counted: Counted, schema: Schema, source: Engine) -> Column:
    """An original column with the kind and notation by which it is read from its own source."""
    name = BESIDE + column.name
    if name not in counted.raw:
        return column
    domain, _ = Domain.of(column.name, counted.raw[name], stored=source.kind(name), missing=schema.missing)
    return replace(column, kind=domain.kind, notation=domain.notation)
