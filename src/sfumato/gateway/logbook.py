"""What is written down about everything that somebody asks or changes: the log, and notices to those to be told."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sfumato.errors import SfumatoError
from sfumato.gateway.audit_lines import AuditEntry
from sfumato.gateway.characters import storable
from sfumato.gateway.people import Person
from sfumato.gateway.sections import ObligationSection

if TYPE_CHECKING:
    from sfumato.gateway.audit_log import AuditLog
    from sfumato.gateway.notices import Notices


@dataclass(frozen=True)
class Deed:
    """What somebody did: what they said, without values, for which purpose, and which columns of which tables it is of.

    `duties` come with it once it is allowed.
    """

    person: Person
    said: str
    purpose: str
    of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    duties: Sequence[ObligationSection] = ()


class Logbook:
    """Writes entries and notices for one policy; without a log or notices it writes nothing."""

    def __init__(
        self, log: AuditLog | None, notices: Notices | None, policy: str, clock: Callable[[], datetime]
    ) -> None:
        self._log = log
        self._notices = notices
        self._policy = policy
        self._clock = clock

    def note(self, deed: Deed, begun: float, *, rows: int = 0, error: SfumatoError | None = None) -> None:
        """One entry, on disk when this returns."""
        if self._log is None:
            return
        entry = AuditEntry(
            who=deed.person.name,
            roles=tuple(sorted(deed.person.roles)),
            purpose=storable(deed.purpose),
            statement=deed.said,
            tables=tuple(sorted(deed.of)),
            columns=tuple(sorted(f"{table}.{name}" for table, names in deed.of.items() for name in names)),
            decision="answered" if error is None else "refused",
            reason="" if error is None else type(error).__name__,
            rows=rows,
            policy=self._policy,
            obligations=() if error is not None else tuple(map(str, deed.duties)),
            milliseconds=round((time.perf_counter() - begun) * 1000, 3),
        )
        self._log.append(entry)

    def notify(self, deed: Deed) -> None:
        """Leave a notice for everybody who is to be told."""
        for duty in deed.duties:
            if duty.duty == "notify" and self._notices is not None:
                self._notices.give(
                    duty, who=deed.person.name, purpose=deed.purpose, tables=tuple(sorted(deed.of)), at=self._clock()
                )

    def close(self) -> None:
        """Let others write."""
        for opened in (self._log, self._notices):
            if opened is not None:
                opened.close()
