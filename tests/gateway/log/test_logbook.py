from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sfumato.errors import DeniedError, StatementError
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.logbook import AuditEvent, Logbook
from sfumato.gateway.log.notices import Notices
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.sections import ObligationSection

TOLD = ObligationSection(duty="notify", to="officer")
EVENT = AuditEvent(Person("ada", frozenset({"b", "a"})), "SELECT x", "Sales", {"shop": ("y", "x")}, (TOLD,))


def test_entries_and_notices(tmp_path: Path) -> None:
    book = Logbook(
        AuditLog(tmp_path / "log"), Notices(tmp_path / "notices"), "digest", lambda: datetime(2026, 1, 2, tzinfo=UTC)
    )
    book.record(EVENT, time.perf_counter(), rows=3)
    book.record(EVENT, time.perf_counter(), error=DeniedError("no"))
    book.notify(EVENT)
    book.record_refusal(EVENT.person, "explain", "(no body)", "RateError", further=4)
    book.record_unknown_caller(401, "/query", further=5)
    book.close()
    _, answered, refused, early, stranger = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (answered["roles"], answered["columns"], answered["rows"]) == (["a", "b"], ["shop.x", "shop.y"], 3)
    assert (answered["decision"], answered["obligations"], answered["policy"]) == (
        "answered", ["notify officer"], "digest",
    )  # fmt: skip
    assert (refused["decision"], refused["reason"], refused["obligations"]) == ("refused", "DeniedError", [])
    assert (early["who"], early["operation"], early["statement"]) == ("ada", "explain", "(no body)")
    assert (early["decision"], early["reason"], early["further"]) == ("refused", "RateError", 4)
    assert (stranger["kind"], stranger["status"], stranger["further"]) == ("stranger", 401, 5)
    assert json.loads((tmp_path / "notices").read_text())["to"] == "officer"


def test_choices_are_the_exception_and_have_their_keys(tmp_path: Path) -> None:
    book = Logbook(AuditLog(tmp_path / "log"), None, "digest", lambda: datetime(2026, 1, 2, tzinfo=UTC))
    event = replace(EVENT, operation="choose", login="root", batch="1f")
    book.record_choices(event, time.perf_counter(), "shop", [("7", "x", "all")])
    with pytest.raises(StatementError, match="too long"):
        book.record_choices(event, time.perf_counter(), "shop", [("7" * 1_000_000, "x", "all")])
    book.close()
    _, said, chose = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (said["operation"], said["login"], said["batch"], said["rows"]) == ("choose", "root", "1f", 1)
    assert (chose["who"], chose["login"], chose["batch"], chose["purpose"]) == ("ada", "root", "1f", "Sales")
    assert (chose["table"], chose["choices"], chose["part"], chose["parts"]) == ("shop", [["7", "x", "all"]], 1, 1)


def test_without_files_nothing_is_written() -> None:
    book = Logbook(None, None, "digest", lambda: datetime(2026, 1, 2, tzinfo=UTC))
    book.record(EVENT, 0.0)
    book.record_refusal(EVENT.person, "explain", "(no body)", "RateError", further=0)
    book.record_unknown_caller(401, "/query", further=0)
    book.record_choices(EVENT, 0.0, "shop", [("7", "x", "all")])
    book.notify(EVENT)
    book.close()


def test_a_purpose_that_is_no_name_is_written_down_in_short(tmp_path: Path) -> None:
    book = Logbook(AuditLog(tmp_path / "log"), None, "digest", lambda: datetime(2026, 1, 2, tzinfo=UTC))
    for number in (500, 190_000):
        book.record(replace(EVENT, purpose="P" * number), time.perf_counter(), error=DeniedError("no"))
    book.close()
    _, whole, short = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert whole["purpose"] == "P" * 500
    assert short["purpose"] == f"{'P' * 100}... (190,000 characters)"


def test_a_stranger_stands_for_nobody_else_unless_it_is_said(tmp_path: Path) -> None:
    book = Logbook(AuditLog(tmp_path / "log"), None, "digest", lambda: datetime(2026, 1, 2, tzinfo=UTC))
    book.record_unknown_caller(401, "/query", further=0)
    book.close()
    *_, stranger = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert stranger.get("further", 0) == 0
