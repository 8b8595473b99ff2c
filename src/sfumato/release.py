"""What leaves the house: published parts, how they were made, and what a stranger's check of them says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.buckets import Buckets
from sfumato.errors import UsageError
from sfumato.groups import Groups
from sfumato.recoding import Recoding
from sfumato.table import Table

if TYPE_CHECKING:
    from sfumato.report.report import Report


@dataclass(frozen=True)
class Verdict:
    """What checking one model against what was published found.

    `level` is what the worst group reaches, `required` what the model asks for; a witness is a failing group's size and
    level, never its values. `reasons` say what makes groups fail, where the model can tell. `evidence` is "measured"
    when it was seen in the data, "accounted" when the process guarantees it.
    """

    model: Mapping[str, Any]
    described: str
    holds: bool
    level: float
    required: float
    better: Literal["higher", "lower"]
    groups: int
    failing_groups: int
    failing_records: int
    witnesses: tuple[tuple[int, float], ...] = ()
    reasons: tuple[str, ...] = ()
    evidence: Literal["measured", "accounted"] = "measured"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a certificate."""
        plain = {key: value for key, value in self.__dict__.items() if key not in ("model", "witnesses", "reasons")}
        witnesses = [{"records": size, "level": level} for size, level in self.witnesses]
        return {"model": dict(self.model), **plain, "witnesses": witnesses, "reasons": list(self.reasons)}


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over several ways to group the same records: all must hold, and the worst level counts.

    Groups are counted over all ways. A record may fail in many, so records are counted in the way most of them fail.
    """
    pick = min if verdicts[0].better == "higher" else max
    failing = sorted(
        (verdict for verdict in verdicts if not verdict.holds), key=lambda verdict: -verdict.failing_records
    )
    return replace(
        verdicts[0],
        holds=not failing,
        level=pick(verdict.level for verdict in verdicts),
        groups=sum(verdict.groups for verdict in verdicts),
        failing_groups=sum(verdict.failing_groups for verdict in verdicts),
        failing_records=failing[0].failing_records if failing else 0,
        witnesses=failing[0].witnesses if failing else (),
    )


@dataclass(frozen=True, eq=False)
class Candidate:
    """A way to publish a table, not judged yet.

    Row i of `published` stands for `published.counts[i]` records of row `origin[i]` of the original; rows marked in
    `suppressed` are not published. `member` says which group of a group recoding a row belongs to. People who waive
    protection are published, but nobody is asked whether they are safe.
    """

    original: Table
    published: Table
    recoding: Recoding
    origin: NDArray[np.int64]
    suppressed: NDArray[np.bool_]
    member: NDArray[np.int32] | None = None

    @cached_property
    def seen(self) -> Table:
        """What a stranger sees: the rows that are published, equal where their labels are."""
        return self.published.rows_where(~self.suppressed) if self.suppressed.any() else self.published

    def groups(self, columns: Sequence[str] | None = None, asked: Sequence[str] = ()) -> Groups:
        """Who looks like whom to somebody who knows all quasi columns, or the given ones, and asks for others.

        Where ties between columns are cut, what can be learned depends on what is asked. Only people who do not waive
        protection are in groups.
        """
        wanted = tuple(columns) if columns is not None else self.published.schema.quasi
        return self._grouped(wanted if self.ties is None else self.ties.told_by(wanted, tuple(asked)))

    @cached_property
    def protected(self) -> NDArray[np.bool_]:
        """The rows that are published and whose people do not waive protection: those that models judge."""
        return ~self.suppressed & ~self.published.waived

    @cached_property
    def people(self) -> Table:
        """The rows that are published and protected, with their original values."""
        return self.original.rows_at(self.origin[self.protected], self.published.counts[self.protected])

    def alike(self) -> Groups:
        """Records that cannot be told apart by the quasi columns that are published together."""
        quasi = self.published.schema.quasi
        return self.groups(quasi if self.ties is None else [name for name in quasi if name in self.ties.blocks[0]])

    @property
    def ties(self) -> Buckets | None:
        """Which columns belong to one record, where ties between columns are cut; None where all do."""
        return self.recoding.ties

    def suppressing(self, more: NDArray[np.bool_]) -> Candidate:
        """The same candidate with more of its rows left out; where ties are cut, whole buckets."""
        gone = self.suppressed | more
        if self.ties is not None and self.member is not None:
            gone = np.isin(self.member, self.member[gone])
        labels = {name: self.published.codes[name][gone] for name in self.recoding.labels}
        member = None if self.member is None else self.member[gone]
        return replace(self, suppressed=gone, recoding=self.recoding.suppressing(labels, member))

    @property
    def suppressed_records(self) -> int:
        """How many records are left out."""
        return int(self.published.counts[self.suppressed].sum())

    def _grouped(self, columns: tuple[str, ...]) -> Groups:
        if columns not in self._known:
            self._known[columns] = Groups.of(self._judged, columns)
        return self._known[columns]

    @cached_property
    def _judged(self) -> Table:
        return self.published.rows_where(self.protected) if self.published.schema.waiver else self.seen

    @cached_property
    def _known(self) -> dict[tuple[str, ...], Groups]:
        return {}


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
        """Who looks like whom by all quasi columns; where ties are cut, who shares a bucket."""
        return self.candidate.groups(asked=self.original.schema.sensitive)

    def frame(self, *, pseudonyms: Callable[[str], str] | None = None) -> Any:
        """The caller's kind of frame: same row order and index, quasi columns published, identifiers gone.

        A record that is not published is a row of missing values, so rows stay aligned with the original. Records in
        buckets come in random order with an index of their own, because their order might tell what they had.
        """
        from sfumato.engines.publishing import published_frame

        return published_frame(self, self.source(), pseudonyms=pseudonyms)

    def apply(self, frame: Any, *, pseudonyms: Callable[[str], str] | None = None) -> Any:
        """Other records, published by the same decision; no promise is made for them, since nobody judged them.

        Where values have labels of their own (full-domain levels, cuts, intervals), one that was not there when it was
        decided gets the label that is true of it. Values no label is true of, and combinations that belong to no
        group, are refused, with their number.
        """
        from sfumato.engines.publishing import applied_frame

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
        from sfumato.engines.publishing import write_published

        secrets = None if sensitive_table is None else Path(sensitive_table)
        return write_published(self, Path(path), pseudonyms=pseudonyms, sensitive_table=secrets)

    def sensitive_frame(self) -> Any:
        """Where secrets are published apart: how often each occurs in each bucket, as an Arrow table."""
        from sfumato.engines.publishing import sensitive_table

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
    seen, ties, withheld = candidate.seen, candidate.ties, candidate.recoding.withheld
    if ties is None or not withheld:
        return {"table": candidate.recoding.torn(seen)}
    kept = {name: codes for name, codes in seen.codes.items() if name not in withheld}
    return {"quasi": replace(seen, codes=kept), "sensitive": seen.condensed((ties.column, *withheld))[0]}
