"""Connections: texts are UTF-8 on this side, whatever they are on the other."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import sfumato
from sfumato.errors import DataError, UnreachableError
from sfumato.gateway.engines.postgres.connections import NOT_DEPLOYED, connect, connection_error
from tests.postgres import Server


@pytest.mark.parametrize("encoding", ["LATIN1", "WIN1252", "SQL_ASCII", "UTF8"])
def test_texts_are_texts(postgres_server: Server, encoding: str) -> None:
    with postgres_server.database(encoding) as conninfo:
        for given in (conninfo, psycopg.conninfo.make_conninfo(conninfo, client_encoding="LATIN1")):
            with connect(given) as connection:
                assert connection.info.encoding == "utf-8"
                assert connection.execute("SELECT 'Zürich', current_database()::text").fetchall()[0][0] == "Zürich"


def test_settings_are_passed_on(shared_postgres: str) -> None:
    with connect(shared_postgres, autocommit=True) as connection:
        assert connection.autocommit


def why(conninfo: str, *, as_deployed: bool = False) -> str:
    with pytest.raises(psycopg.Error) as caught:
        connect(conninfo, connect_timeout=5)
    told = connection_error(caught.value, as_deployed=as_deployed)
    assert isinstance(told, UnreachableError)
    assert told.outside == "the database cannot be reached; ask again later."
    return str(told)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dbname": "nosuch"}, "there is no database 'nosuch'"),
        ({"user": "nobody_here"}, "there is no role 'nobody_here'"),
        ({"host": "/nowhere"}, "no server answers at that host"),
        ({"host": "127.0.0.1", "port": "1"}, "no server answers at that host"),
        ({"service": "nosuch"}, "the connection settings cannot be read"),
    ],
)
def test_why_a_server_is_not_reached(postgres: str, change: dict[str, str], said: str) -> None:
    assert said in why(make_conninfo(postgres, **change))


def test_a_role_that_was_not_deployed(postgres: str) -> None:
    assert why(make_conninfo(postgres, user="nobody_here"), as_deployed=True) == NOT_DEPLOYED


@pytest.mark.parametrize(
    "said", ['FATAL:  password authentication failed for user "x"', 'FATAL:  no pg_hba.conf entry for host "1.2.3.4"']
)
def test_a_role_that_is_not_let_in(said: str) -> None:
    told = connection_error(psycopg.OperationalError(said))
    assert isinstance(told, UnreachableError)
    assert told.turned_away
    assert "check the password and pg_hba.conf" in str(told)


def test_what_is_not_understood_is_told_as_before() -> None:
    told = connection_error(psycopg.OperationalError("FATAL:  Datenbank existiert nicht"))
    assert (type(told), str(told)) == (DataError, "the database cannot be reached; ask again later.")
    assert "shutting down" in str(connection_error(psycopg.errors.AdminShutdown("no")))


def test_all_connections_are_opened_here() -> None:
    """Another way to open one would read texts in the encoding of the database; plans say so where they connect."""
    files = {file.name: file.read_text("utf-8") for file in Path(sfumato.__file__).parent.rglob("*.py")}
    connecting = {name for name, text in files.items() if "psycopg.connect(" in text}
    assert connecting == {"connections.py", "postgres_database.py"}
    assert 'psycopg.connect(connection, client_encoding="UTF8")' in files["postgres_database.py"]
