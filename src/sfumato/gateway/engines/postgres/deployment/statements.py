"""Statements that make and remove what a deployment consists of. Names are always quoted, values always escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, LiteralString

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST_NAME = 63
PUBLIC_RIGHTS: tuple[LiteralString, ...] = ("CREATE", "TEMPORARY")
"""What everybody may have a right to in a database, and the gateway's role must not."""


def quoted_name(*parts: str) -> Identifier:
    """A name of at most 63 bytes; PostgreSQL would cut a longer one without a word.

    >>> quoted_name("Marketing", "the customers").as_string()
    '"Marketing"."the customers"'
    """
    for part in parts:
        written = part.encode("utf-8", "ignore")
        if not 0 < len(written) <= LONGEST_NAME or "\0" in part or written.decode() != part:
            raise PolicyError(f"{part!r} cannot be a name in PostgreSQL; a name has 1 to {LONGEST_NAME} bytes.")
    return Identifier(*parts)


def as_sql(expression: exp.Expression) -> SQL:
    """What sqlglot built, as a piece of a statement."""
    return trusted_sql(expression.sql("postgres"))


def trusted_sql(text: str) -> SQL:
    """A piece that the catalogue of the database wrote itself, such as the name of a type."""
    return SQL(text)  # type: ignore[arg-type, unused-ignore]  # whether this is wrong, checkers do not agree


def script_of(statements: Iterable[Composable]) -> str:
    r"""The text of statements, one after the other.

    >>> script_of([SQL("BEGIN"), SQL("COMMIT")])
    'BEGIN;\nCOMMIT;'
    """
    return "\n".join(f"{statement.as_string()};" for statement in statements)


def create_schema(name: str, ownership: OwnershipComment) -> list[Composable]:
    """A schema that nobody but its owner may look into."""
    schema = quoted_name(name)
    return [
        SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema),
        SQL("REVOKE ALL ON SCHEMA {} FROM PUBLIC").format(schema),
        SQL("COMMENT ON SCHEMA {} IS {}").format(schema, Literal(ownership.text)),
    ]


def create_view(schema: str, view: str, select: exp.Select, ownership: OwnershipComment) -> list[Composable]:
    """A view through which no function of a question sees what the view does not show."""
    name = quoted_name(schema, view)
    return [
        SQL("CREATE OR REPLACE VIEW {} WITH (security_barrier = true) AS {}").format(name, as_sql(select)),
        SQL("COMMENT ON VIEW {} IS {}").format(name, Literal(ownership.text)),
        SQL("REVOKE ALL ON {} FROM PUBLIC").format(name),
    ]


def drop_view(schema: str, view: str) -> Composed:
    """Fails where something that we did not make depends on the view."""
    return SQL("DROP VIEW IF EXISTS {}").format(quoted_name(schema, view))


def drop_schema(name: str) -> Composed:
    """Fails where something that we did not make lies in the schema."""
    return SQL("DROP SCHEMA IF EXISTS {}").format(quoted_name(name))


def create_role(role: str, connections: int | None = None) -> Composed:
    """Somebody who may log in and do nothing else, so many times at once."""
    limit = SQL("") if connections is None else SQL(" CONNECTION LIMIT {}").format(Literal(connections))
    return SQL("CREATE ROLE {} LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS{}").format(
        quoted_name(role), limit
    )


def comment_on_role(role: str, ownership: OwnershipComment) -> Composed:
    """A role is seen in every database of a server; the mark says to which deployment it belongs."""
    return SQL("COMMENT ON ROLE {} IS {}").format(quoted_name(role), Literal(ownership.text))


def drop_large_objects_of(role: str) -> list[Composable]:
    """Removes the large objects that a role of ours stored; whoever is let in can, and then cannot be dropped."""
    unlinked = "SELECT lo_unlink(oid) FROM pg_largeobject_metadata WHERE lomowner = (SELECT oid FROM pg_roles WHERE "
    return [
        SQL("GRANT {} TO CURRENT_USER").format(quoted_name(role)),
        SQL(unlinked + "rolname = {})").format(Literal(role)),
    ]


def grant_read(role: str, schema: str, views: Iterable[str]) -> list[Composable]:
    """The role may read these views, which is all it may do."""
    reads = [SQL("GRANT SELECT ON {} TO {}").format(quoted_name(schema, view), quoted_name(role)) for view in views]
    return [SQL("GRANT USAGE ON SCHEMA {} TO {}").format(quoted_name(schema), quoted_name(role)), *reads]


def revoke_read(roles: Sequence[str], schema: str) -> list[Composable]:
    """Takes everything in a schema away from roles."""
    if not roles:
        return []
    every = SQL(", ").join([quoted_name(role) for role in roles])
    return [
        SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(quoted_name(schema), every),
        SQL("REVOKE ALL ON SCHEMA {} FROM {}").format(quoted_name(schema), every),
    ]


def session_settings(schemas: Iterable[str], seconds: Mapping[str, float]) -> dict[str, Composable]:
    """What a session of the gateway's role starts with.

    Temporary things come last on the path, so that nothing can be put in front of a masked relation.
    """
    path = SQL(", ").join(quoted_name(schema) for schema in [*schemas, "pg_temp"])
    times = {name: Literal(f"{max(1, round(value * 1000))}ms") for name, value in seconds.items()}
    return {"search_path": path, "default_transaction_read_only": SQL("on"), **times}


def alter_settings(role: str, database: str, settings: Mapping[str, Composable]) -> list[Composable]:
    """Settings of a role in this database alone."""
    start = SQL("ALTER ROLE {} IN DATABASE {}").format(quoted_name(role), quoted_name(database))
    return [SQL("{} SET {} TO {}").format(start, Identifier(name), value) for name, value in settings.items()]


def log_all_statements(role: str, database: str) -> Composable:
    """The server writes down whatever a role asks in this database; the role cannot change that itself."""
    return SQL("ALTER ROLE {} IN DATABASE {} SET log_statement TO 'all'").format(
        quoted_name(role), quoted_name(database)
    )


def limit_connections(role: str, most: int) -> Composable:
    """Only so many sessions of a role are let in at a time."""
    return SQL("ALTER ROLE {} CONNECTION LIMIT {}").format(quoted_name(role), Literal(most))


def restore_settings(role: str, database: str, ours: Iterable[str], before: Iterable[str]) -> list[Composable]:
    """Takes settings of ours back, and sets again those of them that were set before, as `name=value`."""
    start, changed = SQL("ALTER ROLE {} IN DATABASE {}").format(quoted_name(role), quoted_name(database)), list(ours)
    made: list[Composable] = [SQL("{} RESET {}").format(start, Identifier(name)) for name in changed]
    for name, _, value in (setting.partition("=") for setting in before):
        if name not in changed:
            continue
        made.append(SQL("SELECT set_config({}, {}, true)").format(Literal(name), Literal(value)))
        made.append(SQL("{} SET {} FROM CURRENT").format(start, Identifier(name)))
    return made
