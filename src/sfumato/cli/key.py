"""`sfumato key new FILE` makes a secret key, `sfumato key digest KEY FILE` recomputes a digest of a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption

keys = typer.Typer(help="Keys for pseudonyms and digests.", no_args_is_help=True)


@keys.callback()
def _keys() -> None:
    """Keys for pseudonyms and digests."""


@keys.command()
def new(
    file: Annotated[Path, typer.Argument(help="The key file to write; it must not exist.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Make a random key that only you can read; whoever has it can recompute every pseudonym or digest."""
    with answering():
        from sfumato.runtime.key_files import write_key

        made = write_key(file)
        answer(form, {"key": str(made)}, lambda: f"New key in {made}. Keep it apart from what you publish.")


@keys.command()
def digest(
    key: Annotated[Path, typer.Argument(help="The key file that the plan names as 'digest_key'.")],
    file: Annotated[Path, typer.Argument(help="The file that may have been the input.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Compute the digest of a file under a key; equal to that in a certificate if this file was its input."""
    with answering():
        from sfumato.audit.input_digest import InputDigest
        from sfumato.runtime.key_files import read_key

        found = InputDigest(read_key(key)).of(file)
        answer(form, found, lambda: found["value"])
