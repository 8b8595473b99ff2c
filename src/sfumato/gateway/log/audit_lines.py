"""The lines of the audit log and of the ledger: each stores a hash of itself and of the line before it.

`AuditLog` writes lines, the verification and the report read them; the ledger computes its hashes with `hash_of`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from math import isfinite
from typing import Any, ClassVar, Literal

from sfumato.errors import UsageError

LONGEST_LINE = 1 << 20
LONGEST_STATEMENT = 50_000
NOTHING_BEFORE = "0" * 64
"""The hash that the first line follows."""
_PREFIX, _HASH_END = b'{"hash":"', 9 + 64
_OPTIONAL = ("login", "batch", "further")
"""Fields that are written only if they are set."""
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    """One query: who asked it, for which purpose, and what was decided. It never holds a value of a record.

    `statement` is the text of the query with every literal replaced by `?`, because a literal can be a person's name;
    the caller of `append` replaces them, and passes no text at all for a query that could not be parsed. A text longer
    than 50,000 characters is cut and ends with `…`. `reason` is the type of a refusal and the rule behind it.
    `operation` is `select`, `explain` or `choose`.

    Some fields are written only if they are set: `login`, the name on the machine of a user of the command line;
    `batch`, which connects a request to choose with the entries of its choices; `further`, how many refusals of the
    same person got no entry before this one.

    >>> entry = AuditEntry(who="ada", purpose="marketing", statement="SELECT income FROM customers WHERE name = ?",
    ...                    tables=("customers",), columns=("customers.income",), decision="refused",
    ...                    reason="DeniedError: no permission")
    >>> entry.as_dict()["rows"]
    0
    """

    kind: ClassVar[str] = "asked"

    who: str
    operation: str = "select"
    roles: tuple[str, ...] = ()
    purpose: str
    statement: str
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    decision: Literal["answered", "refused"]
    reason: str = ""
    rows: int = 0
    policy: str = ""
    obligations: tuple[str, ...] = ()
    milliseconds: float = 0.0
    login: str = ""
    batch: str = ""
    further: int = 0

    def __post_init__(self) -> None:
        for item in fields(self):
            if not _has_type(getattr(self, item.name), str(item.type)):
                raise UsageError(f"{item.name!r} of an audit entry must be {item.type}.")
        if self.decision not in ("answered", "refused"):
            raise UsageError("'decision' of an audit entry must be 'answered' or 'refused'.")
        if (self.decision == "refused") != bool(self.reason):
            raise UsageError("an audit entry has a 'reason' if and only if the question was refused.")

    def as_dict(self) -> dict[str, Any]:
        """The fields as written in the log."""
        values: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        values["milliseconds"] = round(self.milliseconds, 3)
        if len(self.statement) > LONGEST_STATEMENT:
            values["statement"] = self.statement[:LONGEST_STATEMENT] + "…"
        for name in _OPTIONAL:
            if not values[name]:
                del values[name]
        return values


@dataclass(frozen=True)
class AuditLine:
    """A parsed line: its hash, the text that the hash covers, and the fields."""

    hash: str
    body: bytes
    fields: Mapping[str, Any]

    @property
    def kind(self) -> object:
        """`began`, `asked`, `chose`, `stranger`, `users`, `policy`, `mended` or `ended`."""
        return self.fields.get("kind")

    def follows(self, previous: str) -> bool:
        """Whether this line was chained to a line with that hash."""
        return hash_of(previous, self.body) == self.hash


def hash_of(previous: str, body: bytes) -> str:
    """The hash of a line: of the previous hash and of its own canonical text.

    So a hash covers all lines before it: changing any of them changes every later hash.
    """
    return sha256(previous.encode() + b"\n" + body).hexdigest()


def write_line(values: Mapping[str, Any], previous: str) -> tuple[bytes, str]:
    """A line with these fields that follows the previous hash, and its own hash.

    The hash comes first; the rest is the canonical text that was hashed: names sorted, no spaces, ASCII only. So any
    changed byte is detected, and a line never holds a line break.
    """
    body = _encode(values).encode()
    if len(body) + _HASH_END + 3 > LONGEST_LINE:
        raise UsageError(f"a line of the audit log has at most {LONGEST_LINE} bytes; this one has {len(body)}.")
    own = hash_of(previous, body)
    return _PREFIX + own.encode() + b'",' + body[1:], own


def read_line(line: bytes) -> AuditLine | None:
    """The parsed line; None if it is not one."""
    own = line[len(_PREFIX) : _HASH_END]
    if not line.startswith(_PREFIX) or line[_HASH_END : _HASH_END + 2] != b'",' or own.strip(b"0123456789abcdef"):
        return None
    body = b"{" + line[_HASH_END + 2 :]
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return AuditLine(own.decode(), body, values) if isinstance(values, dict) else None


def _has_type(value: object, kind: str) -> bool:
    """Whether a value has the declared type of its field."""
    if kind == "tuple[str, ...]":
        return isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    if kind in ("int", "float"):
        number = isinstance(value, (int, float) if kind == "float" else int) and not isinstance(value, bool)
        return number and isfinite(value) and value >= 0  # type: ignore[arg-type, operator]
    return isinstance(value, str)
