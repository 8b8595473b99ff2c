from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.errors import StatementError
from sfumato.gateway.log.audit_entries import ChoicesEntry, PolicyEntry, UnknownCallerEntry, UsersEntry
from sfumato.gateway.log.audit_lines import LONGEST_LINE
from sfumato.gateway.log.audit_log import AuditLog


def written(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def test_entries_are_written_as_they_are(tmp_path: Path) -> None:
    with AuditLog(tmp_path / "log") as log:
        log.append(UnknownCallerEntry(status=401, path="/query", further=3))
        log.append(PolicyEntry(digest="1f", in_force="2e", applied=False, reason="PolicyError", findings=4))
        log.append(ChoicesEntry(who="ada", table="customer", batch="b", choices=(("1", "age", "none"),)))
    stranger, policy, chose = written(tmp_path / "log")
    assert (stranger["kind"], stranger["status"], stranger["path"], stranger["further"]) == (
        "stranger",
        401,
        "/query",
        3,
    )
    assert (policy["kind"], policy["digest"], policy["in_force"], policy["applied"]) == ("policy", "1f", "2e", False)
    assert (policy["reason"], policy["findings"], policy["restart"]) == ("PolicyError", 4, False)
    assert (chose["kind"], chose["who"], chose["table"], chose["choices"]) == (
        "chose", "ada", "customer", [["1", "age", "none"]],
    )  # fmt: skip
    assert "login" not in chose
    assert AuditLog.verify(tmp_path / "log").holds


def test_a_change_of_users_is_written_without_attributes(tmp_path: Path) -> None:
    with AuditLog(tmp_path / "log") as log:
        log.append(UsersEntry(done="added", who="mia", roles=("owner",), expires="2027-01-31", login="root"))
    (said,) = written(tmp_path / "log")
    told = {name: said[name] for name in ("kind", "done", "who", "roles", "expires", "login")}
    assert tuple(told.values()) == ("users", "added", "mia", ["owner"], "2027-01-31", "root")


def test_many_choices_are_split_over_lines(tmp_path: Path) -> None:
    choices = tuple((f"{'é' * 30}{key}", "income", "marketing weaker") for key in range(10_000))
    parts = ChoicesEntry(who="ada", login="root", table="customer", batch="b", choices=choices).split()
    assert len(parts) > 1
    assert [(one.part, one.parts) for one in parts] == [(place + 1, len(parts)) for place in range(len(parts))]
    assert sum((one.choices for one in parts), ()) == choices
    with AuditLog(tmp_path / "log") as log:
        for one in parts:
            log.append(one)
    assert max(map(len, (tmp_path / "log").read_bytes().splitlines())) < LONGEST_LINE
    assert {line["login"] for line in written(tmp_path / "log")} == {"root"}


def test_few_choices_are_one_line() -> None:
    (only,) = ChoicesEntry(who="ada", table="customer", batch="b", choices=(("1", "a", "x"), ("2", "a", ""))).split()
    assert (only.part, only.parts, len(only.choices)) == (1, 1, 2)


def test_a_choice_that_fits_into_no_line_is_refused() -> None:
    with pytest.raises(StatementError, match="too long for the log"):
        ChoicesEntry(who="ada", table="customer", batch="b", choices=(("x" * LONGEST_LINE, "a", "x"),)).split()
