"""Entries of an audit log for tests, and a log with a few of them."""

from __future__ import annotations

from pathlib import Path

from sfumato.gateway.log.audit_lines import AuditEntry
from sfumato.gateway.log.audit_log import AuditLog

ANSWERED = AuditEntry(
    who="ada",
    roles=("analyst",),
    purpose="marketing",
    statement="SELECT city FROM customers WHERE age > ?",
    tables=("customers",),
    columns=("customers.city", "customers.age"),
    decision="answered",
    rows=3,
    policy="ab12",
    obligations=("notify",),
    milliseconds=1.23456,
)
REFUSED = AuditEntry(
    who="bob",
    purpose="research",
    statement="SELECT name FROM customers",
    tables=("customers", "orders"),
    decision="refused",
    reason="DeniedError: no permission",
)


def small_log(folder: Path, entries: int = 4) -> Path:
    """A closed log with a beginning and so many entries, answered and refused in turn."""
    path = folder / "audit.jsonl"
    with AuditLog(path) as log:
        for place in range(entries):
            log.append(REFUSED if place % 2 else ANSWERED)
    return path
