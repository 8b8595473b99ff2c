"""`sfumato list [KIND]`: the entries of the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.completion import words_from
from sfumato.cli.options import FormatOption
from sfumato.settings.catalogue import kinds


def listing(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="A kind of entry, such as models or attacks; by default all kinds.", autocompletion=words_from(kinds)
        ),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """List models, algorithms, metrics and all other entries of the catalogue."""
    with answering():
        from sfumato.cli.drawing import listing_text
        from sfumato.settings import catalogue

        found = {one: catalogue.entries(one) for one in ([kind] if kind else catalogue.kinds())}
        plain = {one: [entry.to_dict() for entry in entries] for one, entries in found.items()}
        answer(form, plain, lambda: listing_text(found))
