"""`sfumato describe NAME`: the documentation and settings of one entry of the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.completion import entries_of
from sfumato.cli.options import FormatOption
from sfumato.settings.catalogue import kinds


def describe(
    name: Annotated[str, typer.Argument(help="A name from 'sfumato list'.", autocompletion=entries_of(*kinds()))],
    form: FormatOption = Format.TEXT,
) -> None:
    """Explain a model, an algorithm or any other entry of the catalogue, with its settings."""
    with answering():
        from sfumato.cli.drawing import entry_text
        from sfumato.settings import catalogue

        entry = catalogue.describe(name)
        answer(form, {**entry.to_dict(), "doc": entry.doc}, lambda: entry_text(entry))
