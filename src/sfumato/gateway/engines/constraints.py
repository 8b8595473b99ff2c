"""What a database itself makes sure of in a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constraints:
    """Columns in which no value is missing, keys by which rows are told apart, and columns whose values may not repeat.

    The first of `keys` is the PRIMARY KEY, if there is one. `distinct` are all columns that anything says about values
    that do not repeat: alone, together with others, or for some rows.
    """

    never_missing: frozenset[str] = frozenset()
    keys: tuple[tuple[str, ...], ...] = ()
    distinct: frozenset[str] = frozenset()

    def row_key(self, person: str) -> tuple[str, ...] | None:
        """The columns that tell rows apart: that of people, if everybody has one row; None where nothing does.

        >>> Constraints(frozenset({"visit", "id"}), (("visit",),)).row_key("id")
        ('visit',)
        """
        whole = [one for one in self.keys if self.never_missing.issuperset(one)]
        return (person,) if (person,) in whole else next(iter(whole), None)
