"""Databases in other encodings: what can be converted is answered, all else is refused in words of our own."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from sfumato.errors import DeniedError, PolicyError, SfumatoError, StatementError
from sfumato.gateway.engines.postgres.deployment.deployed_names import schema_of
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of, tools_login
from sfumato.gateway.engines.postgres.deployment.verification import verify
from sfumato.gateway.engines.postgres.engine import PostgresEngine
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.engines.postgres.table_catalogue import constraints_of
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.postgres import Server, as_role

CLERK = Person("carla", frozenset({"clerk"}), {})
TODAY = datetime.now(UTC).date()
ENCODINGS = ["LATIN1", "WIN1252", "SQL_ASCII"]
STRANGE = {"LATIN1": "Łódź €", "WIN1252": "Łódź", "SQL_ASCII": "never"}
"""Texts that a database in the encoding cannot hold; one without an encoding holds everything."""


def policy(**changes: Any) -> Policy:
    return Policy.of(
        {
            "name": "Städte",
            "purposes": {"General": ["Müßiggang"]},
            "choices": {"alles für alle": {"allowed": ["General"]}, "nichts": {"prohibited": ["General"]}},
            "tables": {
                "kunde": {
                    "key": "schlüssel",
                    "allowed": ["General"],
                    "columns": {
                        "straße": {"conditional": ["General"], "conditions": [{"transform": "drop_house_number"}]},
                        "größe": {"by_choice": True, "default_choice": "alles für alle"},
                        "ort": {},
                    },
                }
            },
            "rules": [{"name": "dort", "table": "kunde", "columns": ["größe"], "where": "ort = 'Köln'",
                       "prohibited": ["General"]}],
            "roles": {"clerk": {}},
            "permissions": [{"role": "clerk", "table": "kunde", "purpose": "General"}],
            **changes,
        }
    )  # fmt: skip


TABLE = 'CREATE TABLE kunde (schlüssel text PRIMARY KEY, straße text, größe integer, ort text, zeichen "char")'
ROWS = [("ä", "5 – 7, Größe Straße", 170, "Zürich"), ("b", "12, Weg", 180, "Köln")]


@dataclass
class Town:
    """A database in an encoding, with a gateway before it."""

    encoding: str
    owner: str
    prefix: str
    gateway: Gateway

    def ask(self, text: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self.gateway.query(text, person=CLERK, purpose="Müßiggang", parameters=parameters).rows()


def refused(act: Callable[[], object], error: type[SfumatoError], match: str, *never: str) -> None:
    """Refused in our own words, without the text or its bytes, and with nothing of the engine hanging on it."""
    with pytest.raises(error, match=match) as caught:
        act()
    told = "".join(traceback.format_exception(caught.value, chain=False)[-1:])
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert not [one for one in never if one in told]


def types(owner: str) -> dict[str, Any]:
    return {"kunde": owner_types(owner, "kunde")}


@pytest.fixture(scope="module", params=ENCODINGS)
def town(request: pytest.FixtureRequest, postgres_server: Server) -> Iterator[Town]:
    encoding = request.param
    with postgres_server.database(encoding) as owner:
        prefix = str(psycopg.conninfo.conninfo_to_dict(owner)["dbname"])
        with psycopg.connect(owner, client_encoding="UTF8") as connection:
            connection.execute(TABLE)
            for row in ROWS:
                held = row if encoding != "LATIN1" else (row[0], row[1].replace("–", "-"), *row[2:])
                connection.execute("INSERT INTO kunde VALUES (%s, %s, %s, %s, 'x')", held)
        steps = deployment_of(policy(), types(owner), day=TODAY, prefix=prefix).deploy(owner)
        assert bool([note for note in steps.notes if "SQL_ASCII" in note]) == (encoding == "SQL_ASCII")
        gateway = Gateway(policy(), PostgresSource(policy(), owner, owner=owner, prefix=prefix))
        yield Town(encoding, owner, prefix, gateway)
        gateway.close()


def test_texts_are_answered(town: Town) -> None:
    asked = "SELECT schlüssel, straße, größe, ort FROM kunde ORDER BY schlüssel"
    assert sorted(town.ask(asked)) == [("b", "Weg", None, "Köln"), ("ä", "Größe Straße", 170, "Zürich")]
    for text, parameters in (("ort = 'Zürich'", ()), ("ort = ?", ("Zürich",)), ("schlüssel IN ('ä', 'ö')", ())):
        assert town.ask(f"SELECT ort FROM kunde WHERE {text}", *parameters) == [("Zürich",)]


def test_deploying_again_changes_nothing(town: Town) -> None:
    deployment_of(policy(), types(town.owner), day=TODAY, prefix=town.prefix).deploy(town.owner)
    for role, schema in ((schema_of, False), (tools_login, True)):
        name = role("Müßiggang", town.prefix)
        found = verify(as_role(town.owner, name), [name], digest=policy().digest, direct=schema)
        assert not [one for one in found if one.grave]


def test_tools_read_the_same(town: Town) -> None:
    login = as_role(town.owner, tools_login("Müßiggang", town.prefix))
    with psycopg.connect(login, client_encoding="UTF8") as connection:
        found = connection.execute('SELECT "straße_shown", ort FROM kunde_flat ORDER BY "schlüssel"').fetchall()
    assert sorted(found) == [("Größe Straße", "Zürich"), ("Weg", "Köln")]


def test_choices_are_taken_in(town: Town) -> None:
    choosing = Policy.of({**policy().sections.model_dump(), "permissions": [
        {"role": "clerk", "table": "kunde", "purpose": "General", "operation": "choose"}
    ]})  # fmt: skip
    gateway = Gateway(choosing, PostgresSource(choosing, town.owner, owner=town.owner, prefix=town.prefix))

    def choose(key: str) -> int:
        return gateway.choose("kunde", [(key, "größe", "alles für alle")], person=CLERK)

    try:
        assert choose("ä") == 1
        (entered,) = gateway.source.choice_history("kunde", "ä")
        assert (entered.column, entered.choice, entered.entered_by) == ("größe", "alles für alle", "carla")
        assert choose("nobody") == 1  # whoever may choose does not learn who is there
        refused(lambda: choose("a\0b"), StatementError, "in another format than the table", "a\0b")
        strange = STRANGE[town.encoding]
        if town.encoding == "SQL_ASCII":
            assert choose(strange) == 1
        else:
            refused(lambda: choose(strange), StatementError, "in another format than the table", strange)
    finally:
        gateway.close()


def test_what_the_database_cannot_hold_is_refused(town: Town) -> None:
    strange = STRANGE[town.encoding]
    if town.encoding == "SQL_ASCII":
        assert town.ask(f"SELECT ort FROM kunde WHERE ort = '{strange}'") == []
        return
    for _ in range(3):
        for text, parameters in ((f"ort = '{strange}'", ()), ("ort = ?", (strange,))):
            refused(
                lambda text=text, parameters=parameters: town.ask(f"SELECT ort FROM kunde WHERE {text}", *parameters),
                StatementError, "the encoding of the database", strange, strange[0],
            )  # fmt: skip
    assert len(town.ask("SELECT ort FROM kunde")) == 2


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb", "a\0b"])
def test_half_of_a_character_is_refused(town: Town, half: str) -> None:
    refused(lambda: town.ask("SELECT ort FROM kunde WHERE ort = ?", half), StatementError, "parameter 1 contains", half)
    engine = PostgresEngine(as_role(town.owner, schema_of("Müßiggang", town.prefix)))
    try:
        refused(lambda: engine.ask(f"SELECT '{half}'", seconds=5, rows=1), StatementError, "does not support", half)
    finally:
        engine.close()


def test_a_policy_that_the_database_cannot_hold_is_refused(town: Town) -> None:
    strange = STRANGE[town.encoding]
    rule = {"name": "dort", "table": "kunde", "where": f"ort = '{strange}'", "prohibited": ["General"]}
    deployment = deployment_of(policy(rules=[rule]), types(town.owner), day=TODAY, prefix=town.prefix)
    if town.encoding == "SQL_ASCII":
        deployment.deploy(town.owner, dry=True)
        return
    refused(lambda: deployment.deploy(town.owner), PolicyError, "does not have; nothing was changed", strange)
    assert len(town.ask("SELECT ort FROM kunde")) == 2


BYTES = {"WIN1252": b"St\x81cke", "SQL_ASCII": b"St\xfccke"}
"""What stands in a database and has no meaning in UTF-8."""


@pytest.mark.parametrize("encoding", BYTES)
def test_bytes_that_are_no_text_are_never_shown(postgres_server: Server, encoding: str) -> None:
    with postgres_server.database(encoding) as owner:
        prefix = str(psycopg.conninfo.conninfo_to_dict(owner)["dbname"])
        with psycopg.connect(owner, client_encoding="UTF8") as connection:
            connection.execute(TABLE)
            connection.execute("SELECT set_config('client_encoding', %s, false)", [encoding])
            connection.execute(b"INSERT INTO kunde VALUES ('a', '" + BYTES[encoding] + b"', 1, 'here', 'x')")
            connection.execute(b"INSERT INTO kunde VALUES ('b', 'Weg', 2, '" + BYTES[encoding] + b"', 'x')")
        told = policy()
        deployment_of(told, types(owner), day=TODAY, prefix=prefix).deploy(owner)
        gateway = Gateway(told, PostgresSource(told, owner, owner=owner, prefix=prefix))

        def ask(text: str) -> list[tuple[Any, ...]]:
            return gateway.query(text, person=CLERK, purpose="General").rows()

        try:
            for text in ("SELECT ort FROM kunde", "SELECT straße FROM kunde", "SELECT * FROM kunde"):
                refused(lambda text=text: ask(text), StatementError, "the encoding of the database", "cke", "0x", "\\x")
            assert sorted(ask("SELECT größe FROM kunde")) == [(1,), (2,)]
            assert ask("SELECT ort FROM kunde WHERE größe = 1") == [("here",)]
        finally:
            gateway.close()


def test_a_name_that_is_no_text(postgres_server: Server) -> None:
    with postgres_server.database("SQL_ASCII") as owner:
        with psycopg.connect(owner) as connection:
            connection.execute(b'CREATE TABLE kunde (id text PRIMARY KEY, "gr\xf6\xdfe" integer)')
            connection.execute(b'CREATE SCHEMA "gr\xf6\xdfe"')
        refused(lambda: owner_types(owner, "kunde"), StatementError, "the encoding of the database", "0x", "gr")
        given = {"key": "id", "allowed": ["General"]}
        plain = Policy.of({"name": "p", "purposes": {"General": ["A"]}, "tables": {"kunde": given}})
        deployment = deployment_of(plain, {}, day=TODAY)
        refused(lambda: deployment.deploy(owner), PolicyError, "does not have; nothing was changed", "0x")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "UTF8"])
def test_a_text_of_one_byte_is_no_text(postgres_server: Server, encoding: str) -> None:
    """No server converts a "char", so it may come as any byte."""
    with postgres_server.database(encoding) as owner, PostgresEngine(owner) as engine:
        asked = """SELECT '\\351'::"char" AS c"""
        refused(lambda: engine.ask(asked, seconds=5, rows=1), StatementError, "'c' of the answer", "xe9", "351")


def test_an_answer_in_another_encoding_is_refused(shared_postgres: str) -> None:
    with PostgresEngine(shared_postgres) as engine:
        asked = "SELECT set_config('client_encoding', 'LATIN1', false), name FROM (VALUES ('Zürich')) AS v(name)"
        refused(lambda: engine.ask(asked, seconds=5, rows=1), StatementError, "'name' of the answer", "rich")
        assert engine.ask("SELECT 'Zürich' AS name", seconds=5, rows=1).to_pylist() == [{"name": "Zürich"}]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_constraints_and_ledger_are_read_as_texts(encoding: str, postgres_server: Server) -> None:
    """Names that arrive as bytes match no column, and hashes that do so match no entry."""
    given = Policy.of({
        "name": "Städte",
        "purposes": {"General": []},
        "tables": {"kunde": {"key": "schlüssel", "allowed": ["General"], "columns": {
            "schlüssel": {"selects": True}, "größe": {}, "gewicht": {},
        }}},
        "roles": {"clerk": {}},
        "permissions": [{"role": "clerk", "table": "kunde", "purpose": "General", "only_aggregates": True}],
        "auditing": {"least": 2},
    })  # fmt: skip
    with postgres_server.database(encoding) as owner:
        prefix = str(psycopg.conninfo.conninfo_to_dict(owner)["dbname"])
        with psycopg.connect(owner, client_encoding="UTF8") as connection:
            connection.execute(
                "CREATE TABLE kunde (schlüssel integer PRIMARY KEY, größe integer NOT NULL UNIQUE, "
                "gewicht integer NOT NULL)"
            )
            connection.execute("INSERT INTO kunde SELECT n, 150 + n, 60 + n FROM generate_series(1, 9) AS n")
        deployment_of(given, types(owner), day=TODAY, prefix=prefix).deploy(owner)
        found = constraints_of(owner, "kunde")
        assert found.distinct == {"schlüssel", "größe"}
        assert found.never_missing == {"schlüssel", "größe", "gewicht"}
        assert found.keys[0] == ("schlüssel",)
        for _ in range(2):
            gateway = Gateway(given, PostgresSource(given, owner, owner=owner, prefix=prefix))
            for measure in ("min(größe)", "max(größe)"):
                with pytest.raises(StatementError, match="its values are unique in the database"):
                    gateway.query(f"SELECT {measure} FROM kunde", person=CLERK)
            assert gateway.query("SELECT sum(größe) AS s FROM kunde WHERE schlüssel < 6", person=CLERK).rows() == [
                (765,)
            ]
            with pytest.raises(DeniedError):
                gateway.query("SELECT sum(größe) AS s FROM kunde WHERE schlüssel < 5", person=CLERK)
            assert gateway.query("SELECT max(gewicht) AS m FROM kunde", person=CLERK).rows() == [(69,)]
            gateway.close()
