"""Deployment: a schema of masked views for every purpose, and a role that can reach nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import psycopg
from psycopg.sql import SQL, Composable
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.choosing import demand_places
from sfumato.gateway.postgres import choice_history, choices, removal, statements
from sfumato.gateway.postgres.choices import ChoiceColumn
from sfumato.gateway.postgres.flat import flat_select
from sfumato.gateway.postgres.marks import Mark
from sfumato.gateway.postgres.shapes import key_types, shape_of
from sfumato.gateway.postgres.standing import Row, Standing
from sfumato.gateway.postgres.statements import named
from sfumato.gateway.postgres.transactions import Steps, run

Views = Mapping[str, exp.Select]


@dataclass(frozen=True, kw_only=True)
class PurposeSchema:
    """What is deployed for one purpose: masked views in a schema, and the role that reads them.

    `role` is made if it is not there; one that is there is used as it is, and stays when the deployment goes. Purposes
    may share a role, but only a role of its own keeps a purpose from looking at what another one sees. `shown` says for
    views and their ranges how a weaker value is written in the flat relation.
    """

    purpose: str
    schema: str
    role: str
    views: Views
    shown: Mapping[str, Mapping[str, exp.Expression]] = field(default_factory=dict)

    @property
    def flat_schema(self) -> str:
        """Where the flat relations lie."""
        return f"{self.schema}_bi"

    @property
    def flat_views(self) -> Views:
        """The flat relations, by name."""
        return {
            f"{name}_flat": flat_select(
                select.named_selects, exp.table_(name, db=self.schema, quoted=True), self.shown.get(name)
            )
            for name, select in self.views.items()
        }


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """Everything that a policy puts into a PostgreSQL database, as its owner, who need not be a superuser.

    All of it is made in one transaction and marked by comments, which also keep the policy's digest, so that a gateway
    notices when it asks a database that was deployed from another policy. Deploying again changes what has to be
    changed; `undeploy` takes everything back. `home` is a schema of the deployment's own; two policies in one database
    need two homes. Everybody loses the right to make temporary tables in the database, because there is no way to take
    it from one role alone; it comes back when the deployment goes.

    >>> masked = exp.select('"id"', '"income.lo"', '"income.hi"').from_("public.raw")
    >>> marketing = PurposeSchema(purpose="Marketing", schema="marketing", role="asker", views={"customer": masked})
    >>> deployment = Deployment(digest="1f", purposes=(marketing,))
    >>> [name for name, _, _ in deployment.schemas()]
    ['marketing', 'marketing_bi']
    """

    digest: str
    purposes: tuple[PurposeSchema, ...]
    choices: tuple[str, ...] = ()
    choice_columns: tuple[ChoiceColumn, ...] = ()
    home: str = "sfumato"
    flat: bool = True
    statement_seconds: float = 30.0
    lock_seconds: float = 5.0
    idle_seconds: float = 60.0

    def deploy(self, conninfo: str, *, dry: bool = False) -> Steps:
        """Makes the database as this says, or, in a dry run, only says how; a failure changes nothing."""
        return run(conninfo, self.steps, dry=dry)

    def steps(self, connection: psycopg.Connection[Row]) -> Steps:
        """What has to be done in a database as it is now."""
        standing = Standing.read(connection, self.home)
        self._demand(standing)
        made = [
            *self._stale(connection, standing),
            *statements.create_schema(self.home, Mark("home", self.home, self._record(standing))),
            *self._roles(standing),
            *self._database(standing),
            *self._choices(connection, standing),
            *self._purposes(connection, standing),
            *self._settings(standing),
            *self._gone_roles(standing),
        ]
        return Steps(tuple(made), tuple(self._notes(standing)))

    def schemas(self) -> Iterator[tuple[str, PurposeSchema, Views]]:
        """Every schema with views, the masked relations of a purpose before its flat ones."""
        for one in self.purposes:
            yield one.schema, one, one.views
            if self.flat:
                yield one.flat_schema, one, one.flat_views

    @property
    def roles(self) -> list[str]:
        """Everybody who reads masked relations."""
        return list(dict.fromkeys(one.role for one in self.purposes))

    def _demand(self, standing: Standing) -> None:
        wanted = [self.home, *(name for name, _, _ in self.schemas())]
        for name in wanted:
            standing.demand_free(name)
        twice = sorted({name for name in wanted if wanted.count(name) > 1})
        if twice:
            raise PolicyError(f"two schemas would be called {twice[0]!r}; choose other names.")
        for schema, _, views in self.schemas():
            for view in views:
                standing.demand_ours(schema, view)
        for kept in standing.names:
            demand_places(self.choices, kept)
        absent = [role for role in self.roles if role not in standing.roles]
        if absent and not standing.creates_roles:
            raise PolicyError(
                f"there is no role {absent[0]!r}, and {standing.user!r} may not create one; an administrator can: "
                f"{statements.create_role(absent[0], Mark('role', self.home))[0].as_string()};"
            )

    def _record(self, standing: Standing) -> dict[str, Any]:
        """What must be known to take everything back; what an earlier deployment found counts, not what it left."""
        before = standing.record
        known = before.get("roles", {})
        return {
            "digest": self.digest,
            "version": version("sfumato"),
            "public": sorted(before.get("public", standing.public.intersection(statements.PUBLIC_RIGHTS))),
            "roles": {role: known.get(role) or _found(standing, role) for role in self.roles},
        }

    def _stale(self, connection: psycopg.Connection[Row], standing: Standing) -> Iterator[Composable]:
        """Views that are gone or that have other columns now; those that look at them first."""
        wanted = {name: views for name, _, views in self.schemas()}
        remade = {
            (schema, view)
            for schema, _, views in self.schemas()
            for view, select in views.items()
            if not _replaceable(connection, standing, schema, view, select)
        }
        remade |= {(f"{schema}_bi", f"{view}_flat") for schema, view in remade}
        for schema in standing.made_schemas:
            for view in standing.made_views(schema):
                if view not in wanted.get(schema, {}) or (schema, view) in remade:
                    yield statements.drop_view(schema, view)
            if schema not in wanted:
                yield statements.drop_schema(schema)

    def _roles(self, standing: Standing) -> Iterator[Composable]:
        for role in self.roles:
            if role not in standing.roles:
                yield from statements.create_role(role, Mark("role", self.home, {"database": standing.database}))

    def _database(self, standing: Standing) -> Iterator[Composable]:
        if not standing.rules_database:
            return
        database = named(standing.database)
        for right in statements.PUBLIC_RIGHTS:
            if right in standing.public:
                yield SQL("REVOKE {} ON DATABASE {} FROM PUBLIC").format(SQL(right), database)
        for role in self.roles:
            if not _connects(standing, role):
                yield SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, named(role))

    def _choices(self, connection: psycopg.Connection[Row], standing: Standing) -> Iterator[Composable]:
        if not self.choice_columns:
            yield from removal.forget_list(standing) if standing.record else ()
            return
        types = key_types(connection, self.choice_columns, standing.choices)
        for column in self.choice_columns:
            yield from choices.add_column(column, Mark("choice", self.home, {"choices": list(self.choices)}))
        yield from choices.create_list(self.home, self.choice_columns, self.choices, types)
        yield from choice_history.create_history(self.home, self.choice_columns, self.choices, standing.choices)

    def _purposes(self, connection: psycopg.Connection[Row], standing: Standing) -> Iterator[Composable]:
        strangers = [role for role in {*self.roles, *standing.record.get("roles", {})} if role in standing.roles]
        for schema, one, views in self.schemas():
            facts = {"digest": self.digest, "purpose": one.purpose}
            yield from statements.create_schema(
                schema, Mark("purpose" if schema == one.schema else "flat", self.home, facts)
            )
            for view, select in views.items():
                yield from statements.create_view(schema, view, select, Mark("view", self.home))
            for role in sorted({*strangers} - {one.role}):
                yield from statements.let_not_read(role, schema)
            yield from statements.let_read(one.role, schema, views)

    def _settings(self, standing: Standing) -> Iterator[Composable]:
        seconds = {
            "statement_timeout": self.statement_seconds,
            "lock_timeout": self.lock_seconds,
            "idle_in_transaction_session_timeout": self.idle_seconds,
        }
        for role in self.roles:
            own = [one.schema for one in self.purposes if one.role == role]
            if removal.may_set(standing, role):
                settings = statements.settings_of(own if len(own) == 1 else [], seconds)
                yield from statements.set_for(role, standing.database, settings)

    def _gone_roles(self, standing: Standing) -> Iterator[Composable]:
        for role in standing.record.get("roles", {}):
            if role not in self.roles:
                yield from removal.forget_role(standing, role)

    def _notes(self, standing: Standing) -> Iterator[str]:
        if not standing.rules_database and standing.public.intersection(statements.PUBLIC_RIGHTS):
            yield (
                f"the owner of database {standing.database!r} should revoke TEMPORARY and CREATE from PUBLIC: "
                f"{standing.user!r} may not."
            )
        for role in self.roles:
            if not removal.may_set(standing, role):
                yield f"an administrator should set a statement_timeout for {role!r}: {standing.user!r} may not."


def undeploy(conninfo: str, *, home: str = "sfumato", forget_choices: bool = False, dry: bool = False) -> Steps:
    """Takes back everything a deployment made and changed, and nothing else; without one there is nothing to do.

    What people chose stays, unless `forget_choices`: a later deployment finds it again.
    """

    def planned(connection: psycopg.Connection[Row]) -> Steps:
        return removal.steps(Standing.read(connection, home), forget_choices=forget_choices)

    return run(conninfo, planned, dry=dry)


def _found(standing: Standing, role: str) -> dict[str, Any]:
    """What there was of a role before: nothing, or what was set for it."""
    there = standing.roles.get(role)
    return {
        "made": there is None,
        "connect": not _connects(standing, role),
        "settings": [] if there is None else list(there.settings),
    }


def _connects(standing: Standing, role: str) -> bool:
    there = standing.roles.get(role)
    return "CONNECT" in standing.public if there is None else there.connects


def _replaceable(
    connection: psycopg.Connection[Row], standing: Standing, schema: str, view: str, select: exp.Select
) -> bool:
    """Whether a view that is there can take the definition: its columns stay, and others only follow them."""
    there = standing.relations.get((schema, view))
    if there is None:
        return True
    shape = shape_of(connection, select)
    return shape is not None and shape[: len(there.shape)] == there.shape
