"""Reads columns, types, constraints and keys of tables from the catalogue of PostgreSQL."""

from __future__ import annotations

import psycopg

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.postgres.connections import Row, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.statements import OWNER_SCHEMA, quoted_name

_REQUIRED = """
SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped AND attnotnull
"""

_WHOLE = "SELECT relkind = 'p' OR relkind = 'r' AND NOT relhassubclass FROM pg_class WHERE oid = to_regclass(%s)"
"""Whether a table's rows are all its own. Constraints of a table need not hold for tables that inherit from it, nor for
foreign tables."""

_KEYS = """
SELECT array_agg(attname::text ORDER BY place) FROM pg_index
CROSS JOIN LATERAL unnest(indkey::int2[]) WITH ORDINALITY AS part(number, place)
JOIN pg_attribute ON attrelid = indrelid AND attnum = number
WHERE indrelid = to_regclass(%s) AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL
AND indexprs IS NULL AND place <= indnkeyatts
GROUP BY indexrelid, indisprimary ORDER BY indisprimary DESC, indexrelid
"""

_DISTINCT = """
WITH RECURSIVE parts AS (
SELECT to_regclass(%s)::oid AS part
UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = part
)
SELECT DISTINCT attname FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid
JOIN pg_depend ON (classid, objid)
IN (('pg_class'::regclass, indexrelid), ('pg_constraint'::regclass, pg_constraint.oid))
JOIN pg_attribute ON attrelid = indrelid AND attnum = refobjsubid
WHERE indrelid IN (SELECT part FROM parts) AND (indisunique OR indisexclusion)
AND refobjid = indrelid AND refobjsubid > 0
"""

_TYPES = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""

_TABLES = """
SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE relkind IN ('r', 'v', 'm', 'p', 'f') AND nspname = %s
"""


def column_types(
    connection: psycopg.Connection[Row], table: str, schema: str = OWNER_SCHEMA, *, hint: bool = False
) -> dict[str, str]:
    """The columns of a table and the PostgreSQL names of their types.

    With `hint`, the error for a missing table suggests names of other tables, which not every caller may learn.
    """
    name = quoted_name(schema, table).as_string()
    types: dict[str, str] = dict(connection.execute(_TYPES, [name]).fetchall())
    if not types:
        sentence = f"the database has no table {table!r}, or it has no columns"
        known = [row[0] for row in connection.execute(_TABLES, [schema]).fetchall()] if hint else []
        raise PolicyError(f"{sentence}; {nearest(table, known)}" if known else f"{sentence}.")
    return types


def constraints_of(owner: str, table: str) -> Constraints:
    """The constraints that PostgreSQL enforces on one of the owner's tables."""
    try:
        with connect(owner) as connection:
            whole, required, keys, distinct = (
                connection.execute(one, [quoted_name(OWNER_SCHEMA, table).as_string()]).fetchall()
                for one in (_WHOLE, _REQUIRED, _KEYS, _DISTINCT)
            )
        kept = frozenset(name for (name,) in distinct)
        # Rows of inheriting tables are not bound by keys and NOT NULL of this
        # table, so only `distinct`, which makes refusals stricter, is kept.
        if not whole or not whole[0][0]:
            return Constraints(distinct=kept)
        return Constraints(frozenset(name for (name,) in required), tuple(tuple(names) for (names,) in keys), kept)
    except psycopg.Error as error:
        failure = connection_error(error)
    raise failure  # outside the except block, so that the server's message is not its context
