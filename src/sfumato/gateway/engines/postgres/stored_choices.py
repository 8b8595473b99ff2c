"""Takes in what people chose, beside their values in the owner's table, and tells what they chose before."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import psycopg
from psycopg.sql import SQL, Composed

from sfumato.errors import PolicyError, StatementError
from sfumato.gateway.engines.postgres.connections import Row, connect, unreachable
from sfumato.gateway.engines.postgres.deployment.choice_history import ENTERED_BY, HISTORY, LOGIN
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.statements import named, trusted
from sfumato.gateway.engines.postgres.shapes import column_types
from sfumato.gateway.people.choosing import ChoiceMade, Entered

if TYPE_CHECKING:
    import pyarrow as pa

_LOGGER = logging.getLogger(__name__)

_SAID = "SELECT set_config(%s, %s, true), set_config(%s, %s, true)"
_OF_A_VALUE = ("22", "23")
"""A value that a type does not have, or that a domain forbids."""
_UNKNOWN_RELATION = "42P01"


def choose(owner: str, table: str, key: str, choices: Sequence[pa.Table], entered: Entered | None = None) -> None:
    """Every table has the key and one column of places; what cannot be kept at all changes nothing.

    Triggers keep the history; who enters the choices is said to them in a setting of the transaction. Somebody who may
    choose need not know who is in the table: keys are looked over before the table is, and choices of somebody who is
    not there are taken like others. They have no place to be kept, which only the server's own log tells. The owner,
    who enters choices with a login on the machine, is told, and then nothing is kept.
    """
    said, known = entered or Entered(), False
    try:
        with connect(owner) as connection:
            types = column_types(connection, table, "public")
            for rows in choices:
                if (name := _column_of(rows, key)) not in types:
                    raise PolicyError(f"table {table!r} keeps no choices in {name!r} yet; deploy the policy first.")
            for rows in choices:
                _demand_keys(connection, table, types[key], _keys_of(rows, key))
            known = True
            connection.execute(_SAID, [ENTERED_BY, said.by, LOGIN, said.login])
            missing = 0
            for rows in choices:
                name, keys = _column_of(rows, key), _keys_of(rows, key)
                column = ChoiceColumn(table=table, key=key, column=name.removesuffix(".choice"))
                found = connection.execute(_update(column, types[key]), [keys, rows.column(name).to_pylist()])
                if said.login and found.rowcount != len(keys):
                    raise StatementError(f"choices for {table!r} name somebody who is not there, or twice.")
                missing += max(0, len(keys) - found.rowcount)
            if missing:
                _LOGGER.warning("%d choices for %r are of nobody in the table, and were not kept.", missing, table)
            return
    except psycopg.Error as error:
        failure = unreachable(error)
        of_a_value = (error.sqlstate or "").startswith(_OF_A_VALUE) or isinstance(error, psycopg.DataError)
        if of_a_value and not known:  # and the values here are keys
            failure = _other_keys(table)
    raise failure  # raised out here, so that the engine's own words do not hang on it


def history(owner: str, home: str, table: str, key: str) -> list[ChoiceMade]:
    """What the person with a key chose when, the oldest first."""
    asked = SQL(
        "SELECT chosen_at, column_name, coalesce(choice, ''), entered_by, login FROM {} "
        "WHERE table_name = %s AND key = %s ORDER BY number"
    ).format(named(home, HISTORY))
    try:
        with psycopg.connect(owner) as connection:
            return [ChoiceMade(*row) for row in connection.execute(asked, [table, key])]
    except psycopg.Error as error:
        failure = unreachable(error)
        if error.sqlstate == _UNKNOWN_RELATION:
            failure = PolicyError(f"{home!r} keeps no history of choices yet; deploy the policy first.")
    raise failure  # raised out here, so that the engine's own words do not hang on it


def _column_of(rows: pa.Table, key: str) -> str:
    (name,) = (str(name) for name in rows.column_names if name != key)
    return name


def _keys_of(rows: pa.Table, key: str) -> list[str]:
    return [str(one) for one in rows.column(key).to_pylist()]


def _demand_keys(connection: psycopg.Connection[Row], table: str, kind: str, keys: Sequence[str]) -> None:
    """Refuses keys that the type of the column does not have, or writes in another way, and one that comes twice.

    It does not look at the table, so that what it says is the same whoever is in it.
    """
    asked = SQL(
        "SELECT count(*) FILTER (WHERE CAST(key AS {kind})::text IS DISTINCT FROM key), "
        "count(*) - count(DISTINCT CAST(key AS {kind})) FROM unnest(%s::text[]) AS g(key)"
    ).format(kind=trusted(kind))
    ((others, again),) = connection.execute(asked, [list(keys)]).fetchall()
    if others:
        raise _other_keys(table)
    if again:
        raise StatementError(f"choices for {table!r} name somebody twice.")


def _other_keys(table: str) -> StatementError:
    return StatementError(f"choices for {table!r} name keys in another way than the table does.")


def _update(column: ChoiceColumn, kind: str) -> Composed:
    """The keys are turned into the type of the column, or no index would find them; 0 is no choice."""
    return SQL(
        "UPDATE {table} AS t SET {name} = NULLIF(c.place, 0) "
        "FROM (SELECT CAST(key AS {kind}) AS key, key AS given, place "
        "FROM unnest(%s::text[], %s::smallint[]) AS g(key, place)) AS c "
        "WHERE t.{key} = c.key AND c.key::text = c.given"
    ).format(
        table=named(column.schema, column.table), name=named(column.name), kind=trusted(kind), key=named(column.key)
    )
