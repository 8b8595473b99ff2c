"""Connections: texts are UTF-8 on this side, whatever they are on the other."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.gateway.engines.postgres.connections import connect
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
