"""Connections that send and take texts as UTF-8, whatever the encoding of the database is."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

ENCODING = "UTF8"
Row = tuple[Any, ...]


def connect(conninfo: str, **settings: Any) -> psycopg.Connection[Row]:
    """A connection; the server converts texts, and refuses those that cannot be converted.

    Otherwise texts would come in the encoding of the database, and from one without an encoding (SQL_ASCII) as bytes.
    """
    return psycopg.connect(make_conninfo(conninfo, client_encoding=ENCODING), **settings)
