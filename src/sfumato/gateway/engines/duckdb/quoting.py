"""Quoting of names in SQL for DuckDB."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name as a quoted identifier.

    >>> quoted("income.lo")
    '"income.lo"'
    """
    return '"' + name.replace('"', '""') + '"'
