"""Connections that send and take texts as UTF-8, whatever the encoding of the database is."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from sfumato.errors import SfumatoError, UnreachableError
from sfumato.gateway.engines.postgres.error_messages import error_for_state

ENCODING = "UTF8"
Row = tuple[Any, ...]

NOT_DEPLOYED = "the policy is not deployed in this database; run `sfumato gateway deploy`."

_NO_ROLE = r'role "([^"]+)" does not exist'
_TURNED_AWAY = (
    r"authentication failed|no password supplied|no pg_hba\.conf entry|pg_hba\.conf rejects|not permitted to log in"
    r"|permission denied for database"
)
_NOBODY = (
    r"could not translate host name|failed to resolve|Connection refused|No such file or directory|No route to host"
    r"|Network is unreachable|timeout expired|Connection timed out"
)
_REASONS = {
    r'database "([^"]+)" does not exist': "there is no database {}; check dbname in [source].",
    _NO_ROLE: "there is no role {}; check user in [source].",
    _TURNED_AWAY: "the server does not let us in; check the password and pg_hba.conf.",
    r"connection info string|invalid connection option|definition of service|service file": (
        "how to connect cannot be read; check [source] and the service file."
    ),
    _NOBODY: "nothing answers at that host; check host and port in [source], and whether PostgreSQL runs.",
}


def connect(conninfo: str, **settings: Any) -> psycopg.Connection[Row]:
    """A connection; the server converts texts, and refuses those that cannot be converted.

    Otherwise texts would come in the encoding of the database, and from one without an encoding (SQL_ASCII) as bytes.
    """
    return psycopg.connect(make_conninfo(conninfo, client_encoding=ENCODING), **settings)


def connection_error(error: psycopg.Error, *, as_deployed: bool = False) -> SfumatoError:
    """The error to raise where a connection cannot be made; the server tells why in its text alone.

    What libpq and the server say of a connection is looked at for words, and of it only the name of a database or role
    repeated. In a language that is not understood here, nothing is made of it. `as_deployed` is for roles that `deploy`
    makes: one that is not there was not deployed.

    >>> connection_error(psycopg.OperationalError('FATAL: database "shp" does not exist'))
    UnreachableError("the database cannot be reached: there is no database 'shp'; check dbname in [source].")
    """
    said = str(error)
    words = None if error.sqlstate else next((one for one in _REASONS if re.search(one, said)), None)
    if words is None:
        return error_for_state(error.sqlstate or "08001")
    if words == _NO_ROLE and as_deployed:
        return UnreachableError(NOT_DEPLOYED)
    found = re.search(words, said)
    reason = _REASONS[words].format(*map(repr, found.groups() if found else ()))
    return UnreachableError(f"the database cannot be reached: {reason}", turned_away=words == _TURNED_AWAY)
