"""Opening connections to PostgreSQL, and the error to raise when one cannot be opened.

All connections exchange text as UTF-8, whatever the encoding of the database is.
"""

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
"""The message for queries on a database in which the policy is not deployed."""

_NO_ROLE = r'role "([^"]+)" does not exist'
_LOGIN_REFUSED = (
    r"authentication failed|no password supplied|no pg_hba\.conf entry|pg_hba\.conf rejects|not permitted to log in"
    r"|permission denied for database"
)
_NO_SERVER = (
    r"could not translate host name|failed to resolve|Connection refused|No such file or directory|No route to host"
    r"|Network is unreachable|timeout expired|Connection timed out"
)
_REASONS = {
    r'database "([^"]+)" does not exist': "there is no database {}; check dbname in [source].",
    _NO_ROLE: "there is no role {}; check user in [source].",
    _LOGIN_REFUSED: "the server refuses the login; check the password and pg_hba.conf.",
    r"connection info string|invalid connection option|definition of service|service file": (
        "the connection settings cannot be read; check [source] and the service file."
    ),
    _NO_SERVER: "no server answers at that host; check host and port in [source], and whether PostgreSQL runs.",
}
"""What libpq or the server says, as a pattern, and the message for it."""


def connect(conninfo: str, **settings: Any) -> psycopg.Connection[Row]:
    """Open a connection whose texts the server converts to UTF-8; it refuses texts that cannot be converted.

    Otherwise texts would arrive in the encoding of the database, and as bytes if it has none (SQL_ASCII).
    """
    return psycopg.connect(make_conninfo(conninfo, client_encoding=ENCODING), **settings)


def connection_error(error: psycopg.Error, *, as_deployed: bool = False) -> SfumatoError:
    """The error to raise when a connection cannot be made.

    The server says the reason only in its text, which is matched against known patterns; of the text, at most the name
    of a database or of a role is repeated. A text in another language matches nothing and gives the general error. With
    `as_deployed`, for roles that `deploy` creates, a missing role means that the policy is not deployed.

    >>> connection_error(psycopg.OperationalError('FATAL: database "shp" does not exist'))
    UnreachableError("the database cannot be reached: there is no database 'shp'; check dbname in [source].")
    """
    message = str(error)
    # An error with an SQLSTATE comes from a server that answered; without one, only the text tells what failed.
    pattern = None if error.sqlstate else next((one for one in _REASONS if re.search(one, message)), None)
    if pattern is None:
        return error_for_state(error.sqlstate or "08001")
    if pattern == _NO_ROLE and as_deployed:
        return UnreachableError(NOT_DEPLOYED)
    found = re.search(pattern, message)
    reason = _REASONS[pattern].format(*map(repr, found.groups() if found else ()))
    return UnreachableError(f"the database cannot be reached: {reason}", turned_away=pattern == _LOGIN_REFUSED)
