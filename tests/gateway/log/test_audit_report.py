from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace

import pytest

from sfumato.errors import DataError
from sfumato.gateway.log.audit_entries import ChoicesEntry, PolicyEntry, UnknownCallerEntry
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.audit_report import AuditReport
from sfumato.runtime import durable_lines
from tests.gateway.some_entries import ANSWERED, REFUSED, small_log


def test_counts(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        log.append(REFUSED)
        for _ in range(2):
            log.append(ANSWERED)
        log.rotate()
        log.append(ANSWERED)
    report = AuditReport.of(path)
    assert (report.questions, report.rows, report.mended) == (4, 9, 0)
    assert dict(report.by_person) == {"ada": 3, "bob": 1}
    assert dict(report.by_purpose) == {"marketing": 3, "research": 1}
    assert dict(report.by_table) == {"customers": 4, "orders": 1}
    assert dict(report.by_decision) == {"answered": 3, "refused": 1}
    assert dict(report.by_refusal) == {"DeniedError: no permission": 1}
    assert sum(report.by_day.values()) == 4
    assert next(iter(report.by_day)) == report.first[:10]
    assert list(report.by_person) == ["ada", "bob"]
    assert json.loads(json.dumps(report.to_dict()))["by_person"] == {"ada": 3, "bob": 1}
    assert report.head == AuditLog.verify(path).head


def test_other_entries_are_no_questions(tmp_path):
    path = tmp_path / "audit.jsonl"
    with AuditLog(path) as log:
        log.append(replace(ANSWERED, operation="explain"))
        log.append(UnknownCallerEntry(status=401, path="/query"))
        log.append(UnknownCallerEntry(status=400, path="/query", further=7))
        log.append(ChoicesEntry(who="ada", table="t", batch="b", choices=(("1", "a", "x"), ("2", "a", "y"))))
        log.append(PolicyEntry(digest="1", in_force="1", applied=True))
    report = AuditReport.of(path)
    assert (report.questions, report.strangers, report.choices) == (1, 9, 2)
    assert dict(report.by_operation) == {"explain": 1}


def test_a_log_without_questions(tmp_path):
    report = AuditReport.of(small_log(tmp_path, 0))
    assert (report.questions, report.first, report.last, dict(report.by_day)) == (0, None, None, {})


def test_a_broken_log_is_not_reported_on(tmp_path):
    path = small_log(tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"broken at line 5 of 'audit\.jsonl'"):
        AuditReport.of(path)


def test_a_long_log_takes_no_more_memory_than_a_short_one(tmp_path, monkeypatch):
    monkeypatch.setattr(durable_lines, "_sync", lambda file: None)
    path, used = tmp_path / "audit.jsonl", []
    for many in (100, 2_000):
        with AuditLog(path) as log:
            for _ in range(many):
                log.append(ANSWERED)
        tracemalloc.start()
        AuditReport.of(path)
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert used[1] < used[0] + 200_000
