"""Published tables, how they were made, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import UsageError
from sfumato.recodings.recoding import Recoding
from sfumato.releases.candidate import Candidate
from sfumato.releases.verdict import Verdict

if TYPE_CHECKING:
    from sfumato.report.report import Report


@dataclass(frozen=True, eq=False)
class Release:
    """A candidate that was judged from what it publishes, with the verdict and how it came about."""

    candidate: Candidate
    verdicts: tuple[Verdict, ...]
    provenance: Mapping[str, Any]
    parts: Mapping[str, Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.parts:
            object.__setattr__(self, "parts", _parts(self.candidate))

    @property
    def original(self) -> Table:
        """The table it was made from."""
        return self.candidate.original

    @property
    def recoding(self) -> Recoding:
        """What was decided."""
        return self.candidate.recoding

    @property
    def holds(self) -> bool:
        """Whether every promise was found kept."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def groups(self) -> Groups:
        """Who looks like whom by all quasi columns; where links are cut, who shares a bucket."""
        return self.candidate.groups(asked=self.original.schema.sensitive)

    def frame(self, *, pseudonyms: Callable[[str], str] | None = None) -> Any:
        """The caller's kind of frame: same row order and index, quasi columns published, identifiers gone.

        A record that is not published is a row of missing values, so rows stay aligned with the original. Records in
        buckets come in random order with an index of their own, because their order might tell what they had.
        """
        from sfumato.engines.writing.publishing import published_frame

        return published_frame(self, self.source(), pseudonyms=pseudonyms)

    def apply(self, frame: Any, *, pseudonyms: Callable[[str], str] | None = None) -> Any:
        """Other records, published by the same decision; no promise is made for them, since nobody judged them.

        Where values have labels of their own (full-domain levels, cuts, intervals), one that was not there when it was
        decided gets the label that is true of it. Values no label is true of, and combinations that belong to no
        group, are refused, with their number.
        """
        from sfumato.engines.writing.publishing import applied_frame

        return applied_frame(self, frame, pseudonyms=pseudonyms)

    def write(
        self,
        path: str | Path,
        *,
        pseudonyms: Callable[[str], str] | None = None,
        sensitive_table: str | Path | None = None,
    ) -> Path:
        """Write the published records as CSV or Parquet; files appear only when they are complete.

        Secrets that are published apart go to `sensitive_table`, or to a file beside the first one.
        """
        from sfumato.engines.writing.publishing import write_published

        secrets = None if sensitive_table is None else Path(sensitive_table)
        return write_published(self, Path(path), pseudonyms=pseudonyms, sensitive_table=secrets)

    def sensitive_frame(self) -> Any:
        """Where secrets are published apart: how often each occurs in each bucket, as an Arrow table."""
        from sfumato.engines.writing.publishing import sensitive_table

        if "sensitive" not in self.parts:
            raise UsageError("this release has no table of secrets; they are in the table of records.")
        return sensitive_table(self.parts["sensitive"])

    def report(self) -> Report:
        """What was promised, what was measured and what it cost, for reading."""
        from sfumato.report.report import Report

        return Report.of_release(self)

    def source(self) -> Any:
        """The engine over the raw records; refuses for tables that were not read from any."""
        if self.original.source is None:
            raise UsageError("this table was made from plain rows; read it from a file or a frame to publish records.")
        return self.original.source


def _parts(candidate: Candidate) -> dict[str, Table]:
    """One table; where secrets are published apart, one of everything else and one that counts them by bucket."""
    rows, separate = candidate.published_rows, candidate.recoding.separate_columns
    if not separate:
        return {"table": candidate.recoding.with_moved_values(rows)}
    kept = {name: codes for name, codes in rows.codes.items() if name not in separate}
    return {
        "quasi": replace(rows, codes=kept),
        "sensitive": rows.distinct((candidate.linkage.column, *separate))[0],
    }
