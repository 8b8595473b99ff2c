"""`sfumato gateway audit verify|report`: whether the log is whole, and what it tells."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.gateway_options import SetupOption
from sfumato.cli.options import FormatOption

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

        found = AuditLog.report(Setup.read(setup).log)
        answer(form, found.to_dict(), lambda: report_text(found))
