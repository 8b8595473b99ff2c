"""`sfumato gateway deploy|undeploy|reach`: a policy in a PostgreSQL database, and what it lets reach."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.gateway_options import SetupOption
from sfumato.cli.options import FormatOption

DryOption = Annotated[bool, typer.Option("--dry-run", help="Only show the SQL.")]


def deploy(
    *, dry_run: DryOption = False, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT
) -> None:
    """Make a schema of masked views and a role for every purpose; again, it changes only what has to be changed."""
    with answering():
        from sfumato.gateway.engines.postgres_source import deployment_of, owner_types
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        policy, owner = found.policy, found.owner
        types = {name: owner_types(owner, name) for name in policy.sections.tables}
        made = deployment_of(policy, types, day=datetime.now(UTC).date(), home=found.sections.source.home)
        steps = made.deploy(owner, dry=dry_run)
        told = steps.text if dry_run else f"Deployed {len(made.purposes)} purposes in {len(steps.statements)} steps."
        plain = {"purposes": [one.purpose for one in made.purposes], "dry": dry_run, "sql": steps.text}
        answer(form, plain, lambda: "\n".join([told, *(f"Mind: {note}" for note in steps.notes)]))


def undeploy(
    *,
    forget_choices: Annotated[bool, typer.Option("--forget-choices", help="Also drop what people chose.")] = False,
    dry_run: DryOption = False,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Take back everything that deploy made, and nothing else."""
    with answering():
        from sfumato.gateway.engines.postgres_deployment import undeploy as take_back
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        home = found.sections.source.home
        steps = take_back(found.owner, home=home, forget_choices=forget_choices, dry=dry_run)
        told = steps.text if dry_run else f"Took back {home} in {len(steps.statements)} steps."
        answer(form, {"home": home, "dry": dry_run, "sql": steps.text}, lambda: told)


def reach(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Look, as each role of the gateway, what it can reach beyond its masked views. Exit 1 if anything."""
    with answering():
        from psycopg.conninfo import make_conninfo

        from sfumato.errors import PolicyError
        from sfumato.gateway.engines.postgres_source import deployment_of, owner_types
        from sfumato.gateway.postgres.verification import verify
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        policy, conninfo = found.policy, found.sections.source.postgres
        if conninfo is None:
            raise PolicyError("[source] names no PostgreSQL database.")
        types = {name: owner_types(found.owner, name) for name in policy.sections.tables}
        made = deployment_of(policy, types, day=datetime.now(UTC).date(), home=found.sections.source.home)
        findings = {
            one.purpose: verify(
                make_conninfo(conninfo, user=one.role), [one.schema, one.flat_schema], digest=policy.digest
            )
            for one in made.purposes
        }
        grave = any(finding.grave for every in findings.values() for finding in every)
        told = sorted({f"{'' if one.grave else 'Mind: '}{one}" for every in findings.values() for one in every})
        head = "More than masked views can be reached." if grave else "Nothing but masked views can be reached."
        plain = {purpose: [asdict(one) for one in every] for purpose, every in findings.items()}
        answer(form, {"findings": plain}, lambda: "\n".join([head, *told]))
        if grave:
            raise typer.Exit(DOES_NOT_HOLD)
