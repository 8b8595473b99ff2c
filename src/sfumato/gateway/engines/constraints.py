"""Constraints that a database enforces on a table.

The sources read them; exact statistics use them to find out which columns identify rows and people.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constraints:
    """Columns without missing values, keys that identify rows, and columns whose values may not repeat.

    The first of `keys` is the PRIMARY KEY, if there is one. `distinct` are all columns that any constraint or index on
    uniqueness mentions: alone, together with others, or for some rows.
    """

    never_missing: frozenset[str] = frozenset()
    keys: tuple[tuple[str, ...], ...] = ()
    distinct: frozenset[str] = frozenset()

    def row_key(self, person: str) -> tuple[str, ...] | None:
        """The columns that identify a row; None if no key does.

        It is the `person` column, if every person has one row.

        >>> Constraints(frozenset({"visit", "id"}), (("visit",),)).row_key("id")
        ('visit',)
        """
        whole = [one for one in self.keys if self.never_missing.issuperset(one)]
        return (person,) if (person,) in whole else next(iter(whole), None)
