"""Asks a shop and its twin the same questions, and compares all that somebody can observe."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.source import Source
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.log.audit_log import AuditLog
from tests.gateway.shops import NOW
from tests.gateway.twins import Case, Rows

Open = Callable[[Rows], Source]
_TIMES = {"hash", "time", "milliseconds", "log", "previous"}


@dataclass
class Told:
    """All that could be observed: an outcome for every question, the log, and the accounts."""

    outcomes: list[Any] = field(default_factory=list)
    exact: list[Any] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)
    accounts: list[Any] = field(default_factory=list)


def observed(case: Case, source: Source, questions: list[str], log: Path) -> Told:
    """What comes of the questions, one after the other."""
    told = Told()
    log.unlink(missing_ok=True)
    gate = Gateway(case.policy, source, log=AuditLog(log), clock=lambda: NOW)
    try:
        for text in questions:
            outcome, exact = _outcome(gate, case, text)
            told.outcomes.append(outcome)
            told.exact.append(exact)
    finally:
        gate.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    told.log = [{name: value for name, value in line.items() if name not in _TIMES} for line in lines]
    told.accounts = [_entry(json.loads(entry.body)) for entry in source.entries("person").entries]  # type: ignore[attr-defined]
    return told


def _outcome(gate: Gateway, case: Case, text: str) -> tuple[Any, Any]:
    """What is observed of one question; numbers of aggregates are told apart from all else, since they may differ."""
    try:
        answer = gate.query(text, person=case.person, purpose=case.purpose)
    except SfumatoError as refusal:
        return (type(refusal).__name__, str(refusal)), None
    rows = [tuple(map(_plain, row)) for row in answer.rows()]
    shown = (answer.table.column_names, answer.uncertain, answer.repeated, [str(duty) for duty in answer.obligations])
    statistical = _is_statistical(gate, case, text)
    return (*shown, len(rows) if statistical else rows, sorted(answer.margins)), rows


def _is_statistical(gate: Gateway, case: Case, text: str) -> bool:
    return next(gate._permitted_forms(text, (), case.person, case.purpose)).only_aggregates


def _entry(fields: dict[str, Any]) -> Any:
    """An entry of the ledger without the numbers that were answered."""
    return {
        name: value for name, value in fields.items() if name in ("kind", "accounts", "table", "epsilon", "questions")
    }


def _plain(value: Any) -> Any:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value):.9g}"
    return value


def compared(case: Case, opened: Open, questions: list[str], log: Path) -> tuple[list[Any], Told]:
    """What differs between a shop and its twin, and all that is observed of the shop.

    Which extremes are answered may follow from extremes that were answered before. So what is compared ends where a
    least or largest value was answered differently.
    """
    true, twin = (observed(case, opened(rows), questions, log) for rows in (case.rows, case.twin))
    for place, text in enumerate(questions):
        if true.outcomes[place] != twin.outcomes[place]:
            return [(case.seed, text, true.outcomes[place], twin.outcomes[place])], true
        if ("min(" in text or "max(" in text) and true.exact[place] != twin.exact[place]:
            return [], true
    found: list[Any] = []
    found += [(case.seed, "log", one, other) for one, other in zip(true.log, twin.log, strict=True) if one != other]
    found += [
        (case.seed, "account", *pair) for pair in zip(true.accounts, twin.accounts, strict=True) if pair[0] != pair[1]
    ]
    return found, true
