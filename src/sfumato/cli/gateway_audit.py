"""`sfumato gateway audit verify|report`: whether the log is whole, and what it tells."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.gateway_options import SetupOption
from sfumato.cli.options import FormatOption

if TYPE_CHECKING:
    from sfumato.gateway.setup import Setup

audit = typer.Typer(help="Whether the log is whole, and what it tells.", no_args_is_help=True)


@audit.callback()
def _audit() -> None:
    """Whether the log is whole, and what it tells."""


@audit.command()
def verify(
    *,
    head: Annotated[str | None, typer.Option(help="The hash of the last entry as noted elsewhere.")] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Follow the chain of hashes through the log; exit with 1 where it is broken."""
    with answering():
        from sfumato.gateway.audit_log import AuditLog
        from sfumato.gateway.setup import Setup

        found = AuditLog.verify(Setup.read(setup).log, head=head)
        answer(form, asdict(found), lambda: str(found))
        if not found.holds:
            raise typer.Exit(DOES_NOT_HOLD)


@audit.command()
def report(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Who asked how often, for which purposes and tables, and what was refused."""
    with answering():
        from sfumato.cli.gateway_drawing import report_text
        from sfumato.gateway.audit_log import AuditLog
        from sfumato.gateway.setup import Setup

        opened = Setup.read(setup)
        found, beside = AuditLog.report(opened.log), _logins_of_tools(opened)
        answer(form, {**found.to_dict(), "beside": beside}, lambda: report_text(found, beside))


def _logins_of_tools(setup: Setup) -> list[str]:
    """Logins of PostgreSQL whose questions do not come through the gateway."""
    source = setup.sections.source
    if source.postgres is None or not source.tools:
        return []
    from sfumato.gateway.engines.postgres_source import tools_logins

    return tools_logins(setup.policy, day=datetime.now(UTC).date(), home=source.home)
