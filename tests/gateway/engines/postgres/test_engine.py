"""The engine: answers as Arrow, within limits, from many threads, and in its own words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from time import monotonic

import psycopg
import pyarrow as pa
import pytest

from sfumato.errors import DataError, LimitError, PolicyError, SfumatoError, StatementError, UnreachableError
from sfumato.gateway.engines.postgres import engine as module
from sfumato.gateway.engines.postgres.engine import Epoch, PostgresEngine
from sfumato.gateway.engines.postgres.session import SessionQuery
from tests.gateway.engines.postgres import shop
from tests.gateway.engines.postgres.attacks import ATTACKS
from tests.postgres import Server, as_role

EPOCH = Epoch("marketing", "1f")


@pytest.fixture(scope="module")
def deployed(postgres_server: Server) -> Iterator[str]:
    with postgres_server.database() as owner:
        shop.fill(owner)
        shop.deployment(shop.role_prefix(owner)).deploy(owner)
        shop.choose(owner)
        yield owner


@pytest.fixture(scope="module")
def engine(deployed: str) -> Iterator[PostgresEngine]:
    role = f"{shop.role_prefix(deployed)}_marketing"
    with PostgresEngine(as_role(deployed, role), owner=deployed, size=4) as opened:
        yield opened


def ask(
    engine: PostgresEngine, sql: str, *parameters: object, rows: int = 100, epoch: Epoch | None = EPOCH
) -> pa.Table:
    return engine.ask(sql, parameters, seconds=5, rows=rows, epoch=epoch)


def test_an_answer_is_arrow(engine: PostgresEngine) -> None:
    found = ask(engine, "SELECT * FROM marketing.customer WHERE id > $1 ORDER BY id", 1)
    assert found.schema == pa.schema({
        "id": pa.int32(), "name": pa.string(), "name.exact": pa.bool_(), "age": pa.int32(),
        "income.lo": pa.int32(), "income.hi": pa.int32(),
    })  # fmt: skip
    assert found["income.lo"].to_pylist() == [20000, 38120, None]
    assert found["income.hi"].to_pylist() == [29999, 38120, None]


def test_an_empty_answer_has_its_columns(engine: PostgresEngine) -> None:
    found = ask(engine, "SELECT id, amount FROM marketing.orders WHERE id < 0")
    assert found.schema == pa.schema({"id": pa.int64(), "amount": pa.decimal128(12, 2)})
    assert found.num_rows == 0


def test_columns_of_the_same_name_are_kept(engine: PostgresEngine) -> None:
    assert ask(engine, "SELECT 1 AS a, 2 AS a").column_names == ["a", "a"]


def test_parameters_are_values_only(engine: PostgresEngine) -> None:
    asked = "SELECT count(*) AS n FROM marketing.customer WHERE name = $1"
    assert ask(engine, asked, "Bob")["n"].to_pylist() == [1]
    assert ask(engine, asked, "' OR 1 = 1 --")["n"].to_pylist() == [0]
    typed = ask(
        engine, "SELECT $1::date AS d, $2::numeric(5, 2) AS n, $3::boolean AS b", date(2020, 2, 3), Decimal("1.5"), True
    )
    assert typed.to_pylist() == [{"d": date(2020, 2, 3), "n": Decimal("1.50"), "b": True}]


def test_too_few_parameters(engine: PostgresEngine) -> None:
    for _ in range(3):
        with pytest.raises(StatementError, match="another number of parameters"):
            ask(engine, "SELECT $1::integer")


def test_types_are_the_owners(engine: PostgresEngine, deployed: str) -> None:
    found = engine.types("customer")
    assert found["balance"] == "numeric(12,2)"
    assert engine.types("customer", "marketing")["income.lo"] == "integer"
    with (
        PostgresEngine(deployed) as nobody,
        pytest.raises(PolicyError, match="owner of the tables is not set"),
    ):
        nobody.types("customer")
    with PostgresEngine("", owner=as_role(deployed, "nobody_at_all")) as stranger, pytest.raises(DataError) as caught:
        stranger.types("customer")
    assert "FATAL" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_stale_deployment_is_noticed(engine: PostgresEngine) -> None:
    assert engine.deployed_digest("marketing") == "1f"
    assert engine.deployed_digest("public") is None
    for epoch in (Epoch("marketing", "2f"), Epoch("public", "1f")):
        with pytest.raises(PolicyError, match="another policy"):
            ask(engine, "SELECT id FROM marketing.customer", epoch=epoch)
    for text in ("SELECT id FROM marketing.customer", "SELECT id FROM nowhere.customer"):
        with pytest.raises(UnreachableError, match="the policy is not deployed"):
            ask(engine, text, epoch=Epoch("nowhere", "1f"))
    with pytest.raises(StatementError, match="is out of the range of it"):
        ask(engine, "SELECT 1 / 0 FROM marketing.customer", epoch=Epoch("marketing", "1f"))


def test_a_role_that_is_turned_away_may_not_be_there_at_all(deployed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that asks for passwords does not say so; its owner does."""

    def turned_away(conninfo: str) -> None:
        raise UnreachableError("not let in", turned_away=True)

    monkeypatch.setattr("sfumato.gateway.engines.postgres.engine.Session", turned_away)
    there = psycopg.conninfo.conninfo_to_dict(deployed)["user"]
    for user, owner, said in (
        ("nobody_at_all", deployed, "the policy is not deployed"),
        (str(there), deployed, "not let in"),
        ("nobody_at_all", None, "not let in"),
        ("nobody_at_all", "host=/nowhere", "not let in"),
    ):
        with PostgresEngine(as_role(deployed, user), owner=owner) as one, pytest.raises(UnreachableError, match=said):
            ask(one, "SELECT 1")


