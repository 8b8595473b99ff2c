"""One transaction for everything that is made or removed: either all of it happened, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import psycopg
from psycopg.sql import SQL, Composable, Composed

from sfumato.errors import DataError, PolicyError, SfumatoError, UnreachableError
from sfumato.gateway.engines.postgres.connections import Row, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name, script_of

LOCK = 0x5F0A70  # any number, as long as every deployment takes the same
LOCK_SECONDS = 30.0
"""How long a deployment waits for others, unless the connection says otherwise."""

LOCK_TABLE = "deployment_lock"
"""An empty table in the home schema, which only its owner can lock."""

ATTEMPTS = 3


@dataclass(frozen=True)
class TransactionSteps:
    """Statements to run one after the other, and what somebody with more rights would have to do."""

    statements: tuple[Composable, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statements, to read or to keep."""
        return script_of(self.statements)


def run_in_transaction(
    conninfo: str,
    plan: Callable[[psycopg.Connection[Row]], TransactionSteps],
    *,
    home: str = "sfumato",
    dry: bool = False,
) -> TransactionSteps:
    """Plans and does what was planned in one transaction, one deployment at a time; a dry run only plans.

    Whoever holds what has to be changed is waited for, but not for ever: a login could hold it as long as it likes.
    """
    failure: SfumatoError | None = None
    for _ in range(ATTEMPTS):
        try:
            with connect(conninfo) as connection:
                connection.execute(_SET_LOCK_TIMEOUT, [f"{round(LOCK_SECONDS * 1000)}ms"])
                _wait_for_other_deployments(connection, home)
                steps = plan(connection)
                if dry:
                    connection.rollback()
                else:
                    execute(connection, steps.statements)
                return steps
        except _LockTableDropped:
            failure = DataError("another deployment went on at the same time; nothing was changed; deploy again.")
        except psycopg.Error as error:
            failure = _deployment_error(error)
            break
    raise failure or DataError("nothing was changed.")  # out here, so that the engine's own words do not hang on it


def execute(connection: psycopg.Connection[Row], statements: Iterable[Composable]) -> None:
    """One after the other; nothing is kept unless the transaction around it ends well."""
    for statement in statements:
        connection.execute(Composed([statement]))


def create_lock(home: str) -> Composable:
    """What deployments lock; in a schema into which no login can look, so that none can hold it."""
    return SQL("CREATE TABLE IF NOT EXISTS {} ()").format(quoted_name(home, LOCK_TABLE))


def drop_lock(home: str) -> Composable:
    """Takes it away with the rest."""
    return SQL("DROP TABLE IF EXISTS {}").format(quoted_name(home, LOCK_TABLE))


class _LockTableDropped(Exception):
    """The table that was to be locked went away meanwhile, because another deployment was taken back."""


_SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', %s, true) WHERE current_setting('lock_timeout') = '0'"
_LOCK_TABLE_EXISTS = """
SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
"""
_LOCK_STATEMENT = SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE")


def _wait_for_other_deployments(connection: psycopg.Connection[Row], home: str) -> None:
    """Waits for other deployments: at the table of the home schema, and where there is none yet at a number.

    The number can be held by anybody who may log in, the table by its owner alone. Who waited at the number looks
    whether there is a table by now, at which others wait.
    """
    if not _lock_table(connection, home):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        _lock_table(connection, home)


def _lock_table(connection: psycopg.Connection[Row], home: str) -> bool:
    if not connection.execute(_LOCK_TABLE_EXISTS, [home, LOCK_TABLE]).fetchall():
        return False
    gone = False
    try:
        connection.execute(_LOCK_STATEMENT.format(quoted_name(home, LOCK_TABLE)))
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        gone = True
    if gone:
        raise _LockTableDropped
    return True


def _deployment_error(error: psycopg.Error) -> SfumatoError:
    """The engine's sentence is repeated where it is about names, rights and dependencies: these hold no values."""
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
        return DataError("the database cannot be reached, or does not let us in; nothing was changed.")
    return DataError(f"the database stopped the deployment (SQLSTATE {state}); nothing was changed.")
