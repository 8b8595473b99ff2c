"""The files of an audit log: the current one, the closed ones, and the torn end that a killed process left.

`AuditLog` uses it to continue a log, `AuditHead` to find the last entry, and the verification to find all files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sfumato.errors import DataError
from sfumato.gateway.log.audit_lines import LONGEST_LINE, AuditLine, read_line
from sfumato.runtime.durable_lines import move_incomplete_end

_TAIL_BYTES = 4 * LONGEST_LINE
"""Bytes at the end of a file that are read to find the last line."""


def earlier_files(path: Path) -> list[Path]:
    """The closed files of the log at `path`, the oldest first: `audit.000001.jsonl` for `audit.jsonl`."""
    pattern = re.compile(re.escape(path.stem) + r"\.(\d{6,})" + re.escape(path.suffix))
    found = [(int(match[1]), other) for other in path.parent.iterdir() if (match := pattern.fullmatch(other.name))]
    return [other for _, other in sorted(found)]


def next_earlier_file(path: Path) -> Path:
    """The name that the file at `path` gets when it is closed."""
    earlier = earlier_files(path)
    last = int(earlier[-1].name.removesuffix(path.suffix).rpartition(".")[2]) if earlier else 0
    return path.with_name(f"{path.stem}.{last + 1:06d}{path.suffix}")


def first_line(path: Path) -> AuditLine | None:
    """The first line of a file; None if it is not a line of a log."""
    with path.open("rb") as stream:
        return read_line(stream.readline(LONGEST_LINE).removesuffix(b"\n"))


@dataclass(frozen=True)
class Tail:
    """The last whole line of a file, the position where it ends, and the torn bytes after it.

    `lacks_line_break` if only the line break of the last line is missing.
    """

    last: AuditLine | None
    end: int
    torn_end: bytes = b""
    lacks_line_break: bool = False


def read_tail(path: Path, *, mend: bool = False) -> Tail:
    """Find the last line that is chained to the one before it.

    A killed process leaves an incomplete line, which is passed over. Complete lines that break the chain have another
    cause, such as an edited file; they are refused, unless `mend` says to cut them off too.
    """
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - _TAIL_BYTES))
        *complete, rest = stream.read().split(b"\n")
    lines = [line + b"\n" for line in complete] + ([rest] if rest else [])
    whole = size <= _TAIL_BYTES
    return _last_chained_line(path, lines if whole else lines[1:], size, whole=whole, mend=mend)


def _last_chained_line(path: Path, lines: list[bytes], size: int, *, whole: bool, mend: bool) -> Tail:
    """Search the lines at the end of a file backwards; `whole` says that they are all lines of the file."""
    end = size
    for place in range(len(lines) - 1, -1, -1):
        line = _parse(lines[place])
        if line is not None:
            before = _parse(lines[place - 1]) if place else None
            if line.follows(_declared_previous_hash(line) if whole and place == 0 else before.hash if before else ""):
                torn_end = b"".join(lines[place + 1 :])
                return Tail(line, end, torn_end, lacks_line_break=not lines[place].endswith(b"\n"))
            if not mend:
                raise DataError(
                    f"the end of {path.name!r} does not follow from the lines before it, which an interrupted writer "
                    "does not cause. Verify the log; to continue after the last line that follows, open it with "
                    "mend=True."
                )
        end -= len(lines[place])
    if len(lines) > 1 or not whole:
        raise DataError(f"{path.name!r} has no line of an audit log near its end; name another file, or move it away.")
    return Tail(None, 0, b"".join(lines))


def _parse(line: bytes) -> AuditLine | None:
    """Parse a line, with or without its line break."""
    return read_line(line.removesuffix(b"\n"))


def _declared_previous_hash(line: AuditLine) -> str:
    """The hash that the first line of a file says it follows."""
    return str(line.fields.get("previous")) if line.kind == "began" else ""


def move_torn_end(path: Path, torn_end: bytes) -> dict[str, object]:
    """Move the last bytes of a file to `<path>.torn`, and return the fields of the log entry that records it."""
    move_incomplete_end(path, torn_end)
    return {"kind": "mended", "bytes": len(torn_end), "sha256": sha256(torn_end).hexdigest()}
