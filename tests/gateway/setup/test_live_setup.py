"""A gateway whose files change under it: the customers of Kabir (2010), with a policy that is edited."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from sfumato.errors import DataError, DeniedError, OutputError, PolicyError
from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.http.gateway_provider import FixedGateway
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.setup.live_setup import LiveSetup
from sfumato.gateway.setup.setup import Setup
from sfumato.runtime.durable_lines import DurableLines
from tests.gateway import kabir
from tests.gateway.engines.postgres.test_source import fill
from tests.gateway.folders import shop
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})
SMALL = {"children": 1, "source": {"duckdb": "shop.duckdb"}}


class Shop:
    """A gateway from files in a folder, and the hands that change them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, 0.0
        self.path = shop(folder)
        self.setup()
        self.live = LiveSetup(self.path, clock=lambda: self.now)

    def policy(self, **change: Any) -> str:
        """Write another policy, and tell its digest."""
        given = {**kabir.policy(), **change}
        (self.folder / "policy.toml").write_text(tomlkit.dumps(given), encoding="utf-8")
        return Policy.of(given).digest

    def setup(self, limits: dict[str, Any] | None = None, **change: Any) -> None:
        small = {"memory": "128MB", **(limits or {})}
        self.path.write_text(tomlkit.dumps({**SMALL, **change, "limits": small}), encoding="utf-8")

    def digest(self) -> str:
        with self.live.use() as gateway:
            return gateway.policy.digest

    def noted(self) -> list[dict[str, Any]]:
        lines = (self.folder / "audit.jsonl").read_text().splitlines()
        return [line for line in map(json.loads, lines) if line["kind"] == "policy"]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    yield made
    made.live.close()


def told(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("digest", "in_force", "applied", "reason", "restart", "findings"))


