"""Attacks: whatever the gateway's role sends, no hidden value comes back, in rows, errors or notices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pytest

from sfumato.gateway.engines.postgres.deployment.privilege_checks import ROLE_CHECKS
from tests.gateway.engines.postgres import shop
from tests.gateway.engines.postgres.attacks import ATTACKS, LEAKY, REFUSED, WRITING
from tests.postgres import Server, as_role


@dataclass
class Seen:
    """Everything a client sees of a statement."""

    pieces: list[str] = field(default_factory=list)
    failed: bool = False

    @property
    def canaries(self) -> list[str]:
        everything = "\n".join(self.pieces)
        return [canary for canary in shop.CANARIES if canary in everything]


def seen(conninfo: str, statement: str) -> Seen:
    found = Seen()
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: found.pieces.append(_everything(notice)))
        try:
            if statement.startswith(WRITING):
                connection.execute(WRITING)
            _collect(connection, statement.removeprefix(WRITING), found.pieces)
        except psycopg.Error as error:
            found.failed = True
            found.pieces += [str(error), _everything(error.diag)]
        found.pieces += [repr(notify) for notify in connection.notifies(timeout=0)]
    return found


def _collect(connection: psycopg.Connection, statement: str, pieces: list[str]) -> None:
    cursor = connection.cursor()
    if statement.startswith("COPY") and "STDOUT" in statement:
        with cursor.copy(statement) as copied:
            pieces += [bytes(piece).decode() for piece in copied]
        return
    cursor.execute(statement)
    while True:
        if cursor.description:
            pieces += [repr(row) for row in cursor.fetchall()]
        if not cursor.nextset():
            break


def _everything(diag: psycopg.errors.Diagnostic) -> str:
    names = ["message_primary", "message_detail", "message_hint", "context", "internal_query", "column_name"]
    return " ".join(str(getattr(diag, name)) for name in names)


@pytest.fixture(scope="module")
def deployed(postgres_server: Server) -> Iterator[str]:
    """A shop in operation: its owner is at work meanwhile, on a connection whose last statement has a canary."""
    with postgres_server.database() as owner:
        shop.fill(owner)
        shop.deployment(shop.role_prefix(owner)).deploy(owner)
        shop.choose(owner)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("SELECT lo_from_bytea(4242, 'canary@object')")
            connection.execute("ANALYZE")
            connection.execute("SELECT 'canary@activity'")
            yield owner


@pytest.fixture(scope="module")
def attacker(deployed: str) -> str:
    return as_role(deployed, f"{shop.role_prefix(deployed)}_marketing")


@pytest.fixture(scope="module")
def tool(deployed: str) -> str:
    return as_role(deployed, f"{shop.role_prefix(deployed)}_marketing_bi")


def _flat(statement: str) -> str:
    """The same, of the relations that tools read."""
    renamed = re.sub(r"(?<![.\w\"'])(customer|letters|orders)\b", r"\1_flat", statement)
    renamed = re.sub(r"\bmarketing\.(\w+)", r"marketing_bi.\1_flat", renamed)
    return renamed.replace('"income.lo"', "income_lo")


def _said(statement: str, deployed: str) -> str:
    return statement.replace("{owner}", f'"{shop.role_prefix(deployed)}_owner"').replace("'\"", "'").replace("\"'", "'")


def test_there_are_enough() -> None:
    assert len(ATTACKS) == len(set(ATTACKS)) > 150


@pytest.mark.parametrize("statement", ATTACKS)
def test_no_canary_comes_back(deployed: str, attacker: str, statement: str) -> None:
    assert seen(attacker, _said(statement, deployed)).canaries == []


@pytest.mark.parametrize("statement", ATTACKS)
def test_no_canary_comes_back_to_tools(deployed: str, tool: str, statement: str) -> None:
    for asked in dict.fromkeys([statement, _flat(statement)]):
        assert seen(tool, _said(asked, deployed)).canaries == []


def test_tools_are_attacked_where_they_can_read(deployed: str, tool: str) -> None:
    read = [one for one in ATTACKS if not seen(tool, _said(_flat(one), deployed)).failed]
    assert len(read) >= 40


@pytest.mark.parametrize("statement", REFUSED)
def test_it_is_refused_to_tools(deployed: str, tool: str, statement: str) -> None:
    assert seen(tool, _said(_flat(statement), deployed)).failed


@pytest.mark.parametrize("statement", REFUSED)
def test_it_is_refused(deployed: str, attacker: str, statement: str) -> None:
    assert seen(attacker, _said(statement, deployed)).failed


def test_nothing_was_changed_by_them(deployed: str, attacker: str) -> None:
    with psycopg.connect(deployed) as connection:
        assert connection.execute("SELECT count(*), sum(income) FROM customer").fetchall() == [(4, 216156)]
        assert connection.execute("SELECT count(*), sum(amount)::text FROM orders").fetchall() == [(3, "36.25")]
        made = "SELECT count(*) FROM pg_class WHERE relowner = %s::regrole"
        for login in ("marketing", "marketing_bi"):
            assert connection.execute(made, [f'"{shop.role_prefix(deployed)}_{login}"']).fetchall() == [(0,)]


def test_the_canaries_are_there_to_be_found(deployed: str) -> None:
    """As the owner many of the same statements show canaries, so that finding none means something."""
    looking = psycopg.conninfo.make_conninfo(
        deployed, options="-c default_transaction_read_only=on -c search_path=marketing"
    )
    biting = [one for one in ATTACKS if one.startswith(("SELECT", "TABLE", "VALUES", "WITH", "COPY", "EXPLAIN", "DO"))]
    caught = [one for one in biting if "{owner}" not in one and seen(looking, one).canaries]
    assert len(caught) >= 20


def test_without_the_barrier_they_would_come_back(deployed: str) -> None:
    """The same view without its barrier lets a cast see rows that the view hides."""
    role = f"{shop.role_prefix(deployed)}_marketing"
    with psycopg.connect(deployed) as connection:
        connection.execute(f"CREATE SCHEMA plain; CREATE VIEW plain.letters AS {shop.LETTERS}")
        connection.execute(f'GRANT USAGE ON SCHEMA plain TO "{role}"; GRANT SELECT ON plain.letters TO "{role}"')
    bare = [seen(as_role(deployed, role), one.replace("FROM letters", "FROM plain.letters")).canaries for one in LEAKY]
    with psycopg.connect(deployed) as connection:
        connection.execute("DROP SCHEMA plain CASCADE")
    assert len([found for found in bare if found]) >= 5


@pytest.mark.parametrize("question", ROLE_CHECKS, ids=lambda question: question.finding)
def test_every_question_can_be_asked(attacker: str, question) -> None:
    with psycopg.connect(attacker) as connection:
        found = connection.execute(question.query, {"schemas": ["marketing"], "through": []}).fetchall()
    assert not question.grave or found == []
    assert "{}" in question.finding
    assert question.remedy.endswith(".")
