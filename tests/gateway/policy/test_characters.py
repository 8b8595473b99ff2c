from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sfumato.errors import StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.http.http_api import make_app
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.people import People, Person
from sfumato.gateway.policy.characters import demand_characters, storable
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})
AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)
NONE = ["\ud800", "\udfff", "a\udcffb", "\0", "Canary\0"]
TEXT = "SELECT id FROM customer"


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_character_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(StatementError, match="this contains NUL or half of a surrogate pair") as refusal:
        demand_characters(text, "this")
    assert "Canary" not in str(refusal.value)


def test_all_others_pass() -> None:
    for text in ("", "abc", "Zoë", "\U0001f600", "\uffff", "\x01"):
        demand_characters(text, "this")
        assert storable(text) == text
    assert storable("a\ud800\udfffb") == "a??b"


@pytest.fixture
def gateway(tmp_path: Path) -> Any:
    found = Gateway(Policy.of(kabir.policy()), customers(), log=AuditLog(tmp_path / "log"), clock=lambda: AT_TEN)
    yield found
    found.close()


@pytest.mark.parametrize("odd", NONE)
@pytest.mark.parametrize(
    ("text", "purpose", "parameters", "said"),
    [
        ("SELECT '{}' AS x", "Marketing", [], "the query contains NUL"),
        ('SELECT "{}" FROM customer', "Marketing", [], "the query contains NUL"),
        (TEXT + " -- {}", "Marketing", [], "the query contains NUL"),
        (TEXT + " WHERE id = 7 AND name = '{}'", "Marketing", [], "the query contains NUL"),
        (TEXT + " FOR PURPOSE '{}'", None, [], "the query contains NUL"),
        (TEXT + " WHERE name = ?", "Marketing", ["{}"], "parameter 1 contains NUL"),
        (TEXT, "{}", [], "the purpose contains NUL"),
    ],
)
def test_a_question_with_one_is_refused_and_in_the_log(
    gateway: Gateway, tmp_path: Path, odd: str, text: str, purpose: str | None, parameters: list[str], said: str
) -> None:
    asked = text.replace("{}", odd)
    stated = purpose and purpose.replace("{}", odd)
    with pytest.raises(StatementError, match=said) as refusal:
        gateway.query(asked, person=OWNER, purpose=stated, parameters=[one.replace("{}", odd) for one in parameters])
    assert refusal.value.__context__ is None or "Canary" not in str(refusal.value.__context__)
    line = json.loads((tmp_path / "log").read_bytes().splitlines()[-1])
    assert (line["decision"], line["reason"]) == ("refused", "StatementError")
    assert json.dumps(line, ensure_ascii=False).encode()


def test_nor_is_it_compiled_or_explained(gateway: Gateway) -> None:
    for ask in (gateway.compile, gateway.explain):
        with pytest.raises(StatementError, match="the query contains NUL"):
            ask("SELECT '\ud800' AS x FROM customer", person=OWNER, purpose="Marketing")
        with pytest.raises(StatementError, match="the purpose contains NUL"):
            ask(TEXT, person=OWNER, purpose="\ud800")


@pytest.mark.parametrize("odd", NONE)
@pytest.mark.parametrize(
    "asked",
    [
        {"question": "SELECT '{}' AS x FROM customer", "purpose": "Marketing"},
        {"question": TEXT, "purpose": "{}"},
        {"question": TEXT + " WHERE name = ?", "purpose": "Marketing", "parameters": ["{}"]},
    ],
)
def test_the_door_refuses_it_too(gateway: Gateway, odd: str, asked: dict[str, Any]) -> None:
    people = People()
    headers = {"Authorization": f"Bearer {people.add('olga', ['owner'])}"}
    body = json.dumps(asked).replace("{}", json.dumps(odd)[1:-1])
    with TestClient(make_app(gateway, people)) as client:
        for path in ("/query", "/explain"):
            found = client.post(path, content=body.encode(), headers=headers)
            assert found.status_code == 400 or (path == "/explain" and "parameters" in asked)
            assert "Canary" not in found.text
