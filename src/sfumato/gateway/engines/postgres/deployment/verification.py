"""Connects as a role of a deployment and reports what it can reach beyond its views.

The deployment alone does not decide this: rights of PUBLIC, memberships and other schemas count too. `sfumato gateway
reach` calls it for every login.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg

from sfumato.errors import DataError, UnreachableError
from sfumato.gateway.engines.postgres.connections import Row, connect, connection_error
from sfumato.gateway.engines.postgres.deployment.direct_login_checks import LOGIN_CHECKS
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.privilege_checks import ROLE_CHECKS, PrivilegeCheck

_COMMENTS = "SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = ANY(%s)"


@dataclass(frozen=True)
class VerificationFinding:
    """Something within reach that should not be, and a remedy; `grave` if values are at risk or nothing is logged."""

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

    `schemas` are those it is meant to read. With `digest`, they must have been deployed from the policy with that
    digest. `through` names roles that it may be a member of, because the views are granted to them. `direct` is for a
    login that people use without the gateway: what PostgreSQL allows every login is reported too.
    """
    failure: DataError = DataError(
        "the database cannot be reached as this role, or the role may not read the catalogue."
    )
    try:
        with connect(conninfo) as connection:
            parameters = {"schemas": list(schemas), "through": list(through)}
            checks = (*ROLE_CHECKS, *LOGIN_CHECKS) if direct else ROLE_CHECKS
            findings = [one for check in checks for one in _check_findings(connection, check, parameters)]
            return findings + _deployment_findings(connection, schemas, digest)
    except psycopg.Error as error:
        if isinstance(reason := connection_error(error, as_deployed=True), UnreachableError):
            failure = reason
    raise failure  # outside the except block, so that the server's message is not its context


def _check_findings(
    connection: psycopg.Connection[Row], check: PrivilegeCheck, parameters: dict[str, list[str]]
) -> list[VerificationFinding]:
    """The findings of one check, one per name."""
    names = sorted({str(name) for (name,) in connection.execute(check.query, parameters)})
    return [VerificationFinding(check.finding.format(name), check.remedy, check.grave) for name in names]


def _deployment_findings(
    connection: psycopg.Connection[Row], schemas: Sequence[str], digest: str | None
) -> list[VerificationFinding]:
    """Schemas that are not deployed, or that were deployed from another policy."""
    comments: dict[str, str | None] = dict(connection.execute(_COMMENTS, [list(schemas)]).fetchall())
    findings = []
    for schema in schemas:
        ownership = OwnershipComment.read(comments.get(schema))
        if ownership is None:
            findings.append(VerificationFinding(f"schema {schema!r} was not deployed by a gateway", "deploy."))
        elif digest is not None and ownership.digest != digest:
            findings.append(VerificationFinding(f"schema {schema!r} was deployed from another policy", "deploy again."))
    return findings
