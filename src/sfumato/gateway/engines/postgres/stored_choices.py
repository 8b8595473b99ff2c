"""Stores the choices of data subjects beside their values in the owner's table, and reads the history of choices.

The columns, triggers and the history table are created by a deployment (`deployment/choices.py`,
`deployment/choice_history.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import psycopg
from psycopg.sql import SQL, Composed

from sfumato.errors import PolicyError, StatementError
from sfumato.gateway.engines.postgres.connections import Row, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.choice_history import ENTERED_BY, HISTORY, LOGIN
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name, trusted_sql
from sfumato.gateway.engines.postgres.table_catalogue import column_types
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord

if TYPE_CHECKING:
    import pyarrow as pa

_LOGGER = logging.getLogger(__name__)

_SET_ENTERED_BY = "SELECT set_config(%s, %s, true), set_config(%s, %s, true)"
_VALUE_ERRORS = ("22", "23")
"""SQLSTATE classes for a value that does not fit its type or violates a constraint."""
_UNKNOWN_RELATION = "42P01"


def store_choices(
    owner: str, table: str, key: str, choices: Sequence[pa.Table], entered: ChoiceAuthor | None = None
) -> None:
    """Store choices in one transaction; every table of `choices` has the key and one column of choice numbers.

    Triggers write the history; a transaction setting tells them who entered the choices. A caller who may enter choices
    must not learn who is in the table. So keys are checked before the table is read, and choices for a person who is
    not in the table are accepted like others; they cannot be stored, which only the server's log says. The owner, who
    enters choices with a login on the machine, gets an error instead, and nothing is stored.
    """
    entry, keys_checked = entered or ChoiceAuthor(), False
    try:
        with connect(owner) as connection:
            types = column_types(connection, table)
            for rows in choices:
                if (name := _column_of(rows, key)) not in types:
                    raise PolicyError(f"table {table!r} keeps no choices in {name!r} yet; deploy the policy first.")
            for rows in choices:
                _check_keys(connection, table, types[key], _keys_of(rows, key))
            keys_checked = True
            connection.execute(_SET_ENTERED_BY, [ENTERED_BY, entry.by, LOGIN, entry.login])
            missing = 0
            for rows in choices:
                name, keys = _column_of(rows, key), _keys_of(rows, key)
                column = ChoiceColumn(table=table, key=key, column=name.removesuffix(".choice"))
                found = connection.execute(_update(column, types[key]), [keys, rows.column(name).to_pylist()])
                if entry.login and found.rowcount != len(keys):
                    raise StatementError(f"choices for {table!r} have a key that is not in the table, or twice.")
                # Nobody learns the number except the operator, from the
                # log: it would say whether a person is in the table.
                missing += max(0, len(keys) - found.rowcount)
            if missing:
                _LOGGER.warning(
                    "%d choices for %r have keys that are not in the table, and were not stored.", missing, table
                )
            return
    except psycopg.Error as error:
        failure = connection_error(error)
        is_value_error = (error.sqlstate or "").startswith(_VALUE_ERRORS) or isinstance(error, psycopg.DataError)
        if is_value_error and not keys_checked:  # up to this point the only values are keys
            failure = _keys_differ(table)
    raise failure  # outside the except block, so that the server's message is not its context


def choice_history(owner: str, prefix: str, table: str, key: str) -> list[ChoiceRecord]:
    """The choices of the person with a key over time, the oldest first."""
    query = SQL(
        "SELECT chosen_at, column_name, coalesce(choice, ''), entered_by, login FROM {} "
        "WHERE table_name = %s AND key = %s ORDER BY number"
    ).format(quoted_name(prefix, HISTORY))
    try:
        with connect(owner) as connection:
            return [ChoiceRecord(*row) for row in connection.execute(query, [table, key])]
    except psycopg.Error as error:
        failure = connection_error(error)
        if error.sqlstate == _UNKNOWN_RELATION:
            failure = PolicyError(f"{prefix!r} keeps no history of choices yet; deploy the policy first.")
    raise failure  # outside the except block, so that the server's message is not its context


def _column_of(rows: pa.Table, key: str) -> str:
    """The choice column of a table of choices."""
    (name,) = (str(name) for name in rows.column_names if name != key)
    return name


def _keys_of(rows: pa.Table, key: str) -> list[str]:
    """The keys of a table of choices, as text."""
    return [str(one) for one in rows.column(key).to_pylist()]


def _check_keys(connection: psycopg.Connection[Row], table: str, kind: str, keys: Sequence[str]) -> None:
    """Refuse keys that the type cannot hold or writes differently, and keys that occur twice.

    It does not read the table, so the result is the same whoever is in it.
    """
    query = SQL(
        "SELECT count(*) FILTER (WHERE CAST(key AS {kind})::text IS DISTINCT FROM key), "
        "count(*) - count(DISTINCT CAST(key AS {kind})) FROM unnest(%s::text[]) AS g(key)"
    ).format(kind=trusted_sql(kind))
    ((differing, repeated),) = connection.execute(query, [list(keys)]).fetchall()
    if differing:
        raise _keys_differ(table)
    if repeated:
        raise StatementError(f"choices for {table!r} have a key twice.")


def _keys_differ(table: str) -> StatementError:
    return StatementError(f"choices for {table!r} have keys in another format than the table.")


def _update(column: ChoiceColumn, kind: str) -> Composed:
    """Keys are cast to the type of the column, so that an index on it is used; 0 means no choice."""
    return SQL(
        "UPDATE {table} AS t SET {name} = NULLIF(c.place, 0) "
        "FROM (SELECT CAST(key AS {kind}) AS key, key AS given, place "
        "FROM unnest(%s::text[], %s::smallint[]) AS g(key, place)) AS c "
        "WHERE t.{key} = c.key AND c.key::text = c.given"
    ).format(
        table=quoted_name(column.schema, column.table),
        name=quoted_name(column.name),
        kind=trusted_sql(kind),
        key=quoted_name(column.key),
    )
