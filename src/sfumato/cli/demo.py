"""`sfumato demo [FOLDER]`: publish a table of synthetic patients, from plan to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answering
from sfumato.cli.options import FormatOption
from sfumato.cli.publish import run_plan
from sfumato.errors import OutputError

PATIENTS = 10_000


def demo(
    folder: Annotated[Path, typer.Argument(help="The folder for the files; created if it does not exist.")] = Path(
        "sfumato-demo"
    ),
    form: FormatOption = Format.TEXT,
) -> None:
    """Write a table of synthetic patients and a plan, and publish it; an existing plan or table is used as it is."""
    with answering():
        run_plan(prepare(folder), form)


def prepare(folder: Path) -> Path:
    """Write the table and the plan into the folder, and return the path of the plan."""
    from importlib.resources import files

    from sfumato.datasets import write_patients
    from sfumato.runtime.atomic_files import reason, write_text

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {str(folder)!r} cannot be created: {reason(error)}") from None
    table, plan = folder / "patients.csv", folder / "plan.toml"
    if not table.exists():
        write_patients(table, PATIENTS, seed=1)
    if not plan.exists():
        write_text(files("sfumato.datasets").joinpath("demo.toml").read_text(encoding="utf-8"), plan)
    return plan
