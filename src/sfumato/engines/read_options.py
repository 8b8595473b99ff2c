"""How a file is read, where that is not left to be detected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is read. What is not given is detected, or has one value for the format of the file.

    `separator`, `encoding` and `header` are about text files: the character between two values, the name of an encoding
    that Python knows, and whether the first line has the names of the columns.
    """

    separator: str | None = None
    encoding: str | None = None
    header: bool | None = None


DETECTED = ReadOptions()
"""Everything about the file is detected."""
