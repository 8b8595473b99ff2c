"""Representations without values: notebooks, logs and debuggers print them, and so must show no value of a record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any

_MOST_ROWS = 60
"""Rows of a table in a notebook; a table of hundreds of columns does not fill the screen."""


def sizes_only(thing: Any) -> str:
    """The class of a named tuple or dataclass, and the sizes of what it holds; for `__repr__`.

    >>> from typing import NamedTuple
    >>> import numpy as np
    >>> class Patients(NamedTuple):
    ...     ages: np.ndarray
    ...     names: tuple[str, ...]
    ...     ward: str
    ...     def __repr__(self) -> str:
    ...         return sizes_only(self)
    >>> Patients(np.array([[34, 35], [71, 72]]), ("Ann", "Bob"), "west")
    <Patients: ages 2 x 2, names 2>
    """
    names = getattr(thing, "_fields", None) or [field.name for field in fields(thing)]
    sizes = [f"{name} {_size(getattr(thing, name))}" for name in names if _size(getattr(thing, name))]
    return f"<{type(thing).__name__}: {', '.join(sizes)}>"


def html_table(caption: str, rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """A small table for `_repr_html_`: a caption, maybe heads, and rows whose first cell names the row.

    >>> html_table("Patients", [("age", "at least <3")])
    '<table><caption>Patients</caption><tbody><tr><th scope="row">age</th><td>at least &lt;3</td></tr></tbody></table>'
    """
    listed = list(rows)
    shown = [
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in listed[:_MOST_ROWS]
    ]
    if len(listed) > _MOST_ROWS:
        shown.append(f'<tr><td colspan="{len(listed[0])}">and {len(listed) - _MOST_ROWS:,} more</td></tr>')
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return (
        f"<table><caption>{escape(caption)}</caption>{f'<thead><tr>{head}</tr></thead>' if heads else ''}"
        f"<tbody>{''.join(shown)}</tbody></table>"
    )


def _size(held: Any) -> str:
    """The number of entries; empty for what has none, and for texts."""
    if isinstance(held, (str, bytes)):
        return ""
    shape = getattr(held, "shape", None)
    if shape is None:
        shape = (len(held),) if hasattr(held, "__len__") else ()
    return " x ".join(map(str, shape))
