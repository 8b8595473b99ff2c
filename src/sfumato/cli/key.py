"""`sfumato key new FILE` creates a secret key; `sfumato key digest KEY FILE` recomputes the digest of a certificate."""

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
    """Create a random key that only you can read; whoever has it can recompute every pseudonym or digest."""
    with answering():
        from sfumato.runtime.key_files import write_key

        key = write_key(file)
        answer(
            form, {"key": str(key)}, lambda: f"New key in {key}. Do not store it with the published files.", brief=[key]
        )


@keys.command()
def digest(
    key: Annotated[Path, typer.Argument(help="The key file that the plan names as 'digest_key'.")],
    file: Annotated[Path, typer.Argument(help="The file that may have been the input.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Compute the keyed digest of a file; it equals the digest in a certificate if the file was the input."""
    with answering():
        from sfumato.audit.file_digest import FileDigest
        from sfumato.runtime.key_files import read_key

        result = FileDigest(read_key(key)).of(file)
        answer(form, result, lambda: result["value"], brief=[result["value"]])
