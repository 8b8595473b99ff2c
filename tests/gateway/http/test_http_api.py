from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from sfumato import errors
from sfumato.errors import PolicyError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.http.concurrent_queries import ConcurrentQueries
from sfumato.gateway.http.gateway_provider import FixedGateway
from sfumato.gateway.http.http_api import ARROW, HttpApi, make_app
from sfumato.gateway.http.rates import Rates
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.entry_limit import EntryLimit
from sfumato.gateway.people.people import People, Person
from sfumato.gateway.people.people_file import PeopleFile
from sfumato.gateway.policy.policy import Policy
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
    with TestClient(make_app(gateway, people, rates=Rates(per_second=0.001, burst=12, clock=lambda: 0.0))) as client:
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
    counted = ask(door, "SELECT count(income) AS n FROM customer WHERE age > 40").json()
    assert (counted["uncertain"], counted["in_doubt"]) == (False, ["n"])


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
        ({}, {"question": "x" * 300_000}, 413),
    ],
)
def test_refusals(door, header, body, status) -> None:
    found = door.post("/query", json=body, headers=header)
    assert found.status_code == status
    assert set(found.json()) == {"refused"}


def test_too_many_questions(door) -> None:
    found = [ask(door, "SELECT 1") for _ in range(14)]
    assert [one.status_code for one in found] == [200] * 12 + [429] * 2
    assert found[-1].headers["retry-after"] == "1000"
    assert found[-1].json() == {"refused": "too many questions in a short time; ask again in 1000 seconds."}


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
    assert "ValueError in test_http_api.py, line" in caplog.text
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
    assert found.json() == {"refused": "callers cannot be recognised now; ask again later."}
    assert "olga" not in caplog.text


def test_nobody_is_sent_elsewhere(door) -> None:
    for path in ("/query/", "/explain/", "/choose/"):
        assert door.post(path, json={}, follow_redirects=False).status_code == 404


def test_days_that_nobody_can_read_are_refused(door) -> None:
    found = ask(door, "SELECT DATE '9999-12-31' + 1 AS d FROM customer")
    assert (found.status_code, "too far off" in found.json()["refused"]) == (400, True)


