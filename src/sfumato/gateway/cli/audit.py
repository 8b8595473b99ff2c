"""`sfumato gateway audit verify|report|head`: checks the audit log, counts its entries, and shows its last entry."""

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
    from sfumato.gateway.log.audit_head import AuditHead
    from sfumato.gateway.setup.setup import Setup

_GOOD, _WRONG, _MISSING, _UNCHECKED = "good", "wrong", "missing", "not checked"

audit = typer.Typer(help="Check the audit log, and count what is in it.", no_args_is_help=True)


@audit.callback()
def _audit() -> None:
    """Check the audit log, and count what is in it."""


@audit.command()
def verify(
    *,
    head: Annotated[str | None, typer.Option(help="The hash of the last entry as recorded elsewhere.")] = None,
    head_file: Annotated[
        Path | None, typer.Option("--head-file", help="What 'audit head --output' wrote, kept elsewhere.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The key that the head file was signed with.")] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Follow the hash chain through the log; exit with 1 if it is broken, or lacks the head recorded elsewhere."""
    with answering():
        from sfumato.errors import UsageError
        from sfumato.gateway.log.audit_head import AuditHead
        from sfumato.gateway.log.audit_log import AuditLog
        from sfumato.gateway.setup.setup import Setup
        from sfumato.runtime.key_files import read_key

        if (head is not None and head_file is not None) or (key is not None and head_file is None):
            raise UsageError("give either --head or --head-file; --key needs --head-file.")
        recorded_head = None if head_file is None else AuditHead.load(head_file)
        signature = _signature(recorded_head, None if key is None else read_key(key))
        verification = AuditLog.verify(Setup.read(setup).log, head=head if recorded_head is None else recorded_head)
        plain = {**asdict(verification), "signature": signature}
        answer(
            form,
            plain,
            lambda: str(verification) + ("" if signature is None else f"\nSignature of the head: {signature}."),
        )
        if not verification.holds or signature in (_MISSING, _WRONG):
            raise typer.Exit(DOES_NOT_HOLD)


@audit.command("head")
def show_head(
    *,
    key: Annotated[Path | None, typer.Option(help="A key file to sign the head with.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file to write the head into.")] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Show the last entry of the log, to be recorded where nobody who can write the log can write."""
    with answering():
        from sfumato.gateway.log.audit_head import AuditHead
        from sfumato.gateway.setup.setup import Setup
        from sfumato.runtime.key_files import read_key

        current_head = AuditHead.read(Setup.read(setup).log)
        if key is not None:
            current_head = current_head.signed(read_key(key))
        if output is not None:
            current_head.write(output)
        lines = [f"Entry {current_head.number} of {current_head.time}", f"Head {current_head.hash}"]
        lines += [f"Signature {current_head.signature}"] if current_head.signature else []
        answer(form, current_head.as_dict(), lambda: "\n".join(lines))


@audit.command()
def report(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Who asked how often, for which purposes and tables, and what was refused."""
    with answering():
        from sfumato.gateway.cli.drawing import report_text
        from sfumato.gateway.log.audit_log import AuditLog
        from sfumato.gateway.setup.setup import Setup

        loaded = Setup.read(setup)
        report, beside = AuditLog.report(loaded.log), _logins_of_tools(loaded)
        answer(form, {**report.to_dict(), "beside": beside}, lambda: report_text(report, beside))


def _logins_of_tools(setup: Setup) -> list[str]:
    """Logins of PostgreSQL whose queries bypass the gateway and are not in its log."""
    source = setup.sections.source
    if source.postgres is None or not source.tools:
        return []
    from sfumato.gateway.engines.postgres.deployment.policy_deployment import tools_logins

    return tools_logins(setup.policy, day=datetime.now(UTC).date(), prefix=source.home)


def _signature(recorded_head: AuditHead | None, key: bytes | None) -> str | None:
    """The state of a head's signature; None if there is no head, or neither a signature nor a key."""
    if recorded_head is None or (key is None and not recorded_head.signature):
        return None
    if key is None:
        return _UNCHECKED
    if not recorded_head.signature:
        return _MISSING
    return _GOOD if recorded_head.is_signed_with(key) else _WRONG
