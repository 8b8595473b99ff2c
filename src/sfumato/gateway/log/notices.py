"""Notices: who is to be notified that a permission was used, kept in a file until somebody sends them.

`Logbook.notify` writes them.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from sfumato.gateway.policy.sections import ObligationSection
from sfumato.runtime.durable_lines import DurableLines


class Notices:
    """A file of JSON lines, one per notice, without values; a notice is on disk before the answer is returned.

    A program of the operator reads the file, sends the notices and may move the file away; the gateway sends nothing.

    >>> from datetime import UTC
    >>> from tempfile import TemporaryDirectory
    >>> obligation = ObligationSection(duty="notify", to="officer")
    >>> with TemporaryDirectory() as folder:
    ...     notices = Notices(Path(folder) / "notices.jsonl")
    ...     day = datetime(2026, 1, 2, tzinfo=UTC)
    ...     notices.add(obligation, who="ada", purpose="Sales", tables=("customer",), at=day)
    ...     notices.close()
    ...     (Path(folder) / "notices.jsonl").read_text().strip()
    '{"at":"2026-01-02T00:00:00+00:00","purpose":"Sales","tables":["customer"],"to":"officer","who":"ada"}'
    """

    def __init__(self, path: str | Path) -> None:
        self._lines = DurableLines(Path(path), follow_moves=True)

    def add(
        self, obligation: ObligationSection, *, who: str, purpose: str, tables: tuple[str, ...], at: datetime
    ) -> None:
        """Write a notice to disk."""
        notice = {"to": obligation.to, "who": who, "purpose": purpose, "tables": list(tables), "at": at.isoformat()}
        self._lines.append(lambda: json.dumps(notice, sort_keys=True, separators=(",", ":")).encode())

    def close(self) -> None:
        """Let another process write."""
        self._lines.close()
