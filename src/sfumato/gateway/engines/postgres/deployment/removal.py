"""Removal: a deployment is taken back from what its marks say, without the policy it was made from."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg.sql import SQL, Composable

from sfumato.gateway.engines.postgres.deployment import catalogue_rights, choice_history, choices, statements
from sfumato.gateway.engines.postgres.deployment.deployed_state import Standing
from sfumato.gateway.engines.postgres.deployment.ownership_comments import Mark
from sfumato.gateway.engines.postgres.deployment.statements import named
from sfumato.gateway.engines.postgres.deployment.transactions import TransactionSteps, drop_lock

SETTINGS = (
    "search_path",
    "default_transaction_read_only",
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
)
LOGGING = "log_statement"
"""Set for the logins of tools where that is allowed."""


def steps(standing: Standing, *, forget_choices: bool) -> TransactionSteps:
    """Views before their schemas, roles when nothing depends on them any more, settings last."""
    home = _home(standing, forget_choices=forget_choices)
    return TransactionSteps((*_views(standing), *home, *_forgotten(standing, forget_choices), *_rights(standing)))


def may_set(standing: Standing, role: str) -> bool:
    """Whether settings of a role are ours to change: it is ours, or whoever made it let us."""
    there = standing.roles.get(role)
    return standing.creates_roles if there is None else standing.creates_roles and there.ours_to_set


def forget_list(standing: Standing) -> Iterator[Composable]:
    """Takes away the list of choices and what writes their history; the choices and the history stay."""
    tables = sorted({(schema, table) for schema, table, _ in standing.choices})
    yield from choice_history.drop_triggers(standing.home, tables)
    yield choice_history.drop_recording(standing.home)
    yield from choices.drop_list(standing.home)


def forget_role(standing: Standing, role: str) -> Iterator[Composable]:
    """Drops a role that we made, and leaves one that was there as it was."""
    there = standing.roles.get(role)
    found = standing.record.get("roles", {}).get(role, {})
    if there is None:
        return
    if found.get("connect") and standing.rules_database:
        yield SQL("REVOKE CONNECT ON DATABASE {} FROM {}").format(named(standing.database), named(role))
    if there.mark is not None and found.get("made", True):
        if there.stores:
            yield from statements.unlink_objects_of(role)
        yield SQL("DROP ROLE {}").format(named(role))
    elif may_set(standing, role):
        ours = (*SETTINGS, LOGGING) if standing.may_log else SETTINGS
        yield from statements.restore_for(role, standing.database, ours, found.get("settings", ()))


def _views(standing: Standing) -> Iterator[Composable]:
    for schema in standing.made_schemas:
        for view in standing.made_views(schema):
            yield statements.drop_view(schema, view)
        yield statements.drop_schema(schema)


def _home(standing: Standing, *, forget_choices: bool) -> Iterator[Composable]:
    """The history of choices stays as long as the choices do, and with it the schema that it lies in."""
    home = standing.home
    if standing.schemas.get(home) is None:
        return
    yield from forget_list(standing)
    yield drop_lock(home)
    if standing.has_history and not forget_choices:
        yield from statements.create_schema(home, Mark("home", home))
    else:
        yield choice_history.drop_history(home)
        yield statements.drop_schema(home)


def _forgotten(standing: Standing, forget_choices: bool) -> Iterator[Composable]:
    if forget_choices:
        for schema, table, name in standing.choices:
            yield choices.drop_column(schema, table, name)


def _rights(standing: Standing) -> Iterator[Composable]:
    if standing.rules_database:
        for right in statements.PUBLIC_RIGHTS:
            if right in standing.record.get("public", ()):
                yield SQL("GRANT {} ON DATABASE {} TO PUBLIC").format(SQL(right), named(standing.database))
    if standing.superuser:
        yield from catalogue_rights.open_again(standing.closed)
    for role in standing.record.get("roles", {}):
        yield from forget_role(standing, role)
