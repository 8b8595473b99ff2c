"""`sfumato key new FILE`: a secret key for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption

keys = typer.Typer(help="Keys for pseudonyms.", no_args_is_help=True)


@keys.callback()
def _keys() -> None:
    """Keys for pseudonyms."""


@keys.command()
def new(
    file: Annotated[Path, typer.Argument(help="The key file to write; it must not exist.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Make a random key that only you can read; whoever has it can recompute every pseudonym."""
    with answering():
        from sfumato.data.pseudonyms import write_key

        made = write_key(file)
        answer(form, {"key": str(made)}, lambda: f"New key in {made}. Keep it apart from what you publish.")
