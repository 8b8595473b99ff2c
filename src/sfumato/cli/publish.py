"""`sfumato publish plan.toml`: carry a plan out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import FormatOption


def publish(
    plan: Annotated[Path, typer.Argument(help="The plan file; 'sfumato init FILE' writes a first one.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Publish what a plan file describes, check the written release again, and write its certificate and report."""
    with answering():
        run_plan(plan, form)


def run_plan(plan: Path, form: Format) -> None:
    """Read the plan, run it under a progress bar and say what came of it."""
    from sfumato.cli.drawing import outcome_text
    from sfumato.plan import Plan

    with progress_bar():
        outcome = Plan.read(plan).run()
    answer(form, outcome.to_dict(), lambda: outcome_text(outcome))
