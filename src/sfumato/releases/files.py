"""The files of a release: one table, two tables, or one table with its original.

The audit, attacks and `sfumato check` open releases with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from sfumato.disclosure.linkage import Linkage
from sfumato.engines.base import BESIDE, Counted, Engine, LinkedFiles
from sfumato.engines.opening import columns_of, open_file, open_linked
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable
from sfumato.errors import DataError, SchemaError, UsageError, listed, nearest
from sfumato.taxonomies.taxonomy import ROOT

_SORT_ALIKE = (
    "Sort both files alike; if the column was shuffled on purpose and is neither quasi nor sensitive, leave it out of "
    "the original."
)


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of a release, and which of its columns are linked.

    `bucket` is the column with the bucket of a record. `blocks` are the columns that stay together; by default the
    sensitive columns are one block and all others another. `sensitive_table` is the file of the sensitive values if
    they have one of their own; it is read with the options of the release unless it has `sensitive_options`. `original`
    has the original records; without buckets, in the order of the release.
    """

    path: Path | ReadableFile
    bucket: str = ""
    blocks: Sequence[Sequence[str]] = ()
    sensitive_table: str | Path | None = None
    original: str | Path | ReadableFile | None = None
    options: ReadOptions = DETECTED
    original_options: ReadOptions = DETECTED
    sensitive_options: ReadOptions | None = None

    def __post_init__(self) -> None:
        if self.sensitive_table is not None and not self.bucket:
            raise UsageError("a table of sensitive values needs buckets; name the column of the bucket.")
        if self.blocks and not self.bucket:
            raise UsageError("blocks of columns exist only in releases with buckets; name the column of the bucket.")

    @cached_property
    def release(self) -> ReadableFile:
        """The file of the records."""
        return readable(self.path, self.options)

    @cached_property
    def original_file(self) -> ReadableFile | None:
        """The file of the original records."""
        return None if self.original is None else readable(self.original, self.original_options)

    def opened(self, sensitive: Sequence[str]) -> Engine:
        """An engine over the files.

        Records in buckets are shuffled, so they are matched with their originals by the values that they share.
        """
        if self.sensitive_table is None and self.original is None:
            source = open_file(self.release)
            self._demand_bucket(source.columns)
            return source
        secrets = None
        if self.sensitive_table is not None:
            secrets = readable(self.sensitive_table, self.sensitive_options or self.options)
        return open_linked(
            LinkedFiles(
                self.release,
                secrets=secrets,
                bucket=self.bucket,
                original=self.original_file,
                shared=self._shared(sensitive) if self.bucket and self.original is not None else (),
            )
        )

    def demand_same_order(self, source: Engine) -> None:
        """Raise an error if records and originals that are paired by their places have different orders.

        A column counts as published unchanged if none of its values occurs more often in the release than in the
        original. Such a column must agree record by record, except where a value is suppressed. Without this test a
        release beside its shuffled original would be judged by the values of other persons.
        """
        if self.original is None or self.bucket:
            return  # records in buckets are matched by the values that they share
        for name in source.columns:
            if BESIDE + name in source.columns:
                others = _displaced(source.count((name, BESIDE + name)), name)
                if others:
                    raise DataError(
                        f"the original is not in the order of the release: column {name!r} has the same values in "
                        f"both, but {others} records have another one than the original in their place. "
                        f"{_SORT_ALIKE}"
                    )

    def demand_originals(self, source: Engine, columns: Sequence[str], person: str) -> None:
        """Raise an error if the original lacks one of these columns, or if neither file has the person key."""
        if self.original_file is None:
            return
        file = f"original {self.original_file.described}"
        there = [name.removeprefix(BESIDE) for name in source.columns if name.startswith(BESIDE)]
        for name in columns:
            if name not in there:
                raise SchemaError(
                    f"{file} has no column {name!r}; {nearest(name, there)} It needs all quasi and sensitive columns "
                    "of the release; add the column, or give no original."
                )
        if person and person not in (*source.columns, *there):
            raise SchemaError(
                f"neither the release nor {file} has the person column {person!r}; {nearest(person, there)} Give an "
                "original that has it, or name no person column."
            )

    def released_columns(self, source: Engine) -> list[str]:
        """The columns of the release itself, without the original ones beside it."""
        return [name for name in source.columns if self.original is None or not name.startswith(BESIDE)]

    def _shared(self, sensitive: Sequence[str]) -> list[str]:
        """The columns with equal values in a record and its original."""
        shown = columns_of(self.release)
        self._demand_bucket(shown)
        kept = self.blocks[0] if self.blocks else shown
        return [name for name in shown if name in kept and name not in (*sensitive, self.bucket)]

    def _demand_bucket(self, columns: Sequence[str]) -> None:
        """Raise an error if the file of the records does not have the column of the bucket."""
        if self.bucket and self.bucket not in columns:
            raise SchemaError(
                f"{self.release.described} has no column {self.bucket!r}; {nearest(self.bucket, columns)}"
            )

    def linkage(self, source: Engine, sensitive: Sequence[str], quasi: Sequence[str] = ()) -> Linkage:
        """Which columns belong to one record: all without buckets, otherwise those of one block."""
        if not self.bucket:
            return Linkage()
        if not sensitive:
            raise UsageError("buckets hide sensitive columns; name at least one.")
        if self.bucket in (*sensitive, *quasi):
            raise SchemaError(
                f"column {self.bucket!r} names the bucket, so it cannot be quasi or sensitive; name it once."
            )
        for name in sensitive:
            if name not in source.columns:
                hint = (
                    ""
                    if self.sensitive_table is not None
                    else " If sensitive values have a table of their own, give that too."
                )
                raise SchemaError(f"the data has no column {name!r}; {nearest(name, source.columns)}{hint}")
        others = tuple(name for name in self.released_columns(source) if name not in (*sensitive, self.bucket))
        if not self.blocks:
            return Linkage(self.bucket, (others, tuple(sensitive)))
        self._refuse_odd_blocks((*others, *sensitive), (*quasi, *sensitive))
        return Linkage(self.bucket, tuple(map(tuple, self.blocks)))

    def _refuse_odd_blocks(self, possible: Sequence[str], needed: Sequence[str]) -> None:
        """Raise an error unless every quasi and sensitive column is in one block; a misspelt one would be cut off."""
        named = [name for block in self.blocks for name in block]
        for name in named:
            if name not in possible:
                raise SchemaError(f"a block names {name!r}, which cannot be in one; {nearest(name, possible)}")
        odd = [name for name in dict.fromkeys((*named, *needed)) if named.count(name) != 1]
        if odd:
            raise SchemaError(f"every quasi and sensitive column is in one block; {listed(odd)} is not.")


def _displaced(pairs: Counted, name: str) -> int:
    """How many records have another value than their original in a column that is published unchanged; otherwise 0."""
    published, original = pairs.raw[name], pairs.raw[BESIDE + name]
    place = {text: code for code, text in enumerate(original)}
    known = np.array([place.get(text, -1) for text in published], dtype=np.int64)[pairs.codes[name]]
    suppressed = np.array([text is None or text == ROOT for text in published], dtype=bool)[pairs.codes[name]]
    if (known[~suppressed] < 0).any():
        return 0  # it has values that the original does not have
    shown = np.bincount(known[~suppressed], weights=pairs.counts[~suppressed], minlength=len(original))
    stored = np.bincount(pairs.codes[BESIDE + name], weights=pairs.counts, minlength=len(original))
    if (shown > stored).any():
        return 0  # it has some values more often
    return int(pairs.counts[~suppressed & (known != pairs.codes[BESIDE + name])].sum())
