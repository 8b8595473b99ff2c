"""Removes a deployment by what its ownership comments say, without the policy that it was created from."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg.sql import SQL, Composable

from sfumato.gateway.engines.postgres.deployment import catalogue_rights, choice_history, choices, statements
from sfumato.gateway.engines.postgres.deployment.deployed_state import DeployedState
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name
from sfumato.gateway.engines.postgres.deployment.transactions import TransactionSteps, drop_lock

SETTINGS = (
    "search_path",
    "default_transaction_read_only",
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
)
"""Settings that a deployment sets for its roles."""
LOGGING_SETTING = "log_statement"
"""Set for the logins of BI tools, if this user may set it."""


def removal_steps(state: DeployedState, *, forget_choices: bool) -> TransactionSteps:
    """Drop views before their schemas, roles once nothing depends on them, and restore settings last."""
    return TransactionSteps(
        (
            *_drop_views(state),
            *_drop_own_schema(state, forget_choices=forget_choices),
            *_drop_choices(state, forget_choices),
            *_restore_rights(state),
        )
    )


def can_configure_role(state: DeployedState, role: str) -> bool:
    """Whether this user may change the settings of a role: it creates the role, or has ADMIN OPTION on it."""
    there = state.roles.get(role)
    return state.can_create_roles if there is None else state.can_create_roles and there.can_configure


def drop_choice_list(state: DeployedState) -> Iterator[Composable]:
    """Drop the list of choices and the triggers that write their history; choices and history stay."""
    tables = sorted({(schema, table) for schema, table, _ in state.choices})
    yield from choice_history.drop_triggers(state.prefix, tables)
    yield choice_history.drop_trigger_function(state.prefix)
    yield from choices.drop_list(state.prefix)


def drop_or_restore_role(state: DeployedState, role: str) -> Iterator[Composable]:
    """Drop a role that the deployment created; restore one that existed before."""
    there = state.roles.get(role)
    before = state.record.get("roles", {}).get(role, {})
    if there is None:
        return
    if before.get("connect") and state.owns_database:
        yield SQL("REVOKE CONNECT ON DATABASE {} FROM {}").format(quoted_name(state.database), quoted_name(role))
    # Only a role that carries this deployment's comment and that it created itself is dropped.
    if there.ownership is not None and before.get("made", True):
        if there.owns_large_objects:
            yield from statements.drop_large_objects_of(role)
        yield SQL("DROP ROLE {}").format(quoted_name(role))
    elif can_configure_role(state, role):
        ours = (*SETTINGS, LOGGING_SETTING) if state.can_set_logging else SETTINGS
        yield from statements.restore_settings(role, state.database, ours, before.get("settings", ()))


def _drop_views(state: DeployedState) -> Iterator[Composable]:
    """Drop the views and schemas of all purposes."""
    for schema in state.own_schemas:
        for view in state.own_views(schema):
            yield statements.drop_view(schema, view)
        yield statements.drop_schema(schema)


def _drop_own_schema(state: DeployedState, *, forget_choices: bool) -> Iterator[Composable]:
    """Drop the schema of the deployment, unless it holds the history of choices, which is kept as long as they are."""
    prefix = state.prefix
    if state.schemas.get(prefix) is None:
        return
    yield from drop_choice_list(state)
    yield drop_lock(prefix)
    if state.has_history and not forget_choices:
        # The schema stays for the history. The new comment drops
        # the recorded facts, since nothing is left to restore.
        yield from statements.create_schema(prefix, OwnershipComment("home", prefix))
    else:
        yield choice_history.drop_history(prefix)
        yield statements.drop_schema(prefix)


def _drop_choices(state: DeployedState, forget_choices: bool) -> Iterator[Composable]:
    """Drop the choice columns, if the caller asks for it."""
    if forget_choices:
        for schema, table, name in state.choices:
            yield choices.drop_column(schema, table, name)


def _restore_rights(state: DeployedState) -> Iterator[Composable]:
    """Give PUBLIC its rights and functions back, and drop or restore the roles."""
    if state.owns_database:
        for right in statements.PUBLIC_RIGHTS:
            if right in state.record.get("public", ()):
                yield SQL("GRANT {} ON DATABASE {} TO PUBLIC").format(SQL(right), quoted_name(state.database))
    if state.superuser:
        yield from catalogue_rights.grant_to_public(state.revoked_functions)
    for role in state.record.get("roles", {}):
        yield from drop_or_restore_role(state, role)
