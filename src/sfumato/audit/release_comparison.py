"""Comparisons: a release beside its original, record by record and column by column, with or without a plan.

`sfumato compare` makes one. Columns of numbers are measured by the metrics of numbers and attacked; any other column is
compared by what its published labels cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.attacks.base import AttackResult, suitable_attacks
from sfumato.audit.identifying_columns import why_identifying
from sfumato.audit.kept_identifiers import kept_identifiers
from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.disclosure.paired_labels import PairedLabels
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.engines.base import BESIDE, Counted, Engine, LinkedFiles
from sfumato.engines.frames.paired_sources import files_side_by_side
from sfumato.engines.opening import columns_of, open_linked
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable, readable_release
from sfumato.errors import DataError, SchemaError, SfumatoError, UsageError, nearest
from sfumato.plan.proposals.proposal import domain_of
from sfumato.report.cost import Cost, costs_of_numbers
from sfumato.runtime.progress import advance
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.dates import Dates
from sfumato.taxonomies.taxonomy import ROOT

_NO_NUMBERS = PairedNumbers.of_arrays(np.zeros((0, 0)), np.zeros((0, 0)), columns=())


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseComparison:
    """What became of the columns that two files share.

    `numbers` has the columns of numbers, `costs` the results of the metrics on them, and `attacks` those of the
    attacks; `labels` has the other columns. `left_out` says why a column is in no figure, and `warnings` which columns
    look like identifiers, or have the values of one. `rows` is the number of all records, `suppressed` of those
    suppressed in all columns.
    """

    numbers: PairedNumbers
    labels: tuple[PairedLabels, ...]
    costs: tuple[Cost, ...]
    attacks: tuple[AttackResult, ...]
    left_out: Mapping[str, str]
    warnings: tuple[str, ...]
    rows: int
    suppressed: int

    def __repr__(self) -> str:
        shared = len(self.numbers.columns) + len(self.labels)
        return f"<ReleaseComparison: {shared} columns of {self.rows:,} records>"

    @classmethod
    def of_files(
        cls,
        original: str | Path,
        masked: str | Path,
        columns: Sequence[str] | None = None,
        *,
        taxonomies: Mapping[str, TaxonomyBuilder] | None = None,
        missing: Sequence[str] = (),
        options: ReadOptions = DETECTED,
    ) -> ReleaseComparison:
        """Compare two files with the same records in the same order; `columns` are all that both have by default.

        `taxonomies` are those of columns that are published under the names of their nodes. The options are those of
        the original; they hold for the masked file as far as they fit (`readable_release`).
        """
        advance("reading")
        before, after = readable(original, options), readable_release(masked, options)
        source = open_linked(LinkedFiles(after, original=before))
        names, left_out = _shared(columns_of(before), columns_of(after), columns)
        _demand_columns(taxonomies or {}, names)
        advance("comparing")
        labels: dict[str, PairedLabels] = {}
        warnings: list[str] = []
        warned: list[str] = []
        for name in names:
            try:
                counted = _counted(source, name)
            except SchemaError as refusal:
                left_out[name] = str(refusal).rstrip(".")
                continue
            found = _labels(source, name, counted, (taxonomies or {}).get(name), missing)
            why = _identifies(source, name, counted, found, missing)
            labels[name] = found
            if why:
                warned.append(name)
                warnings.append(_warning(name, why, found, counted_too=columns is not None))
                if columns is None:
                    left_out[name] = "looks like an identifier, and is still there"
                    del labels[name]
        for kept in kept_identifiers(source, missing, known=warned):
            warnings.append(kept.warning)
            if columns is None:
                left_out[kept.column] = "has the values of an identifier of the original"
                labels.pop(kept.column, None)
        numbers = _numbers(before, after, labels, missing)
        if numbers.columns and not numbers.people:
            left_out |= dict.fromkeys(numbers.columns, "no record has a number in every column of numbers")
            labels = {name: found for name, found in labels.items() if name not in numbers.columns}
            numbers = _NO_NUMBERS
        if not labels:
            raise DataError(f"there is no column to compare: {_reasons(left_out)}. Name columns that both files have.")
        measured = bool(numbers.columns)
        return cls(
            numbers,
            tuple(found for name, found in labels.items() if name not in numbers.columns),
            costs_of_numbers(numbers) if measured else (),
            tuple(attack.run(numbers) for attack in suitable_attacks(numbers)) if measured else (),
            left_out,
            tuple(warnings),
            next(iter(labels.values())).cells,
            _suppressed(source, nulls=after.typed),
        )

    @property
    def incomplete(self) -> int:
        """How many records miss a number on one side or the other."""
        return self.numbers.incomplete if self.numbers.columns else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data: counts, costs and rates, never values of records."""
        return {
            "columns": list(self.numbers.columns),
            "records": self.rows - self.incomplete,
            "incomplete": self.incomplete,
            "suppressed": self.suppressed,
            "metrics": {cost.name: cost.value for cost in self.costs},
            "shares": {cost.name: cost.share for cost in self.costs if cost.share is not None},
            "attacks": [result.to_dict() for result in self.attacks],
            "labels": {found.column: found.to_dict() for found in self.labels},
            "left_out": dict(self.left_out),
            "warnings": list(self.warnings),
        }


