"""Shows the examples in docstrings as what they are: a Python session."""

from __future__ import annotations

from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Puts a fence around every doctest before a docstring is read as Markdown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The text with a fence around every block that begins with a prompt."""
    blocks = text.split("\n\n")
    return "\n\n".join(f"```pycon\n{block}\n```" if block.startswith(">>>") else block for block in blocks)
