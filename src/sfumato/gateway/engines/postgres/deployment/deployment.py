"""Plans what a policy needs in a database: per purpose, schemas of masked and of flat views, each with a role.

`policy_deployment.deployment_of` derives a `Deployment` from a policy; `sfumato gateway deploy` runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal

import psycopg
from psycopg.sql import SQL, Composable
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.connections import Row
from sfumato.gateway.engines.postgres.deployment import catalogue_rights, choice_history, choices, removal, statements
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployed_names import flat_name, tools_name
from sfumato.gateway.engines.postgres.deployment.deployed_state import DeployedState, result_columns
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name
from sfumato.gateway.engines.postgres.deployment.transactions import TransactionSteps, create_lock, run_in_transaction
from sfumato.gateway.people.choices import demand_stable_positions

Views = Mapping[str, exp.Select]


@dataclass(frozen=True, kw_only=True)
class PurposeSchema:
    """What is deployed for one purpose: masked views for the gateway's role, flat views for the login of BI tools.

    `role` is the gateway's own and reads only the masked views. The login of BI tools reads only `flat_views` and is
    created only if there are any. An existing role is used only if its ownership comment names this deployment; it is
    used as it is, and stays when the deployment is removed. Purposes may share a role, but then each of them can read
    the views of the others.
    """

    purpose: str
    schema: str
    role: str
    views: Views
    flat_views: Views = field(default_factory=dict)

    @property
    def flat_schema(self) -> str:
        """The schema of the flat views."""
        return tools_name(self.schema)

    @property
    def tools_role(self) -> str:
        """The login of BI tools."""
        return tools_name(self.role)


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

    All of it is created in one transaction and marked by ownership comments. They hold the policy's digest, so that a
    gateway notices a database that was deployed from another policy. Deploying again changes what differs; `undeploy`
    removes everything. `deployed_names` says what `prefix` is. PUBLIC loses the right to create temporary tables in the
    database, because it cannot be revoked from one role alone; removal gives it back. While there are logins of BI
    tools, a deployment by a superuser also revokes functions from PUBLIC that store objects or count rows. `notes` are
    returned with the steps.

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
    prefix: str = "sfumato"
    notes: tuple[str, ...] = ()
    statement_seconds: float = 30.0
    lock_seconds: float = 5.0
    idle_seconds: float = 60.0
    tools_connections: int = 20

    def deploy(self, conninfo: str, *, dry: bool = False) -> TransactionSteps:
        """Deploy, or only plan in a dry run; a failure changes nothing."""
        return run_in_transaction(conninfo, self.steps, prefix=self.prefix, dry=dry)

    def steps(self, connection: psycopg.Connection[Row]) -> TransactionSteps:
        """The statements that turn the database as it is now into the deployed state."""
        state = DeployedState.read(connection, self.prefix)
        self._check(state)
        # The order matters: outdated views block changes of columns, roles must exist before they are granted
        # something, and roles can be dropped only after nothing refers to them.
        planned = [
            *self._drop_outdated_views(connection, state),
            *statements.create_schema(self.prefix, OwnershipComment("home", self.prefix, self._record(state))),
            create_lock(self.prefix),
            *self._create_roles(state),
            *self._database_rights(state),
            *self._choice_objects(connection, state),
            *self._purpose_schemas(connection, state),
            *self._role_settings(state),
            *self._function_rights(state),
            *self._removed_roles(state),
        ]
        return TransactionSteps(tuple(planned), tuple(self._notes(state)))

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
        """The logins of BI tools."""
        return list(dict.fromkeys(one.tools_role for one in self.purposes if one.flat_views))

    @property
    def roles(self) -> list[str]:
        """All roles that read views: those of the gateway, and the logins of BI tools."""
        return list(dict.fromkeys([*(one.role for one in self.purposes), *self.tools_roles]))

    def _check(self, state: DeployedState) -> None:
        """Refuse names that are taken or used twice, renumbered choices, and roles that cannot be used."""
        names = [self.prefix, *(schema.name for schema in self.schemas())]
        for name in names:
            state.demand_free_schema(name)
        duplicates = sorted({name for name in names if names.count(name) > 1})
        if duplicates:
            raise PolicyError(f"two schemas would be called {duplicates[0]!r}; choose other names.")
        shared = sorted({one.role for one in self.purposes}.intersection(self.tools_roles))
        if shared:
            raise PolicyError(f"role {shared[0]!r} would belong to the gateway and to other tools; choose other names.")
        for schema in self.schemas():
            for view in schema.views:
                state.demand_own_view(schema.name, view)
        for kept in state.choice_names:
            demand_stable_positions(self.choices, kept)
        absent = [role for role in self.roles if role not in state.roles]
        if absent and not state.can_create_roles:
            creating = _script(statement for role in absent for statement in self._create_role(role, state))
            raise PolicyError(
                f"there is no role {absent[0]!r}, and {state.user!r} may not create one; an administrator can: "
                f"{creating}"
            )
        for role in self.roles:
            self._check_role_ownership(role, state)

    def _check_role_ownership(self, role: str, state: DeployedState) -> None:
        """Refuse a role that was not created for this deployment: its users elsewhere could read these views."""
        if role in state.roles and state.roles[role].ownership is None:
            raise PolicyError(
                f"role {role!r} exists already and was not created for this deployment: all databases of a server "
                "have the same roles, and it may be a login of another database of the server, or of another home, "
                "whose users would see these views. In [source] choose another home, or drop the role; if it is meant "
                f"for this deployment only, an administrator can run: {_script([self._comment_on_role(role, state)])}"
            )

    def _create_role(self, role: str, state: DeployedState) -> list[Composable]:
        """Create a role of the gateway, or a login of BI tools with a limited number of sessions."""
        most = self.tools_connections if role in self.tools_roles else None
        return [statements.create_role(role, most), self._comment_on_role(role, state)]

    def _comment_on_role(self, role: str, state: DeployedState) -> Composable:
        """Comment on a role with the database and the deployment that it belongs to."""
        return statements.comment_on_role(role, OwnershipComment("role", self.prefix, {"database": state.database}))

    def _record(self, state: DeployedState) -> dict[str, Any]:
        """What a removal must know to restore the database.

        What the first deployment found counts, not what it left behind.
        """
        before = state.record
        known = before.get("roles", {})
        return {
            "digest": self.digest,
            "version": version("sfumato"),
            "public": sorted(before.get("public", state.public_rights.intersection(statements.PUBLIC_RIGHTS))),
            "roles": {role: known.get(role) or _role_before(state, role) for role in self.roles},
            "functions": sorted(self._functions_to_revoke(state)),
        }

    def _functions_to_revoke(self, state: DeployedState) -> set[str]:
        """Functions of the catalogue that PUBLIC may not call while there are logins of BI tools."""
        if not state.superuser:
            return {*state.revoked_functions}
        public_functions = {name for name, everybody in state.functions.items() if everybody}
        return {*state.revoked_functions, *public_functions} if self.tools_roles else set()

    def _function_rights(self, state: DeployedState) -> Iterator[Composable]:
        """Revoke functions from PUBLIC, or give them back if the last login of BI tools is gone."""
        if state.superuser:
            to_revoke = self._functions_to_revoke(state)
            yield from catalogue_rights.revoke_from_public(sorted(name for name in to_revoke if state.functions[name]))
            yield from catalogue_rights.grant_to_public(sorted({*state.revoked_functions} - to_revoke))

    def _drop_outdated_views(self, connection: psycopg.Connection[Row], state: DeployedState) -> Iterator[Composable]:
        """Drop views that are no longer deployed or whose columns changed, dependent flat views first."""
        views_of = {schema.name: schema.views for schema in self.schemas()}
        replaced = {
            (schema, view)
            for schema, views in views_of.items()
            for view, select in views.items()
            if not _can_replace(connection, state, schema, view, select)
        }
        # A flat view selects from the masked view, so it must be dropped before that one can be.
        replaced |= {(tools_name(schema), flat_name(view)) for schema, view in replaced}
        for schema in state.own_schemas:
            for view in state.own_views(schema):
                if view not in views_of.get(schema, {}) or (schema, view) in replaced:
                    yield statements.drop_view(schema, view)
            if schema not in views_of:
                yield statements.drop_schema(schema)

    def _create_roles(self, state: DeployedState) -> Iterator[Composable]:
        """Create the roles that do not exist."""
        for role in self.roles:
            if role not in state.roles:
                yield from self._create_role(role, state)

    def _database_rights(self, state: DeployedState) -> Iterator[Composable]:
        """Revoke rights on the database from PUBLIC, and let the roles connect."""
        if not state.owns_database:
            return
        database = quoted_name(state.database)
        for right in statements.PUBLIC_RIGHTS:
            if right in state.public_rights:
                yield SQL("REVOKE {} ON DATABASE {} FROM PUBLIC").format(SQL(right), database)
        for role in self.roles:
            if not _can_connect(state, role):
                yield SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, quoted_name(role))

    def _choice_objects(self, connection: psycopg.Connection[Row], state: DeployedState) -> Iterator[Composable]:
        """Columns, list and history of choices; without choices, drop the list and keep the rest."""
        if not self.choice_columns:
            yield from removal.drop_choice_list(state) if state.record else ()
            return
        types = choices.key_types(connection, self.choice_columns, state.choices)
        for column in self.choice_columns:
            ownership = OwnershipComment("choice", self.prefix, {"choices": list(self.choices)})
            yield from choices.add_column(column, ownership, there=column.qualified_name in state.choices)
        yield from choices.create_list(self.prefix, self.choice_columns, self.choices, types)
        yield from choice_history.create_history(self.prefix, self.choice_columns, self.choices, state.choices)

    def _purpose_schemas(self, connection: psycopg.Connection[Row], state: DeployedState) -> Iterator[Composable]:
        """Schemas and views, readable by their own role and by no other role of the deployment."""
        # Rights of roles from an earlier deployment are revoked too: a purpose may have moved to another role.
        other_roles = [role for role in {*self.roles, *state.record.get("roles", {})} if role in state.roles]
        for schema in self.schemas():
            facts = {"digest": self.digest, "purpose": schema.purpose}
            yield from statements.create_schema(schema.name, OwnershipComment(schema.part, self.prefix, facts))
            for view, select in schema.views.items():
                masked_select = (
                    _without_pushdown(select)
                    if schema.part == "flat" and self._is_partitioned(view, schema, state)
                    else select
                )
                yield from statements.create_view(
                    schema.name, view, masked_select, OwnershipComment("view", self.prefix)
                )
            yield from statements.revoke_read(sorted({*other_roles} - {schema.role}), schema.name)
            yield from statements.grant_read(schema.role, schema.name, schema.views)

    def _is_partitioned(self, flat: str, schema: ReadSchema, state: DeployedState) -> bool:
        """Whether the rows of a flat view are stored in several tables."""
        masked = {flat_name(view): select for one in self.purposes if one.purpose == schema.purpose
                  for view, select in one.views.items()}  # fmt: skip
        select = masked.get(flat)
        return select is not None and any(table.name in state.partitioned for table in select.find_all(exp.Table))

    def _session_settings_of(self, role: str) -> dict[str, Composable]:
        """Time limits and search path for the sessions of a role."""
        seconds = {
            "statement_timeout": self.statement_seconds,
            "lock_timeout": self.lock_seconds,
            "idle_in_transaction_session_timeout": self.idle_seconds,
        }
        own = [schema.name for schema in self.schemas() if schema.role == role]
        # With several schemas a bare view name would be ambiguous, so the search path stays empty.
        return statements.session_settings(own if len(own) == 1 else [], seconds)

    def _role_settings(self, state: DeployedState) -> Iterator[Composable]:
        """Set the settings of all roles that this user may configure."""
        for role in self.roles:
            if removal.can_configure_role(state, role):
                yield from statements.alter_settings(role, state.database, self._session_settings_of(role))
                if role in self.tools_roles and state.can_set_logging:
                    yield statements.log_all_statements(role, state.database)

    def _removed_roles(self, state: DeployedState) -> Iterator[Composable]:
        """Drop or restore roles of an earlier deployment that this one does not have."""
        for role in state.record.get("roles", {}):
            if role not in self.roles:
                yield from removal.drop_or_restore_role(state, role)

    def _notes(self, state: DeployedState) -> Iterator[str]:
        """What the owner of the database or an administrator should do, or should know."""
        yield from self.notes
        if not state.owns_database and state.public_rights.intersection(statements.PUBLIC_RIGHTS):
            yield (
                f"the owner of database {state.database!r} should revoke TEMPORARY and CREATE from PUBLIC: "
                f"{state.user!r} may not."
            )
        for role in self.roles:
            if not removal.can_configure_role(state, role):
                yield f"an administrator should set a statement_timeout for {role!r}: {state.user!r} may not."
        if state.encoding == "SQL_ASCII":
            yield (
                "the database has no encoding (SQL_ASCII): a text with other characters than ASCII cannot be cut "
                "between its characters, and is not answered where its bytes are not UTF-8."
            )
        for table in dict.fromkeys(column.qualified_name[:2] for column in self.choice_columns):
            if table in state.guarded:
                yield (
                    f"table {'.'.join(table)!r} has triggers on UPDATE, or a CHECK that is NOT VALID: where they "
                    "refuse a row, a caller who may choose learns that it exists; validate the CHECK, or make sure "
                    "that triggers do not fail."
                )
        yield from self._notes_on_tools(state)

    def _notes_on_tools(self, state: DeployedState) -> Iterator[str]:
        """What only an administrator can do about logins that people use directly."""
        unlogged = [role for role in self.tools_roles if not state.logs(role)]
        if unlogged and not state.can_set_logging:
            yield (
                "queries of the logins of tools are not logged until an administrator runs: "
                f"{_script(statements.log_all_statements(role, state.database) for role in unlogged)}"
            )
        for role, member in state.members:
            lines = _script(self._missing_settings(role, member, state)) if role in self.tools_roles else ""
            if lines:
                yield (
                    f"{member!r} is a member of {role!r} and starts without its limits or is not logged, because "
                    "members do not inherit the settings of a role, until somebody with the right to do so, such as an "
                    f"administrator, runs: {lines}"
                )
        public_functions = [name for name, everybody in state.functions.items() if everybody]
        if self.tools_roles and public_functions and not state.superuser:
            yield (
                "every login can store large objects, write to the write-ahead log of the server, and see how many "
                "rows of each table were written, until an "
                f"administrator runs: {_script(catalogue_rights.revoke_from_public(public_functions))}"
            )

    def _missing_settings(self, role: str, member: str, state: DeployedState) -> Iterator[Composable]:
        """Statements that give a member of a BI login the settings of that login that it lacks."""
        there = state.roles[member]
        known = {setting.partition("=")[0] for setting in (*there.settings, *there.settings_everywhere)}
        missing = {name: value for name, value in self._session_settings_of(role).items() if name not in known}
        yield from statements.alter_settings(member, state.database, missing)
        if not state.logs(member):
            yield statements.log_all_statements(member, state.database)
        if not there.has_connection_limit:
            yield statements.limit_connections(member, self.tools_connections)


def undeploy(
    conninfo: str, *, prefix: str = "sfumato", forget_choices: bool = False, dry: bool = False
) -> TransactionSteps:
    """Remove everything that a deployment created and changed, and nothing else; without a deployment nothing happens.

    The choices of data subjects stay, unless `forget_choices`; a later deployment finds them again.
    """

    def plan(connection: psycopg.Connection[Row]) -> TransactionSteps:
        return removal.removal_steps(DeployedState.read(connection, prefix), forget_choices=forget_choices)

    return run_in_transaction(conninfo, plan, prefix=prefix, dry=dry)


def _role_before(state: DeployedState, role: str) -> dict[str, Any]:
    """What a removal must know about a role: whether it existed, could connect, and its settings."""
    there = state.roles.get(role)
    return {
        "made": there is None,
        "connect": not _can_connect(state, role),
        "settings": [] if there is None else list(there.settings),
    }


def _can_connect(state: DeployedState, role: str) -> bool:
    """Whether a role may connect to the database, itself or through PUBLIC."""
    there = state.roles.get(role)
    return "CONNECT" in state.public_rights if there is None else there.can_connect


def _can_replace(
    connection: psycopg.Connection[Row], state: DeployedState, schema: str, view: str, select: exp.Select
) -> bool:
    """Whether CREATE OR REPLACE VIEW works for an existing view: its columns stay, and new ones only follow them."""
    there = state.relations.get((schema, view))
    if there is None:
        return True
    columns = result_columns(connection, select)
    return columns is not None and columns[: len(there.columns)] == there.columns


def _without_pushdown(select: exp.Select) -> exp.Select:
    """Add OFFSET 0, which keeps a condition from being pushed into single partitions.

    The plan would reveal which partition holds a row.
    """
    return select if select.args.get("offset") else select.offset(0)


def _script(commands: Iterable[Composable]) -> str:
    """Statements on one line, for a message."""
    return " ".join(f"{command.as_string()};" for command in commands)
