"""`sfumato publish plan.toml`: run a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import FormatOption, RawOption


def publish(
    plan: Annotated[Path, typer.Argument(help="The plan file; 'sfumato init FILE' writes a first one.")],
    data: Annotated[
        Path | None, typer.Option(help="Another file to publish by the same plan, such as that of the next month.")
    ] = None,
    raw: RawOption = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Run a plan: compute a release, write it, check the written file, and write its certificate and report."""
    with answering():
        run_plan(plan, form, data=data, raw=raw)


def run_plan(plan: Path, form: Format, *, data: Path | None = None, raw: bool = False) -> None:
    """Run a plan file with a progress bar, on its own data or on another file, and print the outcome."""
    from sfumato.cli.drawing import outcome_text
    from sfumato.plan import Plan

    with progress_bar():
        found = Plan.read(plan)
        outcome = (found if data is None else found.on(data)).run()
    brief = [*outcome.tables.values(), *outcome.files.values()]
    answer(form, outcome.to_dict(), lambda: outcome_text(outcome, raw=raw), brief=brief)
