"""Kinds of values of a column."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The type of a column's values: numbers, dates and months are ordered, texts are not."""

    NUMBER = "number"
    DATE = "date"
    MONTH = "month"
    TEXT = "text"