def _shared(
    before: Sequence[str], after: Sequence[str], columns: Sequence[str] | None
) -> tuple[list[str], dict[str, str]]:
    """The columns to compare, and why others are not."""
    shared = [name for name in before if name in after]
    if not shared:
        raise SchemaError("the two files share no column; name the columns of both alike.")
    if columns is not None:
        for name in columns:
            if name not in shared:
                raise SchemaError(f"the two files do not share a column {name!r}; {nearest(name, shared)}")
        return list(columns), {}
    only = {name: "only in the original" for name in before if name not in after}
    return shared, only | {name: "only in the masked file" for name in after if name not in before}


def _demand_columns(taxonomies: Mapping[str, TaxonomyBuilder], names: Sequence[str]) -> None:
    for name in taxonomies:
        if name not in names:
            raise UsageError(f"column {name!r} is not compared, so its taxonomy is not used; {nearest(name, names)}")


def _counted(source: Engine, name: str) -> Counted:
    """How often each published text stands beside each original one."""
    for side in (name, BESIDE + name):
        source.kind(side)  # refuses nested and binary values
    return source.count((name, BESIDE + name))


def _labels(
    source: Engine, name: str, counted: Counted, builder: TaxonomyBuilder | None, missing: Sequence[str]
) -> PairedLabels:
    """Read the labels of a column; those of dates by calendar units need no taxonomy to be given.

    Codes of digits, such as postcodes, are texts. If their labels cannot be read so, they may have been published as
    numbers, under ranges.
    """
    kind = source.kind(BESIDE + name)
    found = _read_as(domain_of(name, counted.raw[BESIDE + name], kind, missing), counted, builder, missing)
    if not found.unclear or builder is not None:
        return found
    try:
        as_numbers, _ = Domain.of(name, counted.raw[BESIDE + name], kind=Kind.NUMBER, missing=missing)
    except SfumatoError:  # not all values are numbers
        return found
    again = _read_as(as_numbers, counted, None, missing)
    return again if again.unclear < found.unclear else found


def _read_as(domain: Domain, counted: Counted, builder: TaxonomyBuilder | None, missing: Sequence[str]) -> PairedLabels:
    taxonomy = None
    if builder is None and domain.kind in (Kind.DATE, Kind.MONTH):
        builder = Dates()
    if builder is not None:
        taxonomy, _ = builder.grow(domain)
        domain = taxonomy.domain
    return PairedLabels.of_counted(domain.column, counted, domain, taxonomy=taxonomy, missing=missing)


def _identifies(source: Engine, name: str, counted: Counted, found: PairedLabels, missing: Sequence[str]) -> str:
    """Why a column that is mostly published as it was looks like an identifier; empty if it does not."""
    return "" if 2 * found.unchanged < found.cells else why_identifying(source, BESIDE + name, counted, missing)


def _warning(name: str, why: str, found: PairedLabels, *, counted_too: bool) -> str:
    then = "The figures include it, because it was named." if counted_too else "The figures leave it out."
    return (
        f"column {name!r} {why}, and {found.unchanged:,} of {found.cells:,} records still have their original value. "
        f"Publish the records without it, or under pseudonyms. {then}"
    )


def _numbers(
    before: ReadableFile,
    after: ReadableFile,
    labels: Mapping[str, PairedLabels],
    missing: Sequence[str],
) -> PairedNumbers:
    """The columns that are numbers in both files; not those whose only change is that cells are suppressed."""
    wanted = [
        name
        for name, found in labels.items()
        if not found.unclear and (not found.suppressed or found.unchanged + found.suppressed < found.cells)
    ]
    if not wanted:
        return _NO_NUMBERS
    return files_side_by_side(before, after, wanted, missing=missing, only_numbers=True)


def _suppressed(source: Engine, *, nulls: bool) -> int:
    """The number of records with `*` in every published column, or no value if the format has missing values."""
    shown = [name for name in source.columns if not name.startswith(BESIDE)]
    return sum(source.filled(shown, mark) for mark in ((ROOT, None) if nulls else (ROOT,)))


def _reasons(left_out: Mapping[str, str]) -> str:
    return "; ".join(f"{name!r} {why}" for name, why in left_out.items()) or "both files have none"
