"""The audit log of the gateway: who asked what, for which purpose, and what was decided.

`Logbook` appends to it; the commands of `sfumato gateway audit` verify and report it.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.errors import DataError, OutputError
from sfumato.gateway.log.audit_entries import LogEntry
from sfumato.gateway.log.audit_files import earlier_files, first_line, move_torn_end, next_earlier_file, read_tail
from sfumato.gateway.log.audit_lines import NOTHING_BEFORE, AuditLine, write_line
from sfumato.gateway.log.audit_report import AuditReport
from sfumato.gateway.log.audit_verification import Verification, verify
from sfumato.runtime.atomic_files import reason
from sfumato.runtime.durable_lines import DurableLines

if TYPE_CHECKING:
    from sfumato.gateway.log.audit_head import AuditHead


class Receipt(NamedTuple):
    """The number and hash of an entry on disk; recorded elsewhere, they prove later that the log was not cut off."""

    number: int
    hash: str


class AuditLog:
    """An append-only file of JSON lines, each with a hash of itself and of the line before it.

    An entry is on disk when `append` returns, even if the process is killed right after. A line that was torn when the
    process died is moved to `<path>.torn`, and the log records that in an entry. One process writes at a time.
    Times never decrease: if the clock is set back, the last time is repeated.

    The chain shows that a line was changed, removed, moved or inserted. Whoever can write the file can still rewrite
    all of it, or cut off its end: record a `head` from time to time where they cannot write.

    >>> from tempfile import TemporaryDirectory
    >>> from sfumato.gateway.log.audit_lines import AuditEntry
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "audit.jsonl"
    ...     with AuditLog(path) as log:
    ...         receipt = log.append(AuditEntry(who="ada", purpose="marketing", decision="answered", rows=12,
    ...                                         statement="SELECT city FROM customers WHERE age > ?"))
    ...     AuditLog.verify(path, head=receipt.hash).holds, AuditLog.report(path).by_person
    (True, {'ada': 1})
    """

    def __init__(self, path: str | Path, *, mend: bool = False) -> None:
        self.path = Path(path)
        self._lines = DurableLines(self.path, repair_end=False)  # the log itself moves a torn end and records it
        self._head_lock, self._rotation_lock = threading.Lock(), threading.Lock()
        self._id, self._hash, self._time, self._number = secrets.token_hex(16), NOTHING_BEFORE, "", -1
        self._head = Receipt(self._number, self._hash)
        try:
            self._resume(mend=mend)
        except OSError as error:
            self._lines.close()
            raise OutputError(f"{self.path.name!r} cannot be opened: {reason(error)}") from None
        except BaseException:
            self._lines.close()
            raise

    @staticmethod
    def verify(path: str | Path, *, head: str | AuditHead | None = None, after: str | None = None) -> Verification:
        """Whether the log is as it was written, including all closed files; see `Verification`."""
        return verify(Path(path), head=head, after=after)

    @staticmethod
    def report(path: str | Path, *, after: str | None = None) -> AuditReport:
        """Who asked how often, for which purposes, and what was decided."""
        return AuditReport.of(Path(path), after=after)

    @property
    def problem(self) -> str:
        """Why the next entry would be refused; empty if no reason is known."""
        return self._lines.problem

    @property
    def head(self) -> Receipt:
        """The last entry on disk."""
        with self._head_lock:
            return self._head

    def append(self, entry: LogEntry) -> Receipt:
        """Write an entry to disk; call it before the answer is returned."""
        return self._append({"kind": entry.kind, **entry.as_dict()})

    def rotate(self) -> Path:
        """Close the file with a final entry, and continue in a new one that names its hash."""
        with self._rotation_lock:
            return self._start_new_file(closing=True)

    def close(self) -> None:
        """Wait for entries that are being written, and let another process write."""
        self._lines.close()

    def __enter__(self) -> AuditLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"AuditLog({self.path.name!r}, last entry {self.head.number})"

    def _append(self, fields: Mapping[str, Any]) -> Receipt:
        """Chain and write one line."""
        receipts: list[Receipt] = []

        def make() -> bytes:
            line, receipt = self._chain(fields)
            receipts.append(receipt)
            return line

        self._lines.append(make)
        return self._remember_head(receipts[0])

    def _start_new_file(self, *, closing: bool) -> Path:
        """Move the file away and start a new one, whose first line continues the chain."""
        receipts: list[Receipt] = []

        def make() -> tuple[bytes | None, bytes]:
            last = self._chain({"kind": "ended"})[0] if closing else None
            first, receipt = self._chain(self._first_fields())
            receipts.append(receipt)
            return last, first

        target = next_earlier_file(self.path)
        self._lines.rotate(make, target)
        self._remember_head(receipts[0])
        return target

    def _chain(self, fields: Mapping[str, Any]) -> tuple[bytes, Receipt]:
        """The next line; called by one thread at a time, in the order of the file."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        time, number = max(now, self._time), self._number + 1
        line, own = write_line({**fields, "number": number, "time": time}, self._hash)
        self._hash, self._time, self._number = own, time, number
        return line, Receipt(number, own)

    def _remember_head(self, receipt: Receipt) -> Receipt:
        """Update the head; threads finish in any order, so the largest number is the head."""
        with self._head_lock:
            self._head = max(self._head, receipt)
        return receipt

    def _first_fields(self) -> dict[str, Any]:
        """The fields of the first line of a file."""
        return {"kind": "began", "log": self._id, "previous": self._hash}

    def _resume(self, *, mend: bool) -> None:
        """Continue an existing log, or start one; a torn end is set aside first."""
        tail = read_tail(self.path, mend=mend)
        note = move_torn_end(self.path, tail.torn_end) if tail.torn_end else None
        if tail.last is None:
            self._begin()
        else:
            self._continue(tail.last, lacks_line_break=tail.lacks_line_break)
        if note is not None:
            self._append(note)

    def _begin(self) -> None:
        """Start the first file, or the next one after closed files."""
        earlier = earlier_files(self.path)
        if earlier:
            last = read_tail(earlier[-1]).last
            if last is None or last.kind != "ended":
                raise DataError(f"{earlier[-1].name!r}, the log before {self.path.name!r}, was not closed; verify it.")
            self._continue_from(earlier[-1], last)
        self._append(self._first_fields())

    def _continue(self, last: AuditLine, *, lacks_line_break: bool) -> None:
        """Continue the current file after its last line."""
        self._continue_from(self.path, last)
        if lacks_line_break:
            self._lines.append(lambda: b"")
        if last.kind == "ended":  # killed between the final entry and the new file
            self._start_new_file(closing=False)

    def _continue_from(self, path: Path, last: AuditLine) -> None:
        """Take over identity, hash, time and number from the last line of a file."""
        first = first_line(path)
        if first is None or first.kind != "began":
            raise DataError(f"{path.name!r} does not begin like an audit log; verify it, or name another file.")
        self._id, self._hash = str(first.fields["log"]), last.hash
        self._time, self._number = str(last.fields["time"]), int(last.fields["number"])
        self._head = Receipt(self._number, self._hash)
