"""SQL statements that create and drop what a deployment consists of. Names are always quoted, values always escaped.

`deployment.py`, `removal.py` and the modules for choices compose them; `transactions.py` runs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, LiteralString

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST_NAME = 63
OWNER_SCHEMA = "public"
"""The schema of the owner's tables; they are never looked up on the owner's search path, which may lead elsewhere."""

PUBLIC_RIGHTS: tuple[LiteralString, ...] = ("CREATE", "TEMPORARY")
"""Rights on the database that PUBLIC may have and that the gateway's roles must not have."""


def quoted_name(*parts: str) -> Identifier:
    """A quoted name of at most 63 bytes; PostgreSQL would silently truncate a longer one.

    >>> quoted_name("Marketing", "the customers").as_string()
    '"Marketing"."the customers"'
    """
    for part in parts:
        written = part.encode("utf-8", "ignore")
        if not 0 < len(written) <= LONGEST_NAME or "\0" in part or written.decode() != part:
            raise PolicyError(f"{part!r} cannot be a name in PostgreSQL; a name has 1 to {LONGEST_NAME} bytes.")
    return Identifier(*parts)


def as_sql(expression: exp.Expression) -> SQL:
    """An expression built by sqlglot, as part of a statement."""
    return trusted_sql(expression.sql("postgres"))


def trusted_sql(text: str) -> SQL:
    """Text that comes from the database's own catalogue, such as the name of a type."""
    return SQL(text)  # type: ignore[arg-type, unused-ignore]  # type checkers do not agree on whether this is an error


def script_of(statements: Iterable[Composable]) -> str:
    r"""Statements as the text of a script.

    >>> script_of([SQL("BEGIN"), SQL("COMMIT")])
    'BEGIN;\nCOMMIT;'
    """
    return "\n".join(f"{statement.as_string()};" for statement in statements)


def create_schema(name: str, ownership: OwnershipComment) -> list[Composable]:
    """A schema that only its owner can use."""
    schema = quoted_name(name)
    return [
        SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema),
        SQL("REVOKE ALL ON SCHEMA {} FROM PUBLIC").format(schema),
        SQL("COMMENT ON SCHEMA {} IS {}").format(schema, Literal(ownership.text)),
    ]


def create_view(schema: str, view: str, select: exp.Select, ownership: OwnershipComment) -> list[Composable]:
    """A view with a security barrier: functions in a query are not evaluated on rows that the view filters out."""
    name = quoted_name(schema, view)
    return [
        SQL("CREATE OR REPLACE VIEW {} WITH (security_barrier = true) AS {}").format(name, as_sql(select)),
        SQL("COMMENT ON VIEW {} IS {}").format(name, Literal(ownership.text)),
        SQL("REVOKE ALL ON {} FROM PUBLIC").format(name),
    ]


def drop_view(schema: str, view: str) -> Composed:
    """Drop a view; fails if an object that the gateway did not create depends on it."""
    return SQL("DROP VIEW IF EXISTS {}").format(quoted_name(schema, view))


def drop_schema(name: str) -> Composed:
    """Drop a schema; fails if it holds an object that the gateway did not create."""
    return SQL("DROP SCHEMA IF EXISTS {}").format(quoted_name(name))


def create_role(role: str, connections: int | None = None) -> Composed:
    """A role that may log in, at most `connections` times at once, and has no other privilege."""
    limit = SQL("") if connections is None else SQL(" CONNECTION LIMIT {}").format(Literal(connections))
    return SQL("CREATE ROLE {} LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS{}").format(
        quoted_name(role), limit
    )


def comment_on_role(role: str, ownership: OwnershipComment) -> Composed:
    """Comment on a role; roles belong to the whole server, so it says which database and deployment the role is for."""
    return SQL("COMMENT ON ROLE {} IS {}").format(quoted_name(role), Literal(ownership.text))


def drop_large_objects_of(role: str) -> list[Composable]:
    """Drop the large objects of a role. Any login can create them, and a role that owns some cannot be dropped."""
    unlinked = "SELECT lo_unlink(oid) FROM pg_largeobject_metadata WHERE lomowner = (SELECT oid FROM pg_roles WHERE "
    return [
        SQL("GRANT {} TO CURRENT_USER").format(quoted_name(role)),
        SQL(unlinked + "rolname = {})").format(Literal(role)),
    ]


def grant_read(role: str, schema: str, views: Iterable[str]) -> list[Composable]:
    """Grant a role SELECT on these views, which is all that it may do."""
    reads = [SQL("GRANT SELECT ON {} TO {}").format(quoted_name(schema, view), quoted_name(role)) for view in views]
    return [SQL("GRANT USAGE ON SCHEMA {} TO {}").format(quoted_name(schema), quoted_name(role)), *reads]


def revoke_read(roles: Sequence[str], schema: str) -> list[Composable]:
    """Revoke everything in a schema from roles."""
    if not roles:
        return []
    every = SQL(", ").join([quoted_name(role) for role in roles])
    return [
        SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(quoted_name(schema), every),
        SQL("REVOKE ALL ON SCHEMA {} FROM {}").format(quoted_name(schema), every),
    ]


def session_settings(schemas: Iterable[str], seconds: Mapping[str, float]) -> dict[str, Composable]:
    """Settings that a session of the gateway's role starts with.

    Temporary objects come last on the search path, so that none can shadow a masked relation.
    """
    path = SQL(", ").join(quoted_name(schema) for schema in [*schemas, "pg_temp"])
    times = {name: Literal(f"{max(1, round(value * 1000))}ms") for name, value in seconds.items()}
    return {"search_path": path, "default_transaction_read_only": SQL("on"), **times}


def alter_settings(role: str, database: str, settings: Mapping[str, Composable]) -> list[Composable]:
    """Set settings of a role in this database only."""
    start = SQL("ALTER ROLE {} IN DATABASE {}").format(quoted_name(role), quoted_name(database))
    return [SQL("{} SET {} TO {}").format(start, Identifier(name), value) for name, value in settings.items()]


def log_all_statements(role: str, database: str) -> Composable:
    """Have the server log every statement of a role in this database; the role itself cannot change this."""
    return SQL("ALTER ROLE {} IN DATABASE {} SET log_statement TO 'all'").format(
        quoted_name(role), quoted_name(database)
    )


def limit_connections(role: str, most: int) -> Composable:
    """Limit how many sessions a role may have at once."""
    return SQL("ALTER ROLE {} CONNECTION LIMIT {}").format(quoted_name(role), Literal(most))


def restore_settings(role: str, database: str, ours: Iterable[str], before: Iterable[str]) -> list[Composable]:
    """Reset the gateway's settings of a role, and set those again that were set before, given as `name=value`."""
    start, changed = SQL("ALTER ROLE {} IN DATABASE {}").format(quoted_name(role), quoted_name(database)), list(ours)
    made: list[Composable] = [SQL("{} RESET {}").format(start, Identifier(name)) for name in changed]
    for name, _, value in (setting.partition("=") for setting in before):
        if name not in changed:
            continue
        # A stored setting is text in the format of the catalogue, such as a list of quoted names. Setting it for this
        # transaction and copying it with FROM CURRENT avoids parsing and quoting it again.
        made.append(SQL("SELECT set_config({}, {}, true)").format(Literal(name), Literal(value)))
        made.append(SQL("{} SET {} FROM CURRENT").format(start, Identifier(name)))
    return made