def test_a_new_deployment_is_noticed_at_once(postgres: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    with PostgresEngine(as_role(postgres, f"{role}_marketing")) as engine:
        for _ in range(3):
            ask(engine, "SELECT * FROM marketing.orders")
        wider = shop.select('SELECT "id"::text AS "id" FROM "public"."orders"')
        marketing = shop.deployment(role).purposes[0]
        changed = shop.purpose("Marketing", marketing.role, {**marketing.views, "orders": wider})
        shop.deployment(role, purposes=(changed,), digest="2f").deploy(postgres)
        with pytest.raises(PolicyError, match="another policy"):
            ask(engine, "SELECT * FROM marketing.orders")
        found = ask(engine, "SELECT * FROM marketing.orders", epoch=Epoch("marketing", "2f"))
        assert found.schema == pa.schema({"id": pa.string()})


def test_limits_are_kept(engine: PostgresEngine) -> None:
    with pytest.raises(LimitError, match="took longer"):
        engine.ask("SELECT pg_sleep(3600)", seconds=0.15, rows=1)
    with pytest.raises(LimitError, match="more than the 3 rows"):
        ask(engine, "SELECT * FROM marketing.customer", rows=3)
    assert ask(engine, "SELECT * FROM marketing.customer", rows=4).num_rows == 4


def test_waiting_for_others_counts(deployed: str) -> None:
    role = f"{shop.role_prefix(deployed)}_marketing"
    with PostgresEngine(as_role(deployed, role), size=1) as engine:
        with engine._pool.session(monotonic()), pytest.raises(LimitError, match="free in time"):
            engine.ask("SELECT 1", seconds=0.1, rows=1)
        assert engine.ask("SELECT 1 AS a", seconds=60, rows=1)["a"].to_pylist() == [1]


def test_many_threads_get_their_own_answers(engine: PostgresEngine) -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        for turn in range(25):
            value = number * 1000 + turn
            found = ask(engine, "SELECT $1::integer AS a, pg_sleep(0.0005)", value)
            if found["a"].to_pylist() != [value]:
                failures.append(value)

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_restart_of_the_server_is_not_noticed(engine: PostgresEngine, postgres_server: Server, deployed: str) -> None:
    ask(engine, "SELECT 1")
    with psycopg.connect(postgres_server.admin, autocommit=True) as admin:
        killed = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s"
        admin.execute(killed, [f"{shop.role_prefix(deployed)}_marketing"])
    assert ask(engine, "SELECT 1 AS a")["a"].to_pylist() == [1]


def test_enumerations_are_texts(postgres: str) -> None:
    with psycopg.connect(postgres) as owner:
        owner.execute("CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN small AS integer CHECK (VALUE < 9)")
        owner.execute("CREATE TYPE pair AS (a integer, b integer)")
    with PostgresEngine(postgres) as engine:
        found = engine.ask("SELECT 'sad'::mood AS m, 3::small AS s", seconds=5, rows=1)
        assert found.to_pylist() == [{"m": "sad", "s": 3}]
        with pytest.raises(StatementError, match="'p' of the answer has a type that is not supported"):
            engine.ask("SELECT ROW(1, 2)::pair AS p", seconds=5, rows=1)


def test_superusers_are_refused(postgres_server: Server) -> None:
    with PostgresEngine(postgres_server.admin) as engine, pytest.raises(PolicyError, match="superuser"):
        engine.ask("SELECT 1", seconds=1, rows=1)


def test_a_closed_engine_says_so(deployed: str) -> None:
    engine = PostgresEngine(deployed)
    engine.ask("SELECT 1", seconds=1, rows=1)
    engine.close()
    with pytest.raises(DataError, match="closed"):
        engine.ask("SELECT 1", seconds=1, rows=1)


def test_nothing_hidden_comes_through(engine: PostgresEngine) -> None:
    """All attacks again, through the engine: one statement at a time, and none of the server's own words."""
    said, leaks = set(), []
    for statement in [one for one in ATTACKS if "{owner}" not in one]:
        try:
            text = str(engine.ask(statement, seconds=2, rows=1000).to_pylist())
        except SfumatoError as error:
            text = str(error)
            said.add(text)
            leaks += [] if error.__context__ is None else [(statement, "context")]
        leaks += [(statement, canary) for canary in shop.CANARIES if canary in text]
    assert leaks == []
    assert len([sentence for sentence in said if not sentence.startswith("column ")]) < 20
    assert ask(engine, "SELECT count(*) AS n FROM marketing.customer")["n"].to_pylist() == [4]


def test_the_client_waits_a_little_longer_than_the_server_may_take(
    engine: PostgresEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it is the server that ends a question, and the connection can be used again."""
    found: list[float] = []

    def attempt(asked: SessionQuery, deadline: float) -> SfumatoError:
        found.append(deadline - asked.milliseconds / 1000)
        return DataError("no")

    monkeypatch.setattr(module, "monotonic", lambda: 100.0)
    monkeypatch.setattr(engine, "_attempt", attempt)
    with pytest.raises(DataError, match="no"):
        engine.ask("SELECT 1", seconds=2, rows=1)
    assert 100 < found[0] < 101
