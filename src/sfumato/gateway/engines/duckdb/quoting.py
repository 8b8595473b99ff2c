"""Names in SQL."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever is in it.

    >>> quoted("income.lo")
    '"income.lo"'
    """
    return '"' + name.replace('"', '""') + '"'
