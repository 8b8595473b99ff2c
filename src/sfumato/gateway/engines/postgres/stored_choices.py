"""Takes in what people chose, beside their values in the owner's table, and tells what they chose before."""

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
from sfumato.gateway.engines.postgres.shapes import column_types
from sfumato.gateway.people.choosing import ChoiceMade, Entered

if TYPE_CHECKING:
    import pyarrow as pa

_LOGGER = logging.getLogger(__name__)

_SET_ENTERED_BY = "SELECT set_config(%s, %s, true), set_config(%s, %s, true)"
_VALUE_ERRORS = ("22", "23")
"""A value that a type does not have, or that a domain forbids."""
_UNKNOWN_RELATION = "42P01"


def store_choices(
    owner: str, table: str, key: str, choices: Sequence[pa.Table], entered: Entered | None = None
) -> None:
    """Every table has the key and one column of places; what cannot be kept at all changes nothing.

    Triggers keep the history; who enters the choices is said to them in a setting of the transaction. Somebody who may
    choose need not know who is in the table: keys are looked over before the table is, and choices of somebody who is
    not there are taken like others. They have no place to be kept, which only the server's own log tells. The owner,
    who enters choices with a login on the machine, is told, and then nothing is kept.
    """
    entry, keys_checked = entered or Entered(), False
    try:
        with connect(owner) as connection:
            types = column_types(connection, table, "public")
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
                    raise StatementError(f"choices for {table!r} name somebody who is not there, or twice.")
                missing += max(0, len(keys) - found.rowcount)
            if missing:
                _LOGGER.warning("%d choices for %r are of nobody in the table, and were not kept.", missing, table)
            return
    except psycopg.Error as error:
        failure = connection_error(error)
        is_value_error = (error.sqlstate or "").startswith(_VALUE_ERRORS) or isinstance(error, psycopg.DataError)
        if is_value_error and not keys_checked:  # and the values here are keys
            failure = _keys_differ(table)
    raise failure  # raised out here, so that the engine's own words do not hang on it


def choice_history(owner: str, home: str, table: str, key: str) -> list[ChoiceMade]:
    """What the person with a key chose when, the oldest first."""
    query = SQL(
        "SELECT chosen_at, column_name, coalesce(choice, ''), entered_by, login FROM {} "
        "WHERE table_name = %s AND key = %s ORDER BY number"
    ).format(quoted_name(home, HISTORY))
    try:
        with psycopg.connect(owner) as connection:
            return [ChoiceMade(*row) for row in connection.execute(query, [table, key])]
    except psycopg.Error as error:
        failure = connection_error(error)
        if error.sqlstate == _UNKNOWN_RELATION:
            failure = PolicyError(f"{home!r} keeps no history of choices yet; deploy the policy first.")
    raise failure  # raised out here, so that the engine's own words do not hang on it


def _column_of(rows: pa.Table, key: str) -> str:
    (name,) = (str(name) for name in rows.column_names if name != key)
    return name


def _keys_of(rows: pa.Table, key: str) -> list[str]:
    return [str(one) for one in rows.column(key).to_pylist()]


def _check_keys(connection: psycopg.Connection[Row], table: str, kind: str, keys: Sequence[str]) -> None:
    """Refuses keys that the type of the column does not have, or writes in another way, and one that comes twice.

    It does not look at the table, so that what it says is the same whoever is in it.
    """
    query = SQL(
        "SELECT count(*) FILTER (WHERE CAST(key AS {kind})::text IS DISTINCT FROM key), "
        "count(*) - count(DISTINCT CAST(key AS {kind})) FROM unnest(%s::text[]) AS g(key)"
    ).format(kind=trusted_sql(kind))
    ((differing, repeated),) = connection.execute(query, [list(keys)]).fetchall()
    if differing:
        raise _keys_differ(table)
    if repeated:
        raise StatementError(f"choices for {table!r} name somebody twice.")


def _keys_differ(table: str) -> StatementError:
    return StatementError(f"choices for {table!r} name keys in another way than the table does.")


def _update(column: ChoiceColumn, kind: str) -> Composed:
    """The keys are turned into the type of the column, or no index would find them; 0 is no choice."""
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
