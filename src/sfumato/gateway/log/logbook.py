"""Writes the audit entries and the notices of the gateway.

`Gateway` records every query and every choice here; the HTTP API records requests that it refuses itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sfumato.gateway.log.audit_entries import ChoicesEntry, LogEntry, UnknownCallerEntry
from sfumato.gateway.log.audit_lines import AuditEntry
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.characters import storable
from sfumato.gateway.policy.sections import ObligationSection

if TYPE_CHECKING:
    from sfumato.gateway.log.audit_log import AuditLog
    from sfumato.gateway.log.notices import Notices
    from sfumato.gateway.people.choices import Choice


@dataclass(frozen=True)
class AuditEvent:
    """What a person did: the statement without its values, the purpose, and the columns it read, by table.

    `obligations` come with the permission. `login` is the name on the machine of a user of the
    command line, and `batch` connects a request to choose with its choices.
    """

    person: Person
    statement: str
    purpose: str
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    obligations: Sequence[ObligationSection] = ()
    operation: str = "select"
    login: str = ""
    batch: str = ""


_LONGEST_PURPOSE = 500
_SHOWN_CHARACTERS = 100


def _purpose_text(purpose: str) -> str:
    """A purpose for the log; of an overlong one, its beginning and its length."""
    if len(purpose) <= _LONGEST_PURPOSE:
        return storable(purpose)
    return f"{storable(purpose[:_SHOWN_CHARACTERS])}... ({len(purpose):,} characters)"


class Logbook:
    """Writes entries and notices for one policy; without a log or notices it writes nothing."""

    def __init__(
        self, log: AuditLog | None, notices: Notices | None, policy: str, clock: Callable[[], datetime]
    ) -> None:
        self._log = log
        self._notices = notices
        self._policy = policy
        self._clock = clock

    @property
    def problem(self) -> str:
        """Why queries cannot be logged, and are not answered, in words that any caller may read; empty if they can."""
        return "the log cannot be written" if self._log is not None and self._log.problem else ""

    def record(self, event: AuditEvent, started: float, *, rows: int = 0, error: BaseException | None = None) -> None:
        """Write the entry of an event, answered or refused with `error`; it is on disk when this returns."""
        if self._log is None:
            return
        entry = AuditEntry(
            who=event.person.name,
            operation=event.operation,
            roles=tuple(sorted(event.person.roles)),
            purpose=_purpose_text(event.purpose),
            statement=event.statement,
            tables=tuple(sorted(event.columns)),
            columns=tuple(sorted(f"{table}.{name}" for table, names in event.columns.items() for name in names)),
            decision="answered" if error is None else "refused",
            reason="" if error is None else type(error).__name__,
            rows=rows,
            policy=self._policy,
            obligations=() if error is not None else tuple(map(str, event.obligations)),
            milliseconds=round((time.perf_counter() - started) * 1000, 3),
            login=event.login,
            batch=event.batch,
        )
        self._log.append(entry)

    def record_choices(self, event: AuditEvent, started: float, table: str, choices: Sequence[Choice]) -> None:
        """Write one entry for the request to choose, and further entries for the choices with their keys.

        All of them are on disk when this returns. No other entry holds keys or values.
        """
        entry = ChoicesEntry(
            who=event.person.name,
            login=event.login,
            purpose=event.purpose,
            table=table,
            batch=event.batch,
            choices=tuple(choices),
        )
        parts = entry.split() if choices else []
        self.record(event, started, rows=len(choices))
        for part in parts:
            self.write(part)

    def record_refusal(self, person: Person, operation: str, statement: str, reason: str, *, further: int) -> None:
        """Write the entry of a request that was refused before its query was parsed."""
        self.write(
            AuditEntry(
                who=person.name,
                operation=operation,
                roles=tuple(sorted(person.roles)),
                purpose="",
                statement=statement,
                decision="refused",
                reason=reason,
                policy=self._policy,
                further=further,
            )
        )

    def record_unknown_caller(self, status: int, path: str, *, further: int) -> None:
        """Write the entry of a request from an unknown caller."""
        self.write(UnknownCallerEntry(status=status, path=path, further=further))

    def write(self, entry: LogEntry) -> None:
        """Write any entry; it is on disk when this returns."""
        if self._log is not None:
            self._log.append(entry)

    def notify(self, event: AuditEvent) -> None:
        """Write a notice for everyone who must be notified of an event."""
        for obligation in event.obligations:
            if obligation.duty == "notify" and self._notices is not None:
                self._notices.add(
                    obligation,
                    who=event.person.name,
                    purpose=event.purpose,
                    tables=tuple(sorted(event.columns)),
                    at=self._clock(),
                )

    def close(self) -> None:
        """Close the files, so that another process can write them."""
        for writer in (self._log, self._notices):
            if writer is not None:
                writer.close()
