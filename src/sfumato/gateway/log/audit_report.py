"""Counts of the queries in an audit log; `sfumato gateway audit report` shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import DataError
from sfumato.gateway.log.audit_verification import BrokenLog, LogReading

_GROUPS = ("person", "operation", "purpose", "table", "decision", "refusal", "day")


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """Counts of queries by person, operation, purpose, table, decision, refusal and day.

    `head` is the hash of the last entry that was read. A query that names two tables counts for both. `strangers`
    counts requests of unknown callers, `choices` how many choices were entered, `mended` how often a torn end was moved
    away.
    """

    questions: int
    rows: int
    mended: int
    strangers: int
    choices: int
    first: str | None
    last: str | None
    head: str
    by_person: Mapping[str, int]
    by_operation: Mapping[str, int]
    by_purpose: Mapping[str, int]
    by_table: Mapping[str, int]
    by_decision: Mapping[str, int]
    by_refusal: Mapping[str, int]
    by_day: Mapping[str, int]

    @classmethod
    def of(cls, path: Path, *, after: str | None = None) -> AuditReport:
        """The counts of a log, in one pass; a broken log is refused."""
        counts, times, reading = {name: Counter[str]() for name in _GROUPS}, ["", ""], LogReading(path, after=after)
        rows = strangers = choices = 0
        try:
            for line in reading:
                if line.kind == "asked":
                    _count(line.fields, counts)
                    rows += line.fields["rows"]
                    times = [times[0] or line.fields["time"], line.fields["time"]]
                strangers += 1 + line.fields["further"] if line.kind == "stranger" else 0
                choices += len(line.fields["choices"]) if line.kind == "chose" else 0
        except BrokenLog as broken:
            raise DataError(f"the audit log is broken at {broken}") from None
        return cls(
            questions=counts["decision"].total(),
            rows=rows,
            mended=reading.mended,
            strangers=strangers,
            choices=choices,
            first=times[0] or None,
            last=times[1] or None,
            head=reading.verification().head,
            **{f"by_{name}": _ordered(counter, by_name=name == "day") for name, counter in counts.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)


def _count(fields: Mapping[str, Any], counts: Mapping[str, Counter[str]]) -> None:
    """Count one query."""
    counts["person"][fields["who"]] += 1
    counts["operation"][fields.get("operation", "select")] += 1  # missing in old logs
    counts["purpose"][fields["purpose"]] += 1
    counts["decision"][fields["decision"]] += 1
    counts["day"][fields["time"][:10]] += 1
    counts["table"].update(fields["tables"])
    if fields["reason"]:
        counts["refusal"][fields["reason"]] += 1


def _ordered(counter: Counter[str], *, by_name: bool) -> dict[str, int]:
    """The most frequent first; days in order."""
    return dict(sorted(counter.items(), key=lambda item: (0 if by_name else -item[1], item[0])))
