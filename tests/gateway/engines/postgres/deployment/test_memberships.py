"""Logins that are members of that of tools: what they start without is told, with the lines that help."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.gateway.engines.postgres.deployment.memberships import MEMBER_LOGINS
from sfumato.gateway.engines.postgres.deployment.verification import verify
from tests.gateway.engines.postgres import shop
from tests.postgres import Server, as_role

SETTINGS = (
    "log_statement",
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "default_transaction_read_only",
    "search_path",
)


@pytest.fixture
def deployed(postgres: str) -> str:
    """A shop with Anna, a member through the group of those who make charts."""
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    with psycopg.connect(postgres) as connection:
        connection.execute(f'CREATE ROLE "{role}_charts" IN ROLE "{role}_marketing_bi"'.encode())
        connection.execute(f'CREATE ROLE "{role}_Anna" LOGIN IN ROLE "{role}_charts"'.encode())
    return postgres


def started(conninfo: str, login: str) -> list[str]:
    with psycopg.connect(as_role(conninfo, login)) as connection:
        return [connection.execute(f"SHOW {name}".encode()).fetchall()[0][0] for name in SETTINGS]


def told(conninfo: str) -> list[str]:
    """What deploy and reach say about members."""
    role = shop.role_prefix(conninfo)
    found = verify(as_role(conninfo, f"{role}_marketing_bi"), ["marketing_bi"], digest="1f", direct=True)
    reached = [one.what.split("should run: ")[1] for one in found if one.grave]
    noted = [note for note in shop.deployment(role).deploy(conninfo).notes if "do not inherit" in note]
    assert all(f"{role}_Anna" in line for line in (*reached, *noted))
    return [*reached, *(note.split("runs: ")[1] for note in noted)]


def test_who_is_a_member(deployed: str) -> None:
    """Not a group that nobody can log in as, nor whoever made the roles."""
    role = shop.role_prefix(deployed)
    with psycopg.connect(deployed) as connection:
        found = [(of, member) for of, member in connection.execute(MEMBER_LOGINS) if of.startswith(role)]
    assert found == [(f"{role}_charts", f"{role}_Anna"), (f"{role}_marketing_bi", f"{role}_Anna")]


@pytest.mark.parametrize("place", [0, 1])
def test_what_a_member_lacks_is_told_until_it_is_set(deployed: str, postgres_server: Server, place: int) -> None:
    role = shop.role_prefix(deployed)
    assert started(deployed, f"{role}_Anna")[:2] == ["none", "0"]
    lines = told(deployed)
    assert len(lines) == 2
    with psycopg.connect(postgres_server.admin) as connection:
        connection.execute(lines[place].encode())
    assert told(deployed) == []
    assert started(deployed, f"{role}_Anna") == ["all", "30s", "5s", "1min", "on", "marketing_bi, pg_temp"]
    with psycopg.connect(deployed) as connection:
        found = connection.execute("SELECT rolconnlimit FROM pg_roles WHERE rolname = %s", [f"{role}_Anna"]).fetchall()
    assert found == [(20,)]


def test_only_what_is_missing_is_told(deployed: str, postgres_server: Server) -> None:
    role = shop.role_prefix(deployed)
    with psycopg.connect(postgres_server.admin) as connection:
        for line in told(deployed)[0].split("; "):
            if "lock_timeout" not in line:
                connection.execute(line.encode())
    assert [line.split("SET")[1].split(" TO")[0].strip('" ') for line in told(deployed)] == ["lock_timeout"] * 2
    assert started(deployed, f"{role}_Anna")[2] == "0"
