"""Runs a deployment or a removal as one transaction, one at a time: either all of it happens, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import psycopg
from psycopg.sql import SQL, Composable, Composed

from sfumato.errors import DataError, PolicyError, SfumatoError, UnreachableError
from sfumato.gateway.engines.postgres.connections import Row, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name, script_of

LOCK = 0x5F0A70
"""Number of the advisory lock; any number, as long as every deployment takes the same."""
LOCK_SECONDS = 30.0
"""How long a deployment waits for locks, unless the connection sets a lock_timeout."""

LOCK_TABLE = "deployment_lock"
"""An empty table in the deployment's own schema; only its owner can lock it."""

ATTEMPTS = 3
"""How often a deployment starts again because the lock table was dropped while it waited."""


@dataclass(frozen=True)
class TransactionSteps:
    """Statements to run in order, and notes on what needs an administrator."""

    statements: tuple[Composable, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statements as a script."""
        return script_of(self.statements)


def run_in_transaction(
    conninfo: str,
    plan: Callable[[psycopg.Connection[Row]], TransactionSteps],
    *,
    prefix: str = "sfumato",
    dry: bool = False,
) -> TransactionSteps:
    """Plan and run the steps in one transaction, one deployment at a time; a dry run only plans.

    It waits for sessions that hold locks, but not forever, because a login can hold a lock as long as it likes.
    """
    failure: SfumatoError | None = None
    for _ in range(ATTEMPTS):
        try:
            with connect(conninfo) as connection:
                connection.execute(_SET_LOCK_TIMEOUT, [f"{round(LOCK_SECONDS * 1000)}ms"])
                # Locked before the plan is made, because the plan depends on what the database has.
                _wait_for_other_deployments(connection, prefix)
                steps = plan(connection)
                if dry:
                    connection.rollback()
                else:
                    execute(connection, steps.statements)
                return steps
        except _LockTableDropped:
            failure = DataError("another deployment ran at the same time; nothing was changed; deploy again.")
        except psycopg.Error as error:
            failure = _deployment_error(error)
            break
    # outside the except block, so that the server's message is not its context
    raise failure or DataError("nothing was changed.")


def execute(connection: psycopg.Connection[Row], statements: Iterable[Composable]) -> None:
    """Run statements in order, inside the caller's transaction."""
    for statement in statements:
        connection.execute(Composed([statement]))


def create_lock(prefix: str) -> Composable:
    """Create the table that deployments lock. Logins cannot use its schema, so none of them can hold the lock."""
    return SQL("CREATE TABLE IF NOT EXISTS {} ()").format(quoted_name(prefix, LOCK_TABLE))


def drop_lock(prefix: str) -> Composable:
    """Drop the lock table."""
    return SQL("DROP TABLE IF EXISTS {}").format(quoted_name(prefix, LOCK_TABLE))


class _LockTableDropped(Exception):
    """Another deployment was removed, and dropped the lock table while this one waited for it."""


_SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', %s, true) WHERE current_setting('lock_timeout') = '0'"
_LOCK_TABLE_EXISTS = """
SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
"""
_LOCK_STATEMENT = SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE")


def _wait_for_other_deployments(connection: psycopg.Connection[Row], prefix: str) -> None:
    """Take the lock of deployments: the table in their own schema, or an advisory lock if there is no table yet.

    Any login can hold the advisory lock, only the owner can hold the table. After waiting for the advisory lock, the
    table may exist and others may wait for it, so it is tried again.
    """
    if not _lock_table(connection, prefix):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        _lock_table(connection, prefix)


def _lock_table(connection: psycopg.Connection[Row], prefix: str) -> bool:
    """Lock the table if it exists and belongs to this role; False if not."""
    if not connection.execute(_LOCK_TABLE_EXISTS, [prefix, LOCK_TABLE]).fetchall():
        return False
    gone = False
    try:
        connection.execute(_LOCK_STATEMENT.format(quoted_name(prefix, LOCK_TABLE)))
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        gone = True
    if gone:
        raise _LockTableDropped
    return True


def _deployment_error(error: psycopg.Error) -> SfumatoError:
    """The error for a failed deployment.

    The server's sentence is repeated only where it is about names, rights or dependencies, which hold no values.
    """
    state = error.sqlstate or ""
    if state[:2] in ("42", "2B", "3F"):
        return PolicyError(f"PostgreSQL refused the deployment, and nothing was changed: {error.diag.message_primary}.")
    if state in ("22P05", "22021"):
        return PolicyError(
            "a name or a text of the policy, or of the database, has a character that the encoding of the database, or "
            "UTF-8, does not have; nothing was changed."
        )
    if state in ("55P03", "40P01"):
        return DataError(
            "a session holds something that has to be changed: another deployment, or a login that has read a view "
            "in a transaction it has not ended. Nothing was changed; end that session, or deploy again later."
        )
    if not state and isinstance(reason := connection_error(error), UnreachableError):
        return UnreachableError(f"{reason} Nothing was changed.")
    if state.startswith(("08", "28", "3D", "57")) or not state:
        return DataError("the database cannot be reached, or refuses the login; nothing was changed.")
    return DataError(f"the database stopped the deployment (SQLSTATE {state}); nothing was changed.")
