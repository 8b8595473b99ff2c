"""Verification: a role of a deployment looks at what it can reach, because what was deployed is not all there is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg

from sfumato.errors import DataError, UnreachableError
from sfumato.gateway.engines.postgres.connections import connect, unreachable
from sfumato.gateway.engines.postgres.deployment.deployed_state import Row
from sfumato.gateway.engines.postgres.deployment.direct_login_checks import DIRECT
from sfumato.gateway.engines.postgres.deployment.ownership_comments import Mark
from sfumato.gateway.engines.postgres.deployment.privilege_checks import QUESTIONS, PrivilegeQuestion

_COMMENTS = "SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = ANY(%s)"


@dataclass(frozen=True)
class VerificationFinding:
    """Something in reach that should not be, and what helps; `grave` where values are in danger, or no log tells."""

    what: str
    helps: str
    grave: bool = True

    def __str__(self) -> str:
        """One line."""
        return f"{self.what}; {self.helps}"


def verify(
    conninfo: str,
    schemas: Sequence[str],
    *,
    digest: str | None = None,
    through: Collection[str] = (),
    direct: bool = False,
) -> list[VerificationFinding]:
    """What a role, connected as itself, can reach beyond the masked relations in its schemas.

    `schemas` are those it is meant to read. With `digest` they must have been deployed from the policy with it.
    `through` names roles that it may be a member of, because the views are granted to them. `direct` is for a login
    that people use beside the gateway: what PostgreSQL lets everybody do is told too.
    """
    failure: DataError = DataError("the database cannot be reached as this role, or does not let it look at itself.")
    try:
        with connect(conninfo) as connection:
            asked = {"schemas": list(schemas), "through": list(through)}
            questions = (*QUESTIONS, *DIRECT) if direct else QUESTIONS
            found = [one for question in questions for one in _found(connection, question, asked)]
            return found + _undeployed(connection, schemas, digest)
    except psycopg.Error as error:
        if isinstance(told := unreachable(error, as_deployed=True), UnreachableError):
            failure = told
    raise failure  # raised out here, so that the engine's own words do not hang on it


def _found(
    connection: psycopg.Connection[Row], question: PrivilegeQuestion, asked: dict[str, list[str]]
) -> list[VerificationFinding]:
    names = sorted({str(name) for (name,) in connection.execute(question.asks, asked)})
    return [VerificationFinding(question.means.format(name), question.helps, question.grave) for name in names]


def _undeployed(
    connection: psycopg.Connection[Row], schemas: Sequence[str], digest: str | None
) -> list[VerificationFinding]:
    comments: dict[str, str | None] = dict(connection.execute(_COMMENTS, [list(schemas)]).fetchall())
    found = []
    for schema in schemas:
        mark = Mark.read(comments.get(schema))
        if mark is None:
            found.append(VerificationFinding(f"schema {schema!r} was not deployed by a gateway", "deploy."))
        elif digest is not None and mark.digest != digest:
            found.append(VerificationFinding(f"schema {schema!r} was deployed from another policy", "deploy again."))
    return found
