"""Verifies that an audit log is as it was written; `AuditLog.verify` and the report of the log call it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sfumato.errors import DataError
from sfumato.gateway.log.audit_files import earlier_files
from sfumato.gateway.log.audit_lines import LONGEST_LINE, NOTHING_BEFORE, AuditLine, read_line
from sfumato.runtime.atomic_files import reason
from sfumato.runtime.durable_lines import has_writer

if TYPE_CHECKING:
    from sfumato.gateway.log.audit_head import AuditHead

_ATTEMPTS, _PAUSE_SECONDS = 100, 0.01


@dataclass(frozen=True)
class Verification:
    """The result of reading a log from its first line to its last.

    `entries` counts the intact lines, `head` is the hash of the last of them, and `mended` says how often a torn end
    was moved away. If the log does not hold, `file`, `line` and `why` say where it breaks first, and why.
    """

    holds: bool
    entries: int
    head: str
    mended: int = 0
    file: str | None = None
    line: int | None = None
    why: str = ""

    def __str__(self) -> str:
        if self.holds:
            entries = "1 entry" if self.entries == 1 else f"{self.entries} entries"
            return f"{entries}, unbroken; head {self.head}"
        return f"broken at line {self.line} of {self.file}: {self.why}"


class BrokenLog(Exception):
    """The first line that is not as it was written."""

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(f"line {line} of {file!r}: {why}")
        self.file, self.line, self.why = file, line, why


def verify(path: Path, *, head: str | AuditHead | None = None, after: str | None = None) -> Verification:
    """Read the log at `path`, its closed files first, and check every line.

    `head`, an entry or a hash that was recorded elsewhere, must still be in it; a log that was cut lacks it. If the
    oldest files were moved away, `after` is the last hash of those.
    """
    reading = LogReading(path, after=after)
    found = head is None
    try:
        for line in reading:
            found = found or (line.hash == head if isinstance(head, str | None) else head.is_of(line))
    except BrokenLog as broken:
        return reading.verification(broken)
    if not found:
        why = "the log does not have the recorded head; its end was cut off, or it was rewritten."
        return reading.verification(BrokenLog(path.name, reading.place, why))
    return reading.verification()


class LogReading:
    """One pass over all files of a log; yields intact lines and raises `BrokenLog` at the first one that is not."""

    def __init__(self, path: Path, *, after: str | None = None) -> None:
        self._path = path
        self._hash = after or NOTHING_BEFORE
        self._time, self._number, self._number_known = "", -1, after is None
        self._file_closed = True
        self.entries = self.mended = self.place = 0

    def __iter__(self) -> Iterator[AuditLine]:
        with ExitStack() as stack:
            for name, stream in _files(self._path, stack):
                if not self._file_closed:
                    raise BrokenLog(name, 1, "the file before it has no closing entry; its end was cut off.")
                self.place = 0
                for raw in _raw_lines(stream, self._path):
                    self.place += 1
                    yield self._check(name, raw)
                if self.place == 0:
                    raise BrokenLog(name, 1, "the first line is missing.")

    def verification(self, broken: BrokenLog | None = None) -> Verification:
        """The result so far."""
        if broken is None:
            return Verification(True, self.entries, self._hash, self.mended)
        return Verification(False, self.entries, self._hash, self.mended, broken.file, broken.line, broken.why)

    def _check(self, name: str, raw: bytes) -> AuditLine:
        """Check one line and advance."""
        if not raw.endswith(b"\n"):
            raise BrokenLog(
                name, self.place, "the line is incomplete; opening the log moves away what a killed writer left."
            )
        line = read_line(raw[:-1])
        if line is None:
            raise BrokenLog(name, self.place, "the line is not a log entry.")
        why = self._misplacement(line) or self._chain_problem(line)
        if why:
            raise BrokenLog(name, self.place, why)
        self._advance(line)
        return line

    def _misplacement(self, line: AuditLine) -> str:
        """What is wrong with the position of a line in its file; empty if nothing is."""
        if (line.kind == "began") != (self.place == 1):
            return "the first line of a file, and no other, must be of kind 'began'."
        if self.place > 1 and self._file_closed:
            return "the file has lines after its closing entry."
        if self.place == 1 and line.fields.get("previous") != self._hash:
            return "the file continues one that is missing; if that was moved away, give its last hash as after."
        return ""

    def _chain_problem(self, line: AuditLine) -> str:
        """What is wrong with hash, number or time of a line; empty if nothing is."""
        number, at = line.fields.get("number"), line.fields.get("time")
        if not line.follows(self._hash):
            return "the entry was changed, or does not follow the entry that it was written after."
        if type(number) is not int or (self._number_known and number != self._number + 1):
            return "the entry does not have the next number."
        if not isinstance(at, str) or at < self._time:
            return "the entry is older than the one before it."
        return ""

    def _advance(self, line: AuditLine) -> None:
        """Remember what the next line must follow."""
        self._hash, self._time, self._number = line.hash, line.fields["time"], line.fields["number"]
        self._number_known, self._file_closed = True, line.kind == "ended"
        self.entries += 1
        self.mended += line.kind == "mended"


def _files(path: Path, stack: ExitStack) -> Iterator[tuple[str, IO[bytes]]]:
    """All files of a log, the oldest first, also while its writer starts a new one."""
    earlier, current = _open_files(path)
    while earlier != earlier_files(path):
        current.close()
        earlier, current = _open_files(path)
    stack.enter_context(current)
    for file in earlier:
        with file.open("rb") as stream:
            yield file.name, stream
    yield path.name, current


def _open_files(path: Path) -> tuple[list[Path], IO[bytes]]:
    """The closed files, and the opened current one; waits a moment for a writer that is rotating."""
    for _ in range(_ATTEMPTS):
        try:
            earlier = earlier_files(path)
            return earlier, path.open("rb")
        except FileNotFoundError:
            if not has_writer(path):
                break
            time.sleep(_PAUSE_SECONDS)  # the writer is about to start a new file
        except OSError as error:
            raise DataError(f"{path.name!r} cannot be read: {reason(error)}") from None
    if path.parent.is_dir() and earlier_files(path):
        raise BrokenLog(path.name, 1, "the file is missing.")
    raise DataError(f"there is no audit log {path.name!r} in {str(path.parent)!r}.")


def _raw_lines(stream: IO[bytes], path: Path) -> Iterator[bytes]:
    """The lines of a file; waits a moment for a writer that has not completed a line."""
    raw = _wait_for_line_end(stream, path, stream.readline(LONGEST_LINE))
    while raw:
        yield raw
        raw = stream.readline(LONGEST_LINE)
        if raw:
            raw = _wait_for_line_end(stream, path, raw)


def _wait_for_line_end(stream: IO[bytes], path: Path, raw: bytes) -> bytes:
    """Read until the line is complete, as long as a writer is active."""
    for _ in range(_ATTEMPTS):
        if raw.endswith(b"\n") or len(raw) >= LONGEST_LINE:
            break
        written = has_writer(path)  # checked first, so that what a writer wrote before closing can be read
        raw += stream.readline(LONGEST_LINE - len(raw))
        if not written:
            break
        time.sleep(_PAUSE_SECONDS)
    return raw
