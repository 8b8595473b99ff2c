"""What a database itself makes sure of in a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constraints:
    """Columns in which no value is missing (NOT NULL), and columns in which no value repeats (UNIQUE, PRIMARY KEY)."""

    never_missing: frozenset[str] = frozenset()
    unique: frozenset[str] = frozenset()

    def has_one_row_each(self, key: str) -> bool:
        """Whether everybody has one row, if people are told apart by a column."""
        return key in self.unique and key in self.never_missing
