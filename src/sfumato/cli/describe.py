"""`sfumato describe NAME`: what one thing does and what it lets one set."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption


def describe(
    name: Annotated[str, typer.Argument(help="A name from 'sfumato list'.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Explain anything on offer, such as a model or an algorithm, and its settings."""
    with answering():
        from sfumato.cli.drawing import entry_text
        from sfumato.settings import catalogue

        entry = catalogue.describe(name)
        answer(form, {**entry.to_dict(), "doc": entry.doc}, lambda: entry_text(entry))
