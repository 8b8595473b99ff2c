"""Reads the state of a database from its catalogue, before a deployment creates or drops anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.sql import SQL
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.connections import Row
from sfumato.gateway.engines.postgres.deployment.catalogue_rights import (
    COUNTER_FUNCTIONS,
    FUNCTION_RIGHTS,
    STORAGE_FUNCTIONS,
)
from sfumato.gateway.engines.postgres.deployment.choice_history import HISTORY
from sfumato.gateway.engines.postgres.deployment.memberships import MEMBER_LOGINS
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import as_sql, quoted_name

ResultColumns = tuple[tuple[str, ...], ...]
"""Name, type and modifier of the columns of a relation or of a query."""

_CURRENT = """
SELECT current_database(), current_user, r.rolsuper, r.rolcreaterole, pg_has_role(d.datdba, 'USAGE'),
    ARRAY(SELECT privilege_type FROM aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) WHERE grantee = 0)
FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user
"""
_SCHEMAS = "SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace"
_ROLES = """
SELECT r.rolname, shobj_description(r.oid, 'pg_authid'), pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION'),
    has_database_privilege(r.oid, d.oid, 'CONNECT'), coalesce(s.setconfig, '{}'), coalesce(e.setconfig, '{}'),
    EXISTS (SELECT FROM pg_largeobject_metadata WHERE lomowner = r.oid), r.rolconnlimit >= 0
