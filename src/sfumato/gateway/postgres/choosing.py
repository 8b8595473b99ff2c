"""Takes in what people chose, beside their values in the owner's table, and tells what they chose before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import psycopg
from psycopg.sql import SQL, Composed

from sfumato.errors import PolicyError, StatementError
from sfumato.gateway.choosing import ChoiceMade, Entered
from sfumato.gateway.postgres.choice_history import ENTERED_BY, HISTORY, LOGIN
from sfumato.gateway.postgres.choices import ChoiceColumn
from sfumato.gateway.postgres.connections import connect
from sfumato.gateway.postgres.shapes import column_types
from sfumato.gateway.postgres.statements import named, trusted
from sfumato.gateway.postgres.unreachable import unreachable

if TYPE_CHECKING:
    import pyarrow as pa


_SAID = "SELECT set_config(%s, %s, true), set_config(%s, %s, true)"
_UNKNOWN_RELATION = "42P01"


def choose(owner: str, table: str, key: str, choices: Sequence[pa.Table], entered: Entered | None = None) -> None:
    """Every table has the key and one column of places; all of them are kept or none.

    Triggers keep the history; who enters the choices is said to them in a setting of the transaction.
    """
    said = entered or Entered()
    try:
        with connect(owner) as connection:
            types = column_types(connection, table, "public")
            connection.execute(_SAID, [ENTERED_BY, said.by, LOGIN, said.login])
            for rows in choices:
                (name,) = (name for name in rows.column_names if name != key)
                if name not in types:
                    raise PolicyError(f"table {table!r} keeps no choices in {name!r} yet; deploy the policy first.")
                column = ChoiceColumn(table=table, key=key, column=name.removesuffix(".choice"))
                keys = [str(one) for one in rows.column(key).to_pylist()]
                found = connection.execute(_update(column, types[key]), [keys, rows.column(name).to_pylist()])
                if found.rowcount != len(keys):
                    raise StatementError(f"choices for {table!r} name somebody who is not there, or twice.")
            return
    except psycopg.Error as error:
        failure = unreachable(error)
        if (error.sqlstate or "").startswith("22") or isinstance(error, psycopg.DataError):
            # of a value, and the values here are keys
            failure = StatementError(f"choices for {table!r} name keys in another way than the table does.")
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
