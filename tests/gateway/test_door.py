from __future__ import annotations

import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from sfumato.errors import PolicyError
from sfumato.gateway.audit_log import AuditLog
from sfumato.gateway.door import ARROW, make_app
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people import People
from sfumato.gateway.policy import Policy
from sfumato.gateway.rates import Rates
from tests.gateway import kabir
from tests.gateway.memory import customers


@pytest.fixture
def door(tmp_path):
    """A client of the door, and the token of the owner."""
    people = People()
    token = people.add("olga", ["owner"])
    clock = lambda: datetime(2026, 11, 16, 10, tzinfo=UTC)  # noqa: E731
    log = AuditLog(tmp_path / "audit.jsonl")
    policy = kabir.policy()
    policy["permissions"].append({"role": "owner", "table": "customer", "purpose": "Admin", "operation": "choose"})
    gateway = Gateway(Policy.of(policy), customers(), log=log, clock=clock)
    with TestClient(make_app(gateway, people, rates=Rates(per_second=0.001, burst=12))) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client
    gateway.close()


def ask(door, text, **more):
    return door.post("/query", json={"question": text, "purpose": "Marketing", **more})


def test_answers_as_json(door) -> None:
    found = ask(door, "SELECT name, income FROM customer WHERE id = ?", parameters=[2])
    assert found.status_code == 200
    assert found.json() == {
        "purpose": "Marketing", "uncertain": False, "obligations": [], "columns": ["name", "income"],
        "rows": [["Bob", "20000-30000"]],
    }  # fmt: skip
    assert found.headers["cache-control"] == "no-store"


def test_answers_as_arrow(door) -> None:
    found = door.post(
        "/query",
        json={"question": "SELECT id FROM customer ORDER BY id", "purpose": "Marketing"},
        headers={"Accept": ARROW},
    )
    assert found.headers["content-type"] == ARROW
    assert pa.ipc.open_stream(found.content).read_all().to_pydict() == {"id": [1, 2, 3, 4]}


def test_decimals_and_dates_are_written(door) -> None:
    found = ask(door, "SELECT sum(id) AS s, CAST(1.5 AS DECIMAL(4, 2)) AS d, DATE '2026-11-15' AS t FROM customer")
    assert found.json()["rows"] == [[10, "1.50", "2026-11-15"]]


def test_explanations(door) -> None:
    told = door.post("/explain", json={"question": "SELECT income FROM customer", "purpose": "Marketing"}).json()
    assert {line["access"] for line in told["lines"]} == {"full", "conditional", "hidden"}


@pytest.mark.parametrize(
    ("header", "body", "status"),
    [
        ({"Authorization": ""}, {"question": "SELECT 1"}, 401),
        ({"Authorization": "Bearer nonsense"}, {"question": "SELECT 1"}, 401),
        ({"Authorization": "Basic b2xnYQ=="}, {"question": "SELECT 1"}, 401),
        ({}, {"question": "SELECT 1", "purpose": "Espionage"}, 403),
        ({}, {"question": "SELECT nope FROM customer", "purpose": "Marketing"}, 400),
        ({}, {"question": ""}, 400),
        ({}, {"queston": "SELECT 1"}, 400),
        ({}, {"question": "SELECT 1", "purpose": "Marketing", "parameters": [{"a": 1}]}, 400),
        ({}, {"question": "x" * 300_000}, 429),
    ],
)
def test_refusals(door, header, body, status) -> None:
    found = door.post("/query", json=body, headers=header)
    assert found.status_code == status
    assert set(found.json()) == {"refused"}


def test_too_many_questions(door) -> None:
    found = [ask(door, "SELECT 1").status_code for _ in range(14)]
    assert (found[:12], found[12:]) == ([200] * 12, [429] * 2)


def test_what_is_no_json(door) -> None:
    assert door.post("/query", content=b"\xff\x00").status_code == 400


def test_nothing_is_loaded_from_elsewhere(door) -> None:
    assert door.get("/docs").status_code == door.get("/redoc").status_code == 404
    described = door.get("/openapi.json").json()
    assert set(described["paths"]) == {"/query", "/explain", "/choose", "/health"}
    assert "$ref" not in json.dumps(described)
    assert door.get("/health").json()["open"] is True


def test_a_fault_of_the_gateway_itself_is_told_without_a_word_of_it(door, monkeypatch, caplog) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("56 Fay Street")

    monkeypatch.setattr(Gateway, "query", fail)
    found = ask(door, "SELECT id FROM customer")
    assert found.status_code == 500
    assert found.json() == {"refused": "the gateway itself failed, and the question was not answered."}
    assert "ValueError in line" in caplog.text
    assert "Fay" not in caplog.text


def test_numbers_that_json_does_not_know_are_texts(door) -> None:
    found = ask(door, "SELECT CAST('NaN' AS DOUBLE) AS a, CAST('-Infinity' AS DOUBLE) AS b, 1.5e0 AS c FROM customer")
    assert found.json()["rows"][0] == ["nan", "-inf", 1.5]


def test_choices_are_taken_in(door) -> None:
    sent = {"table": "customer", "choices": [{"key": 2, "column": "income", "choice": "G||"}]}
    assert door.post("/choose", json=sent).json() == {"choices": 1}
    assert ask(door, "SELECT income FROM customer WHERE id = 2").json()["rows"] == [["23000"]]
    assert door.post("/choose", json={**sent, "purpose": "Shipping"}).status_code == 403
    assert door.post("/choose", json={**sent, "choices": []}).status_code == 400
    unknown = {**sent["choices"][0], "choice": "whatever"}
    assert door.post("/choose", json={**sent, "choices": [unknown]}).status_code == 400
    assert door.post("/choose", json=sent, headers={"Authorization": "Bearer x"}).status_code == 401


def test_whoever_is_removed_while_asking_is_not_answered(door, monkeypatch) -> None:
    known, looked = People.by_token, []

    def once(self, token):
        looked.append(token)
        return known(self, token) if len(looked) == 1 else None

    monkeypatch.setattr(People, "by_token", once)
    assert ask(door, "SELECT id FROM customer").status_code == 401
    assert len(looked) == 2


def test_strangers_hear_nothing_of_the_file_of_people(door, monkeypatch, caplog) -> None:
    def fail(*_: object) -> None:
        raise PolicyError("[people.olga] in /etc/users.toml")

    monkeypatch.setattr(People, "by_token", fail)
    found = ask(door, "SELECT id FROM customer")
    assert found.status_code == 503
    assert found.json() == {"refused": "nobody can be recognised now; ask again later."}
    assert "olga" not in caplog.text


def test_nobody_is_sent_elsewhere(door) -> None:
    for path in ("/query/", "/explain/", "/choose/"):
        assert door.post(path, json={}, follow_redirects=False).status_code in (404, 405)


def test_days_that_nobody_can_read_are_refused(door) -> None:
    found = ask(door, "SELECT DATE '9999-12-31' + 1 AS d FROM customer")
    assert (found.status_code, "too far off" in found.json()["refused"]) == (400, True)