class Knocking:
    """A door that is spoken to without a client, so that a test decides what arrives when."""

    def __init__(self, folder: Path, **named: Any) -> None:
        self.now = 0.0
        self.people = People(clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC))
        self.token = self.people.add("olga", ["owner"])
        self.log = folder / "audit.jsonl"
        self.gateway = Gateway(Policy.of(kabir.policy()), customers(), log=AuditLog(self.log))
        entry_limit = EntryLimit(2, clock=lambda: self.now)
        self.app = make_app(self.gateway, self.people, entry_limit=entry_limit, **named)

    def ask(
        self,
        sent: object = None,
        *,
        tokens: list[str] | None = None,
        path: str = "/query",
        receive: Callable[[], Any] | None = None,
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body of the answer."""
        return asyncio.run(self.asking(sent, tokens=tokens, path=path, receive=receive))

    async def asking(
        self,
        sent: object = None,
        *,
        tokens: list[str] | None = None,
        path: str = "/query",
        receive: Callable[[], Any] | None = None,
    ) -> tuple[int, dict[str, str], Any]:
        headers = [(b"authorization", one.encode()) for one in tokens or [f"Bearer {self.token}"]]
        given = {"question": "SELECT id FROM customer", "purpose": "Marketing"} if sent is None else sent
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        heard: list[dict[str, Any]] = []

        async def arrives() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            heard.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b""}
        await self.app(scope, receive or arrives, send)
        told = {name.decode(): value.decode() for name, value in heard[0]["headers"]}
        return heard[0]["status"], told, json.loads(heard[1]["body"])

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()[1:]]


@pytest.fixture
def knocking(tmp_path: Path):
    made = []

    def make(**named: Any) -> Knocking:
        made.append(Knocking(tmp_path, **named))
        return made[-1]

    yield make
    for one in made:
        one.gateway.close()


def test_strangers_all_hear_the_same(knocking) -> None:
    at = knocking()
    disabled, expired = at.people.add("dora"), at.people.add("emil", expires=date(2026, 11, 16))
    at.people.disable("dora")
    at.people._clock = lambda: datetime(2026, 11, 17, tzinfo=UTC)
    given = [[""], ["Bearer"], ["Bearer x"], [f"Basic {at.token}"], [f"Bearer {disabled}"], [f"Bearer {expired}"]]
    answers = {json.dumps(at.ask(tokens=tokens)) for tokens in given}
    assert len(answers) == 1
    status, headers, said = json.loads(answers.pop())
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert said == {"refused": "the token is missing or not valid."}


def test_two_tokens_are_refused_whoever_they_are_of(knocking) -> None:
    at = knocking()
    for tokens in ([f"Bearer {at.token}"] * 2, ["Bearer x", f"Bearer {at.token}"], ["", ""]):
        status, _, said = at.ask(tokens=tokens)
        assert (status, said) == (400, {"refused": "a request has one Authorization header."})


@pytest.mark.parametrize(
    ("error", "status", "headers"),
    [
        (errors.StatementError, 400, {}),
        (errors.ParameterError, 400, {}),
        (errors.DeniedError, 403, {}),
        (errors.BudgetError, 403, {}),
        (errors.LimitError, 422, {}),
        (errors.BusyError, 503, {"retry-after": "1"}),
        (errors.DataError, 503, {}),
        (errors.OutputError, 503, {}),
        (errors.PolicyError, 503, {}),
        (errors.InfeasibleError, 500, {}),
    ],
)
def test_every_error_has_its_status(knocking, monkeypatch, error, status, headers) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("no")

    monkeypatch.setattr(Gateway, "query", fail)
    found, told, said = knocking().ask()
    unlogged = error is errors.OutputError  # which names files, and is for the server's own log
    heard = "the log cannot be written now; ask again later." if unlogged else error.outside or "no"
    assert (found, said) == (status, {"refused": heard})
    assert {name: told.get(name) for name in ("retry-after",) if name in told} == headers


def test_what_is_wrong_with_the_policy_is_not_told_outside(knocking, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise errors.PolicyError("the policy names column 'hiv', which 'visits' does not have")

    monkeypatch.setattr(Gateway, "query", fail)
    status, _, said = knocking().ask()
    assert (status, said) == (503, {"refused": "the gateway cannot answer by its policy now; ask again later."})


def test_a_wrong_method_is_told_the_right_one(door) -> None:
    for path in ("/query", "/explain", "/choose"):
        found = door.get(path)
        assert (found.status_code, found.headers["allow"]) == (405, "POST")
        assert found.json() == {"refused": "this path needs another method."}
    found = door.post("/health")
    assert (found.status_code, found.headers["allow"]) == (405, "GET")


def test_a_path_that_is_not_there(door) -> None:
    found = door.get("/customers")
    assert (found.status_code, found.json()) == (404, {"refused": "there is no such path."})
    assert found.headers["cache-control"] == "no-store"


def test_a_body_that_does_not_arrive_in_time(knocking) -> None:
    at = knocking(body_seconds=0.0)

    async def never() -> None:
        await asyncio.Event().wait()

    status, headers, said = at.ask(receive=never)
    assert (status, headers["connection"]) == (408, "close")
    assert said == {"refused": "a body has 0 seconds to arrive."}
    (noted,) = at.entries()
    assert (noted["who"], noted["reason"], noted["statement"]) == (
        "olga", "TooSlow", "(a body that did not arrive in time)",
    )  # fmt: skip
    assert at.ask()[0] == 200  # which needs no time: it is there


def test_a_body_that_arrives_in_pieces(knocking) -> None:
    whole = json.dumps({"question": "SELECT id FROM customer", "purpose": "Marketing"}).encode()
    pieces = [{"body": whole[at : at + 7], "more_body": at + 7 < len(whole)} for at in range(0, len(whole), 7)]

    async def next_piece() -> Any:
        return pieces.pop(0)

    assert knocking().ask(receive=next_piece)[0] == 200


def test_a_few_questions_at_once(knocking, monkeypatch) -> None:
    at = knocking(at_once=ConcurrentQueries(2))
    begun, go_on = threading.Semaphore(0), threading.Event()
    made = at.gateway.query("SELECT 1 AS one", person=Person("olga", frozenset({"owner"})), purpose="Marketing")

    def waiting(*_: Any, **__: Any) -> Any:
        begun.release()
        go_on.wait()
        return made

    monkeypatch.setattr(Gateway, "query", waiting)

    async def crowd() -> list[int]:
        asked = [asyncio.ensure_future(at.asking()) for _ in range(2)]
        for _ in asked:
            await asyncio.to_thread(begun.acquire)
        third = await at.asking()
        assert (third[0], third[1]["retry-after"]) == (429, "1")
        assert third[2] == {"refused": "too many questions at once, 2 at most; ask again when one is answered."}
        go_on.set()
        return [(await one)[0] for one in asked] + [(await at.asking())[0]]

    assert asyncio.run(crowd()) == [200] * 3
    assert [line["reason"] for line in at.entries()] == ["", "RateError"]


@pytest.mark.parametrize(
    "sent", [b"{", b"x" * 300_000, {"question": "SELECT nope FROM customer"}, {"question": "FAIL"}]
)
def test_a_place_is_free_again_after_every_refusal(knocking, monkeypatch, sent) -> None:
    at, query = knocking(at_once=ConcurrentQueries(1)), Gateway.query

    def failing(self: Gateway, text: str, **named: Any) -> Any:
        if text == "FAIL":
            raise ValueError
        return query(self, text, **named)

    monkeypatch.setattr(Gateway, "query", failing)
    for _ in range(3):
        assert at.ask(sent)[0] in (400, 413, 500)
    assert at.ask()[0] == 200


def test_what_is_refused_before_the_gateway_hears_of_it_is_in_the_log(knocking) -> None:
    at = knocking(rates=Rates(per_second=0.001, burst=3))
    canary = "canary-4711"
    at.ask({"question": 5, "purpose": canary})
    at.ask(canary.encode() * 30_000, path="/explain")
    at.ask({"table": canary}, path="/choose")
    at.ask({"question": canary})
    at.ask({"question": canary}, tokens=[f"Bearer {canary}"])
    at.ask({"question": canary}, tokens=[f"Bearer {canary}"] * 2, path="/explain")
    unread, large, chosen, often, stranger, two = at.entries()
    told = [
        [line[name] for name in ("who", "operation", "decision", "reason")] for line in (unread, large, chosen, often)
    ]
    assert told == [
        ["olga", "select", "refused", "NotRead"],
        ["olga", "explain", "refused", "TooLarge"],
        ["olga", "choose", "refused", "NotRead"],
        ["olga", "select", "refused", "RateError"],
    ]
    assert [(line["kind"], line["status"], line["path"]) for line in (stranger, two)] == [
        ("stranger", 401, "/query"), ("stranger", 400, "/explain"),
    ]  # fmt: skip
    assert canary not in at.log.read_text()


def test_explanations_are_in_the_log(knocking) -> None:
    at = knocking()
    assert at.ask(path="/explain")[0] == 200
    assert at.ask({"question": "SELECT 1", "purpose": "Espionage"}, path="/explain")[0] == 403
    assert [(line["operation"], line["decision"]) for line in at.entries()] == [
        ("explain", "answered"), ("explain", "refused"),
    ]  # fmt: skip


def test_strangers_cannot_fill_the_log(knocking) -> None:
    at = knocking()
    for _ in range(10):
        assert at.ask(tokens=["Bearer x"])[0] == 401
    assert [line["further"] for line in at.entries()] == [0, 0]
    at.now = 1.0
    at.ask(tokens=["Bearer x"] * 2)
    assert [(line["status"], line["further"]) for line in at.entries()] == [(401, 0), (401, 0), (400, 8)]


def test_who_asks_too_often_cannot_fill_the_log(knocking) -> None:
    at = knocking(rates=Rates(per_second=0.001, burst=1))
    assert [at.ask()[0] for _ in range(9)] == [200, *[429] * 8]
    at.now = 1.0
    at.ask()
    assert [line.get("further", 0) for line in at.entries()] == [0, 0, 0, 6]


def test_a_fault_while_answering_has_one_entry(knocking, monkeypatch, caplog) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("56 Fay Street")

    monkeypatch.setattr(Gateway, "_answer", fail)
    at = knocking()
    status, _, said = at.ask()
    assert (status, said) == (500, {"refused": "the gateway itself failed, and the question was not answered."})
    (noted,) = at.entries()
    assert (noted["who"], noted["reason"]) == ("olga", "ValueError")
    assert "ValueError in test_http_api.py, line " in caplog.text
    assert "Fay" not in at.log.read_text() + caplog.text


def test_a_fault_of_the_gateway_itself_is_in_the_log(knocking, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("56 Fay Street")

    monkeypatch.setattr(Gateway, "query", fail)
    at = knocking()
    assert at.ask()[0] == 500
    (noted,) = at.entries()
    assert (noted["who"], noted["reason"]) == ("olga", "Failure")
    assert "Fay" not in at.log.read_text()


def test_a_refusal_that_cannot_be_noted_is_told_as_such(knocking) -> None:
    at = knocking()
    at.gateway.close()
    status, _, said = at.ask(tokens=["Bearer x"])
    assert (status, said) == (503, {"refused": "the log cannot be written now; ask again later."})


def test_whoever_is_cut_off_while_the_body_comes_leaves_their_place(knocking) -> None:
    at = knocking(at_once=ConcurrentQueries(1))

    async def cut_off() -> int:
        waits = asyncio.Event()

        async def never() -> None:
            waits.set()
            await asyncio.Event().wait()

        asking = asyncio.ensure_future(at.asking(receive=never))
        await waits.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return (await at.asking())[0]

    assert asyncio.run(cut_off()) == 200
    assert [line["decision"] for line in at.entries()] == ["answered"]


def test_a_log_that_somebody_replaced_closes_the_door(door, tmp_path: Path, caplog) -> None:
    text, path = "SELECT name FROM customer", tmp_path / "audit.jsonl"
    assert ask(door, text).status_code == 200
    path.rename(tmp_path / "old.jsonl")
    path.write_bytes((tmp_path / "old.jsonl").read_bytes())
    assert door.get("/health").json()["problem"] == "the log cannot be written"
    for _ in range(2):
        found = ask(door, text)
        assert (found.status_code, found.json()) == (
            503,
            {"refused": "the log cannot be written now; ask again later."},
        )
    assert door.get("/health").json()["problem"] == "the log cannot be written"
    assert "'audit.jsonl' cannot be written: it was moved, replaced or changed by another program" in caplog.text
    assert path.read_bytes() == (tmp_path / "old.jsonl").read_bytes()


def test_health_tells_that_nobody_can_be_recognised(tmp_path: Path) -> None:
    gateway = Gateway(Policy.of(kabir.policy()), customers())
    known = PeopleFile(People().write(tmp_path / "users.toml"))
    (tmp_path / "users.toml").write_text("people = 7", encoding="utf-8")
    with TestClient(HttpApi(FixedGateway(gateway), known)) as client:
        assert client.get("/health").json()["problem"] == "the file of users on disk cannot be read"
    gateway.close()


def test_health_tells_what_is_in_force_and_that_there_is_a_problem(tmp_path: Path) -> None:
    gateway = Gateway(Policy.of(kabir.policy()), customers())
    serving = FixedGateway(gateway)
    with TestClient(HttpApi(serving, People())) as client:
        assert client.get("/health").json() == {"open": True, "policy": gateway.policy.digest}
        serving.problem = "the policy file on disk cannot be applied"
        told = client.get("/health").json()
    assert told == {"open": True, "policy": gateway.policy.digest, "problem": serving.problem}
    gateway.close()


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/query", {"question": "SELECT 1 AS a", "purpose": "P" * 501}),
        ("/explain", {"question": "SELECT 1 AS a", "purpose": "P" * 501}),
        ("/choose", {"table": "t" * 501, "choices": [{"key": 1, "column": "income", "choice": "all"}]}),
        ("/choose", {"table": "customer", "choices": [{"key": 1, "column": "c" * 501, "choice": "all"}]}),
        ("/choose", {"table": "customer", "choices": [{"key": 1, "column": "income", "choice": "c" * 501}]}),
        ("/choose", {"table": "customer", "choices": [{"key": "1" * 2001, "column": "income", "choice": "all"}]}),
    ],
)
def test_names_that_are_too_long_are_refused_and_not_logged(
    door, tmp_path: Path, path: str, sent: dict[str, Any]
) -> None:
    found = door.post(path, json=sent)
    assert found.status_code == 400
    assert "a name 500" in found.text
    last = json.loads((tmp_path / "audit.jsonl").read_text().splitlines()[-1])
    assert (last["reason"], last["purpose"], last["tables"]) == ("NotRead", "", [])


def test_one_person_leaves_something_for_others(tmp_path: Path) -> None:
    """Whoever asks slow questions, as many as they may, waits for themselves."""
    people, source = People(), customers()
    tokens = {name: people.add(name, ["owner"]) for name in ("eve", "ann")}
    free, met = threading.Event(), threading.Semaphore(0)
    asks = source.ask

    def slow(purpose: str, sql: str, parameters: Any, limits: Any) -> pa.Table:
        met.release()
        if "9" in str(parameters):
            free.wait()
        return asks(purpose, sql, parameters, limits)

    source.ask = slow  # type: ignore[method-assign]
    gateway = Gateway(Policy.of(kabir.policy()), source, clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC))

    def post(client: TestClient, name: str, key: int) -> int:
        sent = {"question": "SELECT name FROM customer WHERE id = ?", "purpose": "Marketing", "parameters": [key]}
        return client.post("/query", json=sent, headers={"Authorization": f"Bearer {tokens[name]}"}).status_code

    with TestClient(make_app(gateway, people)) as client:
        waiting = [threading.Thread(target=post, args=(client, "eve", 9)) for _ in range(4)]
        for one in waiting:
            one.start()
        for _ in range(source.parallel_queries_per_person):
            met.acquire()
        assert post(client, "ann", 1) == 200  # would wait for ever behind all threads of the purpose
        free.set()
        for one in waiting:
            one.join()
    gateway.close()
