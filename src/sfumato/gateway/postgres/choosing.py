"""Takes in what people chose, beside their values in the owner's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import psycopg
from psycopg.sql import SQL, Composed

from sfumato.errors import DataError, PolicyError, StatementError
from sfumato.gateway.postgres.choices import ChoiceColumn
from sfumato.gateway.postgres.connections import connect
from sfumato.gateway.postgres.refusals import refusal
from sfumato.gateway.postgres.shapes import column_types
from sfumato.gateway.postgres.statements import named, trusted

if TYPE_CHECKING:
    import pyarrow as pa


def choose(owner: str, table: str, key: str, choices: Sequence[pa.Table]) -> None:
    """Every table has the key and one column of places; all of them are kept or none."""
    try:
        with connect(owner) as connection:
            types = column_types(connection, table, "public")
            for rows in choices:
                (name,) = (name for name in rows.column_names if name != key)
                if name not in types:
                    raise PolicyError(f"table {table!r} keeps no choices in {name!r} yet; deploy the policy first.")
                column = ChoiceColumn(table=table, key=key, column=name.removesuffix(".choice"))
                keys = [str(one) for one in rows.column(key).to_pylist()]
                found = connection.execute(_update(column, types[key]), [keys, rows.column(name).to_pylist()])
                if found.rowcount != len(keys):
                    raise DataError(f"choices for {table!r} name somebody who is not there, or twice; none was kept.")
            return
    except psycopg.Error as error:
        failure = refusal(error.sqlstate or "08001")
        if (error.sqlstate or "").startswith("22") or isinstance(error, psycopg.DataError):
            # of a value, and the values here are keys
            failure = StatementError(f"choices for {table!r} name keys in another way than the table does.")
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
