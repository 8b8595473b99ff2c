"""One transaction for everything that is made or removed: either all of it happened, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.sql import Composable, Composed

from sfumato.errors import DataError, PolicyError, SfumatoError
from sfumato.gateway.postgres.statements import shown

Row = tuple[Any, ...]
LOCK = 0x5F0A70  # any number, as long as every deployment takes the same


@dataclass(frozen=True)
class Steps:
    """Statements to run one after the other, and what somebody with more rights would have to do."""

    statements: tuple[Composable, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statements, to read or to keep."""
        return shown(self.statements)


def run(conninfo: str, planned: Callable[[psycopg.Connection[Row]], Steps], *, dry: bool = False) -> Steps:
    """Plans and does what was planned in one transaction, one deployment at a time; a dry run only plans."""
    try:
        with psycopg.connect(conninfo) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            steps = planned(connection)
            if dry:
                connection.rollback()
            else:
                execute(connection, steps.statements)
            return steps
    except psycopg.Error as error:
        failure = _explained(error)
    raise failure  # raised out here, so that the engine's own words do not hang on it


def execute(connection: psycopg.Connection[Row], statements: Iterable[Composable]) -> None:
    """One after the other; nothing is kept unless the transaction around it ends well."""
    for statement in statements:
        connection.execute(Composed([statement]))


def _explained(error: psycopg.Error) -> SfumatoError:
    """The engine's sentence is repeated where it is about names, rights and dependencies: these hold no values."""
    state = error.sqlstate or ""
    if state[:2] in ("42", "2B", "3F"):
        return PolicyError(f"PostgreSQL refused the deployment, and nothing was changed: {error.diag.message_primary}.")
    if state.startswith(("08", "28", "3D", "57")) or not state:
        return DataError("the database cannot be reached, or does not let us in; nothing was changed.")
    return DataError(f"the database stopped the deployment (SQLSTATE {state}); nothing was changed.")
