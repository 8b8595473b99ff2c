"""`sfumato list [KIND]`: what is on offer."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption


def listing(
    kind: Annotated[
        str | None,
        typer.Argument(help="A kind of thing, such as models or attacks; all if not said."),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Show what is on offer."""
    with answering():
        from sfumato.cli.drawing import listing_text
        from sfumato.settings import catalogue

        found = {one: catalogue.entries(one) for one in ([kind] if kind else catalogue.kinds())}
        plain = {one: [entry.to_dict() for entry in entries] for one, entries in found.items()}
        answer(form, plain, lambda: listing_text(found))
