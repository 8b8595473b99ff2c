from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from sfumato.gateway.gateway import Gateway
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.notices import Notices
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import ObligationSection
from tests.gateway import kabir
from tests.gateway.memory import customers

DUTIES = [{"duty": "notify", "to": "officer"}, {"duty": "delete_after", "days": 30}, {"duty": "log"}]


def test_duties_are_told_logged_and_noted(tmp_path: Path) -> None:
    given = kabir.policy()
    given["permissions"] = [{"role": "owner", "table": "customer", "purpose": "General", "obligations": DUTIES}]
    gateway = Gateway(
        Policy.of(given),
        customers(),
        log=AuditLog(tmp_path / "audit.jsonl"),
        notices=Notices(tmp_path / "notices.jsonl"),
        clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC),
    )
    answer = gateway.query(
        "SELECT name FROM customer", person=Person("olga", frozenset({"owner"}), {}), purpose="Admin"
    )
    gateway.close()
    assert [(one.duty, one.to, one.days) for one in answer.obligations] == [
        ("notify", "officer", None), ("delete_after", None, 30), ("log", None, None),
    ]  # fmt: skip
    logged = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()][-1]
    assert "notify officer" in json.dumps(logged)
    assert "delete_after 30 days" in json.dumps(logged)
    noted = json.loads((tmp_path / "notices.jsonl").read_text())
    assert noted == {
        "to": "officer",
        "who": "olga",
        "purpose": "Admin",
        "tables": ["customer"],
        "at": "2026-11-16T10:00:00+00:00",
    }
    assert "Alice" not in (tmp_path / "notices.jsonl").read_text()


def test_a_refused_question_obliges_nobody(tmp_path: Path) -> None:
    gateway = Gateway(Policy.of(kabir.policy()), customers(), notices=Notices(tmp_path / "notices.jsonl"))
    gateway.close()
    assert (tmp_path / "notices.jsonl").read_text() == ""


def test_no_notice_hangs_on_to_one_that_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "notices.jsonl"
    path.write_text('{"at":"2026')
    notices = Notices(path)
    duty = ObligationSection(duty="notify", to="officer")
    notices.add(duty, who="olga", purpose="Admin", tables=("customer",), at=datetime(2026, 1, 2, tzinfo=UTC))
    notices.close()
    assert [json.loads(line)["who"] for line in path.read_text().splitlines()] == ["olga"]