def test_nothing_stays_open_where_a_change_cannot_be_logged(at: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    before, opened, closed = at.digest(), list[object](), list[object]()
    making, closing = EmbeddedSource.__init__, EmbeddedSource.close

    def made(self: EmbeddedSource, *given: Any, **named: Any) -> None:
        opened.append(self)
        making(self, *given, **named)

    def close(self: EmbeddedSource) -> None:
        closed.append(self)
        closing(self)

    def full(*_: object) -> None:
        raise OutputError("the disk is full")

    duty = [{"duty": "notify", "to": "officer"}]
    permission = {"role": "owner", "table": "customer", "purpose": "General", "obligations": duty}
    monkeypatch.setattr(EmbeddedSource, "__init__", made)
    monkeypatch.setattr(EmbeddedSource, "close", close)
    with monkeypatch.context() as patch:
        patch.setattr(AuditLog, "append", full)
        after = at.policy(permissions=[permission])
        for _ in range(2):
            with pytest.raises(OutputError):
                at.digest()
            DurableLines(at.folder / "notices.jsonl").close()  # nobody else has it open
    assert at.live.gateway.policy.digest == before
    assert len(opened) == 4  # each time one to look at the tables, and one to answer from
    assert set(map(id, opened)) <= set(map(id, closed))
    assert at.digest() == after
    assert len(opened) == 6


def test_nothing_happens_where_nothing_changes(at: Shop) -> None:
    with at.live.use() as one, at.live.use() as other:
        assert one is other is at.live.gateway
    at.path.write_text(at.path.read_text() + "\n# a remark\n")
    policy = at.folder / "policy.toml"
    policy.write_text(policy.read_text() + "\n# a remark\n")
    with at.live.use() as same:
        assert same is one
    assert at.noted() == []
    assert at.live.problem == ""


def test_a_policy_that_changed_is_in_force(at: Shop) -> None:
    before = at.digest()
    with at.live.use() as gateway:
        found = gateway.query("SELECT count(*) AS n FROM customer", person=OWNER, purpose="Marketing").rows()
    assert found == [(4,)]
    after = at.policy(permissions=[{"role": "owner", "table": "customer", "purpose": "Admin"}])
    assert before != after == at.digest()
    with at.live.use() as gateway:
        with pytest.raises(DeniedError):
            gateway.query("SELECT id FROM customer", person=OWNER, purpose="Marketing")
        assert len(gateway.query("SELECT id FROM customer", person=OWNER, purpose="Admin").rows()) == 4
    assert [told(line) for line in at.noted()] == [(after, after, True, "", False, at.noted()[0]["findings"])]
    lines = [json.loads(line) for line in (at.folder / "audit.jsonl").read_text().splitlines()]
    assert [line["policy"] for line in lines if line["kind"] == "asked"] == [before, after, after]
    assert AuditLog.verify(at.folder / "audit.jsonl").holds


def test_findings_are_counted(at: Shop) -> None:
    rule = {"name": "idle", "table": "customer", "columns": ["id"], "allowed": ["General"]}
    at.policy(rules=[rule])
    at.digest()
    assert [(line["applied"], line["findings"]) for line in at.noted()] == [(True, 1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("name = ", "PolicyError"), ("nonsense = 1", "PolicyError"), ("\xff", "PolicyError"), (None, "PolicyError")],
)
def test_a_broken_policy_changes_nothing_and_is_noted_once(at: Shop, text: str | None, reason: str) -> None:
    before = at.digest()
    path = at.folder / "policy.toml"
    whole = path.read_text()
    if text is None:
        path.unlink()
    else:
        path.write_text(text, encoding="latin-1")
    for _ in range(3):
        assert at.digest() == before
    assert [told(line) for line in at.noted()] == [("", before, False, reason, False, 0)]
    assert at.live.problem == "the policy file on disk cannot be applied"
    path.write_text(whole)
    assert at.digest() == before
    assert at.live.problem == ""
    assert [line["applied"] for line in at.noted()] == [False, True]


def test_every_broken_policy_is_noted(at: Shop) -> None:
    for text in ("name = ", "name = 1"):
        (at.folder / "policy.toml").write_text(text)
        at.digest()
    assert [line["applied"] for line in at.noted()] == [False, False]


def test_a_policy_whose_table_is_not_there(at: Shop) -> None:
    before = at.digest()
    tables = {**kabir.policy()["tables"], "orders": {"key": "id"}}
    after = at.policy(tables=tables)
    assert at.digest() == before
    assert [told(line)[:4] for line in at.noted()] == [(after, before, False, "PolicyError")]


def _customer(**change: Any) -> dict[str, Any]:
    table = kabir.policy()["tables"]["customer"]
    return {"customer": {**table, **change}}


MISFITS = [
    (_customer(key="idd"), "'idd', which 'customer' does not have; did you mean 'id'?"),
    (
        _customer(
            columns={
                **kabir.policy()["tables"]["customer"]["columns"],
                "name": {"by_choice": True, "conditions": [{"transform": "bucket", "width": 10}]},
            }
        ),
        "cannot be shown as bucket",
    ),
    (_customer(retention=[{"column": "since", "days": 9}]), "'since', which 'customer' does not have"),
    (_customer(retention=[{"column": "name", "days": 9}]), "name a column of dates or timestamps"),
    ({**_customer(), "custmer": {"key": "id"}}, "no table 'custmer'; did you mean 'customer'?"),
]


@pytest.mark.parametrize(("tables", "said"), MISFITS)
def test_a_policy_that_does_not_fit_the_tables_changes_nothing(at: Shop, tables: dict[str, Any], said: str) -> None:
    before = at.digest()
    after = at.policy(tables=tables)
    for _ in range(2):
        assert at.digest() == before
    assert [told(line)[:4] for line in at.noted()] == [(after, before, False, "PolicyError")]
    assert at.live.problem == "the policy file on disk does not fit the tables"


@pytest.mark.parametrize(("tables", "said"), MISFITS)
def test_nothing_starts_with_a_policy_that_does_not_fit_the_tables(tmp_path: Path, tables: Any, said: str) -> None:
    path = shop(tmp_path, tables=tables)
    with pytest.raises(PolicyError, match=re.escape(said)):
        LiveSetup(path)
    live = LiveSetup(shop(tmp_path / "other"))  # nothing was left open
    live.close()


def test_a_table_that_comes_to_fit_is_found(at: Shop) -> None:
    before = at.digest()
    after = at.policy(tables=_customer(retention=[{"column": "since", "days": 9}]))
    assert at.digest() == before
    with at.live.use() as gateway:
        gateway.source._private.change("customer", "ALTER TABLE customer ADD COLUMN since DATE")
    at.now = 6.0
    assert at.digest() == after
    assert at.live.problem == ""


def test_a_policy_that_would_give_choices_another_meaning(at: Shop) -> None:
    before = at.digest()
    choices = dict(reversed(kabir.choices().items()))
    after = at.policy(choices=choices)
    assert at.digest() == before
    assert [told(line)[:4] for line in at.noted()] == [(after, before, False, "PolicyError")]


def test_a_policy_that_is_not_applied_leaves_the_names_of_choices_alone(at: Shop) -> None:
    before = at.digest()
    more = {**kabir.choices(), "more": {"allowed": ["General"]}}
    at.policy(choices=more, tables={**kabir.policy()["tables"], "orders": {"key": "id"}})
    assert at.digest() == before
    at.policy()
    at.digest()
    at.live.close()
    at.live = LiveSetup(at.path)  # which would be refused if the names were kept that nobody applied
    assert at.digest() == before


def test_what_the_database_says_no_to_is_tried_again(at: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    before = at.digest()
    source, fails = Setup.source, [True]

    def failing(self: Setup, *given: Any, **named: Any) -> Any:
        if fails:
            raise DataError("not now")
        return source(self, *given, **named)

    monkeypatch.setattr(Setup, "source", failing)
    after = at.policy(permissions=[{"role": "owner", "table": "customer", "purpose": "Admin"}])
    for at.now in (0.0, 1.0, 6.0):
        assert at.digest() == before
    assert [line["reason"] for line in at.noted()] == ["DataError"]
    fails.clear()
    assert at.digest() == before  # it is not time yet
    at.now = 12.0
    assert at.digest() == after
    assert [line["applied"] for line in at.noted()] == [False, True]


def test_faults_of_our_own_keep_the_old_one_in_force(at: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("56 Fay Street")

    before = at.digest()
    monkeypatch.setattr(Setup, "source", fail)
    at.policy(permissions=[])
    assert at.digest() == before
    assert [line["reason"] for line in at.noted()] == ["ValueError"]
    assert "Fay" not in (at.folder / "audit.jsonl").read_text()


def test_questions_under_way_finish_by_the_policy_they_came_under(at: Shop, monkeypatch) -> None:
    closed: list[str] = []
    with at.live.use() as old:
        end = old.source.close
        monkeypatch.setattr(old.source, "close", lambda: closed.append("old") or end())
        old.query("SELECT id FROM customer", person=OWNER, purpose="Marketing")
        at.policy(permissions=[{"role": "owner", "table": "customer", "purpose": "Admin"}])
        with at.live.use() as new:
            assert new is not old
            assert new.source is not old.source
        assert len(old.query("SELECT id FROM customer", person=OWNER, purpose="Marketing").rows()) == 4
        assert closed == []
    assert closed == ["old"]  # when nobody uses it any more
    at.digest()
    assert closed == ["old"]


def test_many_ask_while_the_policy_changes(at: Shop) -> None:
    first = at.digest()
    second = at.policy(permissions=[{"role": "owner", "table": "customer", "purpose": "Admin"}])
    found, ready = [], threading.Barrier(8)

    def ask() -> None:
        ready.wait()
        found.append(at.digest())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {second} != {first}
    assert len(at.noted()) == 1


def test_limits_change_without_another_source(at: Shop) -> None:
    with at.live.use() as before:
        pass
    rates = at.live.allowances.rates
    at.setup({"rows": 2, "at_once": 9, "body_seconds": 3.0, "burst": 1})
    with at.live.use() as after:
        assert after is not before
        assert after.source is before.source
        assert after._limits.rows == 2
    assert at.live.allowances.body_seconds == 3.0
    assert at.live.allowances.rates is rates
    assert [line["applied"] for line in at.noted()] == [True]
    assert after.source.types("customer")


def test_memory_and_children_need_other_processes(at: Shop) -> None:
    with at.live.use() as before:
        pass
    at.setup({"memory": "256MB"}, children=2)
    with at.live.use() as after:
        assert after.source is not before.source
        assert after.source.parallel_queries == 4


def test_another_policy_file(at: Shop) -> None:
    before = at.digest()
    at.setup(policy="other.toml")
    assert at.digest() == before
    assert at.live.problem == "the policy file on disk cannot be applied"
    given = {**kabir.policy(), "permissions": []}
    (at.folder / "other.toml").write_text(tomlkit.dumps(given), encoding="utf-8")
    assert at.digest() == Policy.of(given).digest
    assert at.live.problem == ""


@pytest.mark.parametrize(
    "change",
    [
        {"users": "others.toml"},
        {"log": "other.jsonl"},
        {"notices": "other.jsonl"},
        {"source": {"duckdb": "shop.duckdb", "files": {"x": "x.csv"}}},
    ],
)
def test_other_files_need_a_restart(at: Shop, change: dict[str, Any]) -> None:
    before = at.digest()
    after = at.policy(permissions=[])
    at.setup(**change)
    for _ in range(2):
        assert at.digest() == before
    assert [told(line) for line in at.noted()] == [(after, before, False, "", True, 0)]
    assert at.live.problem == "what the files on disk say needs a restart"


def test_a_setup_that_cannot_be_read(at: Shop) -> None:
    before = at.digest()
    at.path.write_text("[source]\n")
    assert at.digest() == before
    assert at.live.problem == "the setup file on disk cannot be applied"
    assert [line["reason"] for line in at.noted()] == ["PolicyError"]


def test_what_is_kept_about_people_is_shared(tmp_path: Path) -> None:
    at = Shop(tmp_path)
    duty = {"duty": "notify", "to": "officer"}
    watched = [
        {"role": "owner", "table": "customer", "purpose": "Marketing", "only_aggregates": True},
        {"role": "owner", "table": "customer", "purpose": "Admin", "obligations": [duty]},
    ]
    try:
        at.policy(permissions=watched)
        with at.live.use() as one:
            pass
        at.policy(permissions=watched[:1])
        with at.live.use() as other:
            assert other.logbook._log is one.logbook._log is not None
        state = vars(at.live._state)
        assert state["heads"] is not None
        at.policy(permissions=watched[:1], auditing={"least": 7})
        at.digest()
        assert at.live.problem == ""
        at.policy(permissions=[])
        at.digest()
        assert vars(at.live._state) == state
        assert at.live.problem == ""
    finally:
        at.live.close()
    with AuditLog(tmp_path / "audit.jsonl"):  # everything that was opened is closed
        pass


def test_files_that_cannot_be_opened_leave_nothing_open(tmp_path: Path) -> None:
    path = shop(tmp_path)
    with AuditLog(tmp_path / "audit.jsonl"), pytest.raises(DataError, match="being written by another process"):
        LiveSetup(path)
    live = LiveSetup(path)
    live.close()


def test_in_postgres_a_policy_answers_when_it_is_deployed(postgres: str, tmp_path: Path) -> None:
    fill(postgres)
    path = shop(tmp_path, source={"postgres": postgres, "home": "live"})

    def deploy() -> None:
        policy = Setup.read(path).policy
        types = {"customer": owner_types(postgres, "customer")}
        deployment_of(policy, types, day=datetime.now(UTC).date(), prefix="live").deploy(postgres)

    def asked() -> int:
        with live.use() as gateway:
            return len(gateway.query("SELECT id FROM customer", person=OWNER, purpose="Admin").rows())

    deploy()
    live = LiveSetup(path)
    try:
        assert asked() == 4
        given = {**kabir.policy(), "permissions": [{"role": "owner", "table": "customer", "purpose": "Admin"}]}
        (tmp_path / "policy.toml").write_text(tomlkit.dumps(given), encoding="utf-8")
        with pytest.raises(PolicyError, match="deployed from another policy"):
            asked()
        deploy()
        assert asked() == 4
    finally:
        live.close()


def test_in_postgres_too_nothing_starts_that_does_not_fit(postgres: str, tmp_path: Path) -> None:
    fill(postgres)
    for tables, said in (
        (
            {**_customer(), "custmer": {"key": "id"}},
            "no table 'custmer', or it has no columns; did you mean 'customer'?",
        ),
        (_customer(key="idd"), "did you mean 'id'?"),
    ):
        path = shop(tmp_path, source={"postgres": postgres, "home": "live"}, tables=tables)
        with pytest.raises(PolicyError, match=re.escape(said)):
            LiveSetup(path)


def test_a_gateway_that_follows_nothing_is_served_alike() -> None:
    gateway = Gateway(Policy.of(kabir.policy()), customers())
    serving = FixedGateway(gateway)
    with serving.use() as used:
        assert used is serving.gateway is gateway
    assert serving.problem == ""
    gateway.close()
