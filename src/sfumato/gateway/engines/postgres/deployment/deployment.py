"""Deployment: for every purpose schemas of masked and of flat views, each with a role that can reach nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal

import psycopg
from psycopg.sql import SQL, Composable
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment import catalogue_rights, choice_history, choices, removal, statements
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployed_state import Row, Standing
from sfumato.gateway.engines.postgres.deployment.ownership_comments import Mark
from sfumato.gateway.engines.postgres.deployment.statements import named
from sfumato.gateway.engines.postgres.deployment.transactions import TransactionSteps, create_lock, run
from sfumato.gateway.engines.postgres.shapes import key_types, shape_of
from sfumato.gateway.people.choosing import demand_places

Views = Mapping[str, exp.Select]


@dataclass(frozen=True, kw_only=True)
class PurposeSchema:
    """What is deployed for one purpose: masked views and the gateway's role, flat views and the login of other tools.

    `role` reads the masked views alone, and is the gateway's own. The login of other tools reads `flat_views` alone; it
    is made only if there are any. A role that is there already is used only if its mark says that it is meant for this
    deployment; it is used as it is, and stays when the deployment goes. Purposes may share a role, but only a role of
    its own keeps a purpose from looking at what another one sees.
    """

    purpose: str
    schema: str
    role: str
    views: Views
    flat_views: Views = field(default_factory=dict)

    @property
    def flat_schema(self) -> str:
        """Where the flat views lie."""
        return f"{self.schema}_bi"

    @property
    def tools_role(self) -> str:
        """The login of other tools."""
        return f"{self.role}_bi"


@dataclass(frozen=True, kw_only=True)
class ReadSchema:
    """A schema of views that one role reads."""

    name: str
    part: Literal["purpose", "flat"]
    purpose: str
    role: str
    views: Views


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """Everything that a policy puts into a PostgreSQL database, as its owner, who need not be a superuser.

    All of it is made in one transaction and marked by comments, which also keep the policy's digest, so that a gateway
    notices when it asks a database that was deployed from another policy. Deploying again changes what has to be
    changed; `undeploy` takes everything back. `home` is a schema of the deployment's own; two policies in one database
    need two homes. Everybody loses the right to make temporary tables in the database, because there is no way to take
    it from one role alone; it comes back when the deployment goes. While there are logins of tools, a superuser who
    deploys also takes functions from everybody that store things or count rows. `notes` are said with the steps.

    >>> masked = exp.select('"id"', '"income.lo"', '"income.hi"').from_("public.raw")
    >>> flat = exp.select('"id"', '"income.lo" AS "income_lo"').from_("marketing.customer")
    >>> marketing = PurposeSchema(
    ...     purpose="Marketing", schema="marketing", role="asker", views={"customer": masked},
    ...     flat_views={"customer_flat": flat},
    ... )
    >>> deployment = Deployment(digest="1f", purposes=(marketing,))
    >>> [(schema.name, schema.role) for schema in deployment.schemas()]
    [('marketing', 'asker'), ('marketing_bi', 'asker_bi')]
    """

    digest: str
    purposes: tuple[PurposeSchema, ...]
    choices: tuple[str, ...] = ()
    choice_columns: tuple[ChoiceColumn, ...] = ()
    home: str = "sfumato"
    notes: tuple[str, ...] = ()
    statement_seconds: float = 30.0
    lock_seconds: float = 5.0
    idle_seconds: float = 60.0
    tools_connections: int = 20

    def deploy(self, conninfo: str, *, dry: bool = False) -> TransactionSteps:
        """Makes the database as this says, or, in a dry run, only says how; a failure changes nothing."""
        return run(conninfo, self.steps, home=self.home, dry=dry)

    def steps(self, connection: psycopg.Connection[Row]) -> TransactionSteps:
        """What has to be done in a database as it is now."""
        standing = Standing.read(connection, self.home)
        self._demand(standing)
        made = [
            *self._stale(connection, standing),
            *statements.create_schema(self.home, Mark("home", self.home, self._record(standing))),
            create_lock(self.home),
            *self._roles(standing),
            *self._database(standing),
            *self._choices(connection, standing),
            *self._purposes(connection, standing),
            *self._settings(standing),
            *self._functions(standing),
            *self._gone_roles(standing),
        ]
        return TransactionSteps(tuple(made), tuple(self._notes(standing)))

    def schemas(self) -> Iterator[ReadSchema]:
        """Every schema with views, the masked relations of a purpose before its flat ones."""
        for one in self.purposes:
            yield ReadSchema(name=one.schema, part="purpose", purpose=one.purpose, role=one.role, views=one.views)
            if one.flat_views:
                yield ReadSchema(
                    name=one.flat_schema, part="flat", purpose=one.purpose, role=one.tools_role, views=one.flat_views
                )

    @property
    def tools_roles(self) -> list[str]:
        """The logins of other tools."""
        return list(dict.fromkeys(one.tools_role for one in self.purposes if one.flat_views))

    @property
    def roles(self) -> list[str]:
        """Everybody who reads masked relations: the gateway's roles, and the logins of other tools."""
        return list(dict.fromkeys([*(one.role for one in self.purposes), *self.tools_roles]))

    def _demand(self, standing: Standing) -> None:
        wanted = [self.home, *(schema.name for schema in self.schemas())]
        for name in wanted:
            standing.demand_free(name)
        twice = sorted({name for name in wanted if wanted.count(name) > 1})
        if twice:
            raise PolicyError(f"two schemas would be called {twice[0]!r}; choose other names.")
        both = sorted({one.role for one in self.purposes}.intersection(self.tools_roles))
        if both:
            raise PolicyError(f"role {both[0]!r} would be the gateway's and that of other tools; choose other names.")
        for schema in self.schemas():
            for view in schema.views:
                standing.demand_ours(schema.name, view)
        for kept in standing.names:
            demand_places(self.choices, kept)
        absent = [role for role in self.roles if role not in standing.roles]
        if absent and not standing.creates_roles:
            creating = _joined(statement for role in absent for statement in self._created(role, standing))
            raise PolicyError(
                f"there is no role {absent[0]!r}, and {standing.user!r} may not create one; an administrator can: "
                f"{creating}"
            )
        for role in self.roles:
            self._demand_meant(role, standing)

    def _demand_meant(self, role: str, standing: Standing) -> None:
        """Refuses a role that was not made for this deployment: whoever logs in as it elsewhere would read here."""
        if role in standing.roles and standing.roles[role].mark is None:
            raise PolicyError(
                f"role {role!r} is there already and was not made for this deployment: all databases of a server have "
                "the same roles, and it may be a login of another database of the server, or of another home, whose "
                "users would see these views. In [source] choose another home, or drop the role; if it is meant for "
                f"this deployment alone, an administrator can say so: {_joined([self._named(role, standing)])}"
            )

    def _created(self, role: str, standing: Standing) -> list[Composable]:
        """A role of the gateway, or a login of other tools, of which only so many sessions are let in."""
        most = self.tools_connections if role in self.tools_roles else None
        return [statements.create_role(role, most), self._named(role, standing)]

    def _named(self, role: str, standing: Standing) -> Composable:
        """Says of a role to which database, and to which deployment there, it belongs."""
        return statements.mark_role(role, Mark("role", self.home, {"database": standing.database}))

    def _record(self, standing: Standing) -> dict[str, Any]:
        """What must be known to take everything back; what an earlier deployment found counts, not what it left."""
        before = standing.record
        known = before.get("roles", {})
        return {
            "digest": self.digest,
            "version": version("sfumato"),
            "public": sorted(before.get("public", standing.public.intersection(statements.PUBLIC_RIGHTS))),
            "roles": {role: known.get(role) or _found(standing, role) for role in self.roles},
            "functions": sorted(self._closed(standing)),
        }

    def _closed(self, standing: Standing) -> set[str]:
        """Functions of the catalogue that are taken from everybody, while there are logins of tools."""
        if not standing.superuser:
            return {*standing.closed}
        opened = {name for name, everybody in standing.functions.items() if everybody}
        return {*standing.closed, *opened} if self.tools_roles else set()

    def _functions(self, standing: Standing) -> Iterator[Composable]:
        if standing.superuser:
            wanted = self._closed(standing)
            yield from catalogue_rights.close(sorted(name for name in wanted if standing.functions[name]))
            yield from catalogue_rights.open_again(sorted({*standing.closed} - wanted))

    def _stale(self, connection: psycopg.Connection[Row], standing: Standing) -> Iterator[Composable]:
        """Views that are gone or that have other columns now; those that look at them first."""
        wanted = {schema.name: schema.views for schema in self.schemas()}
        remade = {
            (schema, view)
            for schema, views in wanted.items()
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
                yield from self._created(role, standing)

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
            mark = Mark("choice", self.home, {"choices": list(self.choices)})
            yield from choices.add_column(column, mark, there=column.place in standing.choices)
        yield from choices.create_list(self.home, self.choice_columns, self.choices, types)
        yield from choice_history.create_history(self.home, self.choice_columns, self.choices, standing.choices)

    def _purposes(self, connection: psycopg.Connection[Row], standing: Standing) -> Iterator[Composable]:
        strangers = [role for role in {*self.roles, *standing.record.get("roles", {})} if role in standing.roles]
        for schema in self.schemas():
            facts = {"digest": self.digest, "purpose": schema.purpose}
            yield from statements.create_schema(schema.name, Mark(schema.part, self.home, facts))
            for view, select in schema.views.items():
                shown = (
                    _undivided(select) if schema.part == "flat" and self._divided(view, schema, standing) else select
                )
                yield from statements.create_view(schema.name, view, shown, Mark("view", self.home))
            yield from statements.let_not_read(sorted({*strangers} - {schema.role}), schema.name)
            yield from statements.let_read(schema.role, schema.name, schema.views)

    def _divided(self, flat: str, schema: ReadSchema, standing: Standing) -> bool:
        """Whether the rows of a flat view lie in several tables."""
        masked = {f"{view}_flat": select for one in self.purposes if one.purpose == schema.purpose
                  for view, select in one.views.items()}  # fmt: skip
        select = masked.get(flat)
        return select is not None and any(table.name in standing.divided for table in select.find_all(exp.Table))

    def _settings_of(self, role: str) -> dict[str, Composable]:
        seconds = {
            "statement_timeout": self.statement_seconds,
            "lock_timeout": self.lock_seconds,
            "idle_in_transaction_session_timeout": self.idle_seconds,
        }
        own = [schema.name for schema in self.schemas() if schema.role == role]
        return statements.settings_of(own if len(own) == 1 else [], seconds)

    def _settings(self, standing: Standing) -> Iterator[Composable]:
        for role in self.roles:
            if removal.may_set(standing, role):
                yield from statements.set_for(role, standing.database, self._settings_of(role))
                if role in self.tools_roles and standing.may_log:
                    yield statements.log_everything(role, standing.database)

    def _gone_roles(self, standing: Standing) -> Iterator[Composable]:
        for role in standing.record.get("roles", {}):
            if role not in self.roles:
                yield from removal.forget_role(standing, role)

    def _notes(self, standing: Standing) -> Iterator[str]:
        yield from self.notes
        if not standing.rules_database and standing.public.intersection(statements.PUBLIC_RIGHTS):
            yield (
                f"the owner of database {standing.database!r} should revoke TEMPORARY and CREATE from PUBLIC: "
                f"{standing.user!r} may not."
            )
        for role in self.roles:
            if not removal.may_set(standing, role):
                yield f"an administrator should set a statement_timeout for {role!r}: {standing.user!r} may not."
        if standing.encoding == "SQL_ASCII":
            yield (
                "the database has no encoding (SQL_ASCII): a text with other characters than ASCII cannot be cut "
                "between its characters, and is not answered where its bytes are not UTF-8."
            )
        for table in dict.fromkeys(column.place[:2] for column in self.choice_columns):
            if table in standing.unsure:
                yield (
                    f"table {'.'.join(table)!r} has triggers on UPDATE, or a CHECK that is NOT VALID: where they "
                    "refuse a row, whoever may choose learns that it is there; validate the CHECK, or see that "
                    "triggers do not fail."
                )
        yield from self._notes_on_tools(standing)

    def _notes_on_tools(self, standing: Standing) -> Iterator[str]:
        """What only an administrator can do about logins that people use directly."""
        silent = [role for role in self.tools_roles if not standing.logs(role)]
        if silent and not standing.may_log:
            yield (
                "what the logins of tools ask stands in no log until an administrator runs: "
                f"{_joined(statements.log_everything(role, standing.database) for role in silent)}"
            )
        for role, member in standing.members:
            lines = _joined(self._unset(role, member, standing)) if role in self.tools_roles else ""
            if lines:
                yield (
                    f"{member!r} is a member of {role!r} and starts without its limits or stands in no log, because "
                    "PostgreSQL hands settings of a role on to no member, until somebody who may, such as an "
                    f"administrator, runs: {lines}"
                )
        opened = [name for name, everybody in standing.functions.items() if everybody]
        if self.tools_roles and opened and not standing.superuser:
            yield (
                "every login can store large objects, write to the write-ahead log of the server, and see how many "
                "rows of each table were written, until an "
                f"administrator runs: {_joined(catalogue_rights.close(opened))}"
            )

    def _unset(self, role: str, member: str, standing: Standing) -> Iterator[Composable]:
        """What sets for a member what is set for a login of tools, and not yet for it."""
        there = standing.roles[member]
        known = {setting.partition("=")[0] for setting in (*there.settings, *there.settings_everywhere)}
        missing = {name: value for name, value in self._settings_of(role).items() if name not in known}
        yield from statements.set_for(member, standing.database, missing)
        if not standing.logs(member):
            yield statements.log_everything(member, standing.database)
        if not there.counted:
            yield statements.count_sessions(member, self.tools_connections)


def undeploy(
    conninfo: str, *, home: str = "sfumato", forget_choices: bool = False, dry: bool = False
) -> TransactionSteps:
    """Takes back everything a deployment made and changed, and nothing else; without one there is nothing to do.

    What people chose stays, unless `forget_choices`: a later deployment finds it again.
    """

    def planned(connection: psycopg.Connection[Row]) -> TransactionSteps:
        return removal.steps(Standing.read(connection, home), forget_choices=forget_choices)

    return run(conninfo, planned, home=home, dry=dry)


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


def _undivided(select: exp.Select) -> exp.Select:
    """A condition must not reach single partitions: a plan would tell in which of them it finds somebody's row."""
    return select if select.args.get("offset") else select.offset(0)


def _joined(commands: Iterable[Composable]) -> str:
    return " ".join(f"{command.as_string()};" for command in commands)
