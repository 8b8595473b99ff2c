"""`sfumato gateway deploy|undeploy|reach`: deploys a policy to PostgreSQL, and checks what its logins can reach."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.options import FormatOption
from sfumato.gateway.cli.options import SetupOption

if TYPE_CHECKING:
    from sfumato.gateway.engines.postgres.deployment.deployment import Deployment
    from sfumato.gateway.engines.postgres.deployment.verification import VerificationFinding
    from sfumato.gateway.setup.setup import Setup

DryOption = Annotated[bool, typer.Option("--dry-run", help="Only show the SQL.")]


def deploy(
    *, dry_run: DryOption = False, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT
) -> None:
    """Create masked views and a role for every purpose, and flat views for tools; a second run changes what differs."""
    with answering():
        from sfumato.gateway.setup.setup import Setup

        loaded = Setup.read(setup)
        owner = loaded.owner
        deployment = _deployment(loaded)
        steps = deployment.deploy(owner, dry=dry_run)
        text = (
            steps.text if dry_run else f"Deployed {len(deployment.purposes)} purposes in {len(steps.statements)} steps."
        )
        plain = {
            "purposes": [one.purpose for one in deployment.purposes],
            "tools": deployment.tools_roles,
            "dry": dry_run,
            "sql": steps.text,
            "notes": list(steps.notes),
        }
        answer(form, plain, lambda: "\n".join([text, *(f"Note: {note}" for note in steps.notes)]))


def undeploy(
    *,
    forget_choices: Annotated[bool, typer.Option("--forget-choices", help="Also drop what people chose.")] = False,
    dry_run: DryOption = False,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Remove everything that deploy created, and nothing else."""
    with answering():
        from sfumato.gateway.engines.postgres.deployment.deployment import undeploy as remove_deployment
        from sfumato.gateway.setup.setup import Setup

        loaded = Setup.read(setup)
        prefix = loaded.sections.source.home
        steps = remove_deployment(loaded.owner, prefix=prefix, forget_choices=forget_choices, dry=dry_run)
        text = steps.text if dry_run else f"Removed {prefix} in {len(steps.statements)} steps."
        answer(form, {"home": prefix, "dry": dry_run, "sql": steps.text}, lambda: text)


def reach(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Check, as each login, what it can reach beyond its views. Exit 1 if something must be fixed."""
    with answering():
        from sfumato.errors import PolicyError
        from sfumato.gateway.setup.setup import Setup

        loaded = Setup.read(setup)
        conninfo = loaded.sections.source.postgres
        if conninfo is None:
            raise PolicyError("[source] names no PostgreSQL database.")
        findings = _findings(_deployment(loaded), conninfo)
        grave = any(finding.grave for every in findings.values() for finding in every)
        text = sorted({f"{'' if one.grave else 'Note: '}{one}" for every in findings.values() for one in every})
        problem = "Logins can reach more than masked views, or their queries are not logged; this must be fixed."
        head = problem if grave else "Only masked views can be reached."
        plain = {login: [asdict(one) for one in every] for login, every in findings.items()}
        answer(form, {"findings": plain}, lambda: "\n".join([head, *text]))
        if grave:
            raise typer.Exit(DOES_NOT_HOLD)


def _deployment(setup: Setup) -> Deployment:
    """The objects that the policy of a setup needs in its database today."""
    from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
    from sfumato.gateway.engines.postgres.source import owner_types

    policy, source = setup.policy, setup.sections.source
    types = {name: owner_types(setup.owner, name) for name in policy.sections.tables}
    return deployment_of(policy, types, day=datetime.now(UTC).date(), prefix=source.home, tools=source.tools)


def _findings(deployment: Deployment, conninfo: str) -> dict[str, list[VerificationFinding]]:
    """What every login can reach: the gateway's own and those of tools."""
    from psycopg.conninfo import make_conninfo

    from sfumato.errors import DataError
    from sfumato.gateway.engines.postgres.deployment.verification import VerificationFinding, verify

    findings: dict[str, list[VerificationFinding]] = {}
    for schema in deployment.schemas():
        login, direct = make_conninfo(conninfo, user=schema.role), schema.part == "flat"
        try:
            findings[schema.role] = verify(login, [schema.name], digest=deployment.digest, direct=direct)
        except DataError:
            if not direct:
                raise
            findings[schema.role] = [
                VerificationFinding(
                    f"this machine cannot connect as login {schema.role!r}, so what it can reach is not known",
                    "let this machine connect as that login, or set tools = false if nobody uses it.",
                    grave=False,
                )
            ]
    return findings
