"""Representations without values: notebooks, logs and debuggers print them, and so must show no value of a record."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


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


def _size(held: Any) -> str:
    """The number of entries; empty for what has none, and for texts."""
    if isinstance(held, (str, bytes)):
        return ""
    shape = getattr(held, "shape", None)
    if shape is None:
        shape = (len(held),) if hasattr(held, "__len__") else ()
    return " x ".join(map(str, shape))
