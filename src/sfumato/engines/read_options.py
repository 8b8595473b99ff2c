"""How a file is read, where that is not left to be detected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is read. What is not given is detected, or has one value for the format of the file.

    `separator`, `encoding` and `header` are about text files: the character between two values, the name of an encoding
    that Python knows, and whether the first line has the names of the columns; workbooks have a header, too, and old
    files of statistics programs an encoding. `sheet` is the sheet of a workbook, `value_labels` says whether coded
    values of SPSS, Stata and SAS are read as their labels ("texts", the default) or as codes.
    """

    separator: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | None = None
    value_labels: Literal["texts", "codes"] | None = None


DETECTED = ReadOptions()
"""Everything about the file is detected."""
