"""Releases of tables: users write them to a frame or a file, and apply them to other records.

Algorithms for tables return them. The audit reads back what was written through `TableRelease.files`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.disclosure.table_view import TableView
from sfumato.engines.base import options_of_written
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import UsageError
from sfumato.kernels.arrays import Flags
from sfumato.recodings.recoding import Recoding
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.release import Release
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.representations import html_table

if TYPE_CHECKING:
    from sfumato.report.report import Report


@dataclass(frozen=True, eq=False, repr=False)
class TableRelease(Release[TableCandidate]):
    """A judged table.

    `parts` are the published tables: one table, or one of the records and one of the sensitive values by bucket.
    Metrics and attacks take a release as they take its candidate: it answers the same questions.
    """

    def _repr_html_(self) -> str:
        """Verdicts, numbers of records and sizes of groups, for notebooks."""
        groups = self.groups
        rows = [
            *((one.described, "holds" if one.holds else "FAILS", f"{one.level:.4g}") for one in self.verdicts),
            ("published records", f"{self.original.records - self.suppressed_records:,}", ""),
            ("suppressed records", f"{self.suppressed_records:,}", ""),
            ("groups", f"{len(groups):,}", f"at least {groups.sizes.min(initial=groups.records):,} {groups.unit} each"),
        ]
        return html_table(f"Release of {self.original.records:,} records", rows, ("", "result", "found"))

    @property
    def original(self) -> Table:
        """The table that the release was made from."""
        return self.candidate.original

    @property
    def published(self) -> Table:
        """The rows of its candidate as they are published, those that are suppressed too."""
        return self.candidate.published

    @property
    def origin(self) -> NDArray[np.int64]:
        """The row of the original that each published row stands for."""
        return self.candidate.origin

    @property
    def suppressed(self) -> Flags:
        """The published rows that are left out."""
        return self.candidate.suppressed

    @property
    def numbers(self) -> PairedNumbers:
        """The columns that are published as numbers, beside the original ones."""
        return self.candidate.numbers

    @property
    def parts(self) -> Mapping[str, Table]:
        """The published tables by name."""
        return self.candidate.parts

    @property
    def view(self) -> TableView:
        """What somebody sees of it: the published rows of people who do not waive protection."""
        return self.candidate.view

    def record_groups(self) -> Groups:
        """Records that cannot be told apart by the quasi columns that are published together."""
        return self.candidate.record_groups()

    @property
    def recoding(self) -> Recoding:
        """The recoding from original to published values."""
        return self.candidate.recoding

    @property
    def groups(self) -> Groups:
        """The groups by all quasi columns; if links are cut, the buckets."""
        return self.candidate.groups(asked=self.original.schema.sensitive)

    def frame(self, *, pseudonyms: Callable[[str], str] | None = None, drop_suppressed: bool = False) -> Any:
        """The published records as the same kind of frame as the original: same row order and index, no identifiers.

        A suppressed record is a row of missing values, so rows stay aligned with the original; or it is dropped.
        Records in buckets come in random order with a new index, because their original order might disclose sensitive
        values.
        """
        from sfumato.engines.writing.publishing import published_frame

        return published_frame(self, self.source(), pseudonyms=pseudonyms, drop_suppressed=drop_suppressed)

    def apply(self, frame: Any, *, pseudonyms: Callable[[str], str] | None = None) -> Any:
        """Apply the same recoding to other records; the verdicts do not cover them, since no model judged them.

        Under a global recoding (full-domain levels, cuts, intervals), a value that the original did not have gets a
        label that covers it. Values that no label covers, and combinations without a group, raise an error that says
        how many there are.
        """
        from sfumato.engines.writing.publishing import applied_frame

        return applied_frame(self, frame, pseudonyms=pseudonyms)

    def write(
        self,
        path: str | Path,
        *,
        pseudonyms: Callable[[str], str] | None = None,
        sensitive_table: str | Path | None = None,
        drop_suppressed: bool = False,
        order: NDArray[np.int64] | None = None,
    ) -> Path:
        """Write the published records as CSV or Parquet; files appear only when they are complete.

        A suppressed record is a line of `*` in CSV and a row of nulls in Parquet, or it is dropped. Sensitive values
        with a table of their own go to `sensitive_table`, or to a file beside the first one. `order` are the places of
        the records in the order in which they are written; without it they keep their order, or are shuffled if they
        are in buckets.
        """
        from sfumato.engines.writing.publishing import write_published

        secrets = None if sensitive_table is None else Path(sensitive_table)
        return write_published(
            self,
            Path(path),
            pseudonyms=pseudonyms,
            sensitive_table=secrets,
            drop_suppressed=drop_suppressed,
            order=order,
        )

    def files(
        self,
        written: Mapping[str, Path],
        *,
        original: Path | ReadableFile | None = None,
    ) -> ReleaseFiles:
        """How to read back the files that were written: `release` and, if there is one, `sensitive_table`.

        With `original`, every published record is read beside its original.
        """
        path, secrets, linkage = written["release"], written.get("sensitive_table"), self.recoding.linkage
        own = self.source().separator
        return ReleaseFiles(
            path,
            bucket=linkage.bucket_column if linkage.cut else "",
            blocks=linkage.blocks,
            sensitive_table=secrets,
            original=original,
            options=options_of_written(path, own),
            sensitive_options=None if secrets is None else options_of_written(secrets, own),
        )

    def sensitive_frame(self) -> Any:
        """The separate table of sensitive values, with their counts in each bucket, as an Arrow table."""
        from sfumato.engines.writing.publishing import sensitive_table

        if "sensitive" not in self.parts:
            raise UsageError("this release has no table of sensitive values; they are in the table of records.")
        return sensitive_table(self.parts["sensitive"])

    def report(self) -> Report:
        """A report of models, verdicts and losses for readers."""
        from sfumato.report.report import Report

        return Report.of_release(self)

    def source(self) -> Any:
        """The engine over the raw records; raises an error for tables made from Python lists."""
        if self.original.source is None:
            raise UsageError("this table was made from plain rows; read it from a file or a frame to publish records.")
        return self.original.source