FROM pg_roles r JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = d.oid
LEFT JOIN pg_db_role_setting e ON e.setrole = r.oid AND e.setdatabase = 0
"""
_RELATIONS = """
SELECT n.nspname, c.relname, obj_description(c.oid, 'pg_class'),
    ARRAY(SELECT ARRAY[attname::text, atttypid::text, atttypmod::text] FROM pg_attribute
          WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY(%s)
"""
_CHOICES = """
SELECT n.nspname, c.relname, a.attname, d.description FROM pg_description d
JOIN pg_class c ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid
WHERE d.objsubid > 0 AND NOT a.attisdropped ORDER BY 1, 2, 3
"""
_GUARDED_TABLES = """
SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' AND NOT convalidated)
OR EXISTS (
SELECT FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid JOIN pg_namespace f ON f.oid = pronamespace
WHERE tgrelid = c.oid AND NOT tgisinternal AND tgtype & 16 <> 0 AND f.nspname <> %s)
"""
"""Tables with UPDATE triggers that are not the gateway's, or with CHECKs that existing rows may violate."""

_PARTITIONED_TABLES = """
SELECT DISTINCT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'f')
"""
_LOGGING = "SELECT setting = 'all' AND source = 'configuration file' FROM pg_settings WHERE name = 'log_statement'"
_CAN_SET_LOGGING = "SELECT has_parameter_privilege('log_statement', 'SET')"
_PARAMETER_PRIVILEGES_VERSION = 150_000
"""Since this version a role that is no superuser can have the right to set such parameters."""


@dataclass(frozen=True)
class DeployedRole:
    """A role: its ownership comment, whether this user may configure it, whether it may connect, and its settings.

    `settings` apply in this database, `settings_everywhere` in all. `owns_large_objects`: any login can create them,
    and they keep a role from being dropped. `has_connection_limit`: the number of its sessions is limited.
    """

    ownership: OwnershipComment | None
    can_configure: bool
    can_connect: bool
    settings: tuple[str, ...]
    settings_everywhere: tuple[str, ...] = ()
    owns_large_objects: bool = False
    has_connection_limit: bool = True


@dataclass(frozen=True)
class DeployedRelation:
    """A view or table in a schema of the deployment."""

    ownership: OwnershipComment | None
    columns: ResultColumns


@dataclass(frozen=True, kw_only=True)
class DeployedState:
    """What a deployment finds: its own objects from an earlier run, objects with the same names, and its own rights.

    `functions` are those of `catalogue_rights`, each with whether PUBLIC may call it. `can_set_logging` says whether
    this user may have the server log what a role runs, `logs_all` whether the server logs everything anyway.
    `partitioned` are tables whose rows are in partitions or inheriting tables. `members` are pairs of a role and a
    login that is a member of it. `guarded` are tables in which an UPDATE of some rows may be refused.
    """

    prefix: str
    database: str
    user: str
    superuser: bool
    can_create_roles: bool
    owns_database: bool
    public_rights: frozenset[str]
    schemas: Mapping[str, OwnershipComment | None]
    roles: Mapping[str, DeployedRole]
    relations: Mapping[tuple[str, str], DeployedRelation]
    choices: tuple[tuple[str, str, str], ...]
    choice_names: tuple[tuple[str, ...], ...]
    functions: Mapping[str, bool]
    can_set_logging: bool
    logs_all: bool
    encoding: str
    partitioned: frozenset[str] = frozenset()
    members: tuple[tuple[str, str], ...] = ()
    has_history: bool = False
    guarded: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def read(cls, connection: Connection[Row], prefix: str) -> DeployedState:
        """Read the database; what was commented by another deployment counts as foreign."""
        database, user, superuser, can_create, owns, public_rights = connection.execute(_CURRENT).fetchall()[0]
        schemas = {name: _own_comment(comment, prefix) for name, comment in connection.execute(_SCHEMAS)}
        ours = [name for name, ownership in schemas.items() if ownership is not None]
        relations = connection.execute(_RELATIONS, [ours])
        chosen = [
            (row[:3], ownership)
            for row in connection.execute(_CHOICES)
            if (ownership := _choice_comment(row[3], prefix))
        ]
        return cls(
            prefix=prefix,
            database=database,
            user=user,
            superuser=superuser,
            can_create_roles=superuser or can_create,
            owns_database=superuser or owns,
            public_rights=frozenset(public_rights),
            schemas=schemas,
            roles={row[0]: _role(row, prefix, database, superuser) for row in connection.execute(_ROLES)},
            relations={
                (schema, name): DeployedRelation(_own_comment(comment, prefix), tuple(map(tuple, columns)))
                for schema, name, comment, columns in relations
            },
            choices=tuple(place for place, _ in chosen),
            choice_names=tuple(tuple(ownership.facts.get("choices", ())) for _, ownership in chosen),
            functions=dict(connection.execute(FUNCTION_RIGHTS, [[*STORAGE_FUNCTIONS, *COUNTER_FUNCTIONS]]).fetchall()),
            can_set_logging=superuser or _can_set_logging(connection),
            logs_all=connection.execute(_LOGGING).fetchall() == [(True,)],
            encoding=connection.execute("SHOW server_encoding").fetchall()[0][0],
            partitioned=frozenset(name for (name,) in connection.execute(_PARTITIONED_TABLES)),
            members=tuple((role, member) for role, member in connection.execute(MEMBER_LOGINS)),
            has_history=_has_history(connection, prefix) if prefix in ours else False,
            guarded=frozenset((schema, table) for schema, table in connection.execute(_GUARDED_TABLES, [prefix])),
        )

    @property
    def record(self) -> Mapping[str, Any]:
        """What an earlier deployment recorded about the state it found; empty if there was none."""
        ownership = self.schemas.get(self.prefix)
        return {} if ownership is None else ownership.facts

    @property
    def revoked_functions(self) -> list[str]:
        """Functions that an earlier deployment revoked from PUBLIC, as the catalogue writes them."""
        return [name for name in self.functions if name in self.record.get("functions", ())]

    def logs(self, role: str) -> bool:
        """Whether the server logs everything that a role runs."""
        there = self.roles.get(role)
        own = () if there is None else (*there.settings, *there.settings_everywhere)
        return self.logs_all or "log_statement=all" in own

    @property
    def own_schemas(self) -> list[str]:
        """Schemas of purposes, the flat ones first, because they depend on the others."""
        # False sorts before True, so flat schemas come first.
        made = [(ownership.part != "flat", name) for name, ownership in self.schemas.items() if ownership is not None]
        return [name for _, name in sorted(made) if name != self.prefix]

    def own_views(self, schema: str) -> list[str]:
        """Views in a schema that the deployment created."""
        relations = self.relations.items()
        return sorted(
            name for (where, name), relation in relations if where == schema and relation.ownership is not None
        )

    def demand_free_schema(self, schema: str) -> None:
        """Refuse a schema that exists and that this deployment did not create."""
        if schema in self.schemas and self.schemas[schema] is None:
            raise PolicyError(
                f"schema {schema!r} exists already and was not created by this deployment; "
                "choose another name for it, or remove it first."
            )

    def demand_own_view(self, schema: str, view: str) -> None:
        """Refuse a view name in an own schema that a foreign object has."""
        relation = self.relations.get((schema, view))
        if relation is not None and relation.ownership is None:
            raise PolicyError(f"{schema!r} has a {view!r} that was not created by this deployment; move it elsewhere.")


def result_columns(connection: psycopg.Connection[Row], select: exp.Select) -> ResultColumns | None:
    """The columns that a query would return; None if it names something that does not exist yet."""
    try:
        # A savepoint: a query that names something unknown would otherwise abort the whole deployment.
        with connection.transaction():
            result = connection.execute(as_sql(select.copy().limit(0))).pgresult
    except psycopg.ProgrammingError:
        return None
    if result is None:
        return None
    names = [(result.fname(place) or b"").decode() for place in range(result.nfields)]
    return tuple((name, str(result.ftype(place)), str(result.fmod(place))) for place, name in enumerate(names))


def _has_history(connection: Connection[Row], prefix: str) -> bool:
    """Whether any choice was ever recorded."""
    history = quoted_name(prefix, HISTORY)
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [history.as_string()]).fetchall()[0][0]
    query = SQL("SELECT EXISTS (SELECT FROM {})").format(history)
    return bool(there and connection.execute(query).fetchall()[0][0])


def _role(row: Row, prefix: str, database: str, superuser: bool) -> DeployedRole:
    """A role from a row of the catalogue; a comment of another database's deployment does not count."""
    ownership = _own_comment(row[1], prefix)
    if ownership is not None and ownership.facts.get("database") != database:
        ownership = None  # a role exists in every database, but belongs to the deployment that created it
    return DeployedRole(ownership, superuser or row[2], row[3], tuple(row[4]), tuple(row[5]), row[6], row[7])


def _can_set_logging(connection: Connection[Row]) -> bool:
    """Whether this user may set log_statement for roles."""
    if connection.info.server_version < _PARAMETER_PRIVILEGES_VERSION:
        return False
    return bool(connection.execute(_CAN_SET_LOGGING).fetchall()[0][0])


def _own_comment(comment: str | None, prefix: str) -> OwnershipComment | None:
    """The ownership comment, if it belongs to the deployment with this prefix."""
    ownership = OwnershipComment.read(comment)
    return ownership if ownership is not None and ownership.prefix == prefix else None


def _choice_comment(comment: str, prefix: str) -> OwnershipComment | None:
    """The ownership comment of a choice column."""
    ownership = _own_comment(comment, prefix)
    return ownership if ownership is not None and ownership.part == "choice" else None
