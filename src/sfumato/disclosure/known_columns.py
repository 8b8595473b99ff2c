"""Known columns: an attacker knows the values of some columns of a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from sfumato.data.table import Table
from sfumato.disclosure.background import Background, Grouping
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.runtime.progress import advance

Columns = tuple[str, ...]

_FEW = 8
"""Up to this many sets of columns are each grouped from all rows of the view."""


@dataclass(frozen=True)
class KnownColumns(Background):
    """An attacker knows the values of any `at_most` of these columns.

    It is enough to look at sets of exactly that many: somebody who knows fewer sees unions of these groups.

    >>> list(KnownColumns(("a", "b", "c"), 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    columns: Columns
    at_most: int

    def __iter__(self) -> Iterator[Columns]:
        return combinations(self.columns, min(self.at_most, len(self.columns)))

    def __len__(self) -> int:
        return comb(len(self.columns), min(self.at_most, len(self.columns)))

    def groupings(self, view: View, asked: Columns) -> Iterator[Grouping]:
        """The groups of every set of known columns; sets that group records alike come once.

        Hundreds of sets are not each counted from all rows, but from the distinct rows of a larger set around them,
        together with the columns that are asked for.
        """
        if len(self) <= _FEW:
            yield from (Grouping(view.groups(columns, asked)) for columns in self)
            return
        table, done = view.groups(()).table, 0
        varying = self.varying_in(table)
        for around, inside in varying.covering_sets():
            rows, number = table.distinct((*around, *asked))
            for columns in inside:
                yield Grouping(Groups.of(rows, columns), number)
            done += len(inside)
            advance("judging", done, len(varying))

    def varying_in(self, table: Table) -> KnownColumns:
        """Without the columns that have one value in all rows of a table, since they separate no records."""
        varied = [name for name in self.columns if (table.codes[name] != table.codes[name][:1]).any()]
        return KnownColumns(tuple(varied), self.at_most)

    def covering_sets(self) -> Iterator[tuple[Columns, list[Columns]]]:
        """Larger sets of columns, and for each of them the known sets that lie inside it and in none before.

        Columns are paired up, and as many pairs joined as a known set has columns: the columns of any known set lie in
        at most that many pairs.
        """
        pairs = [self.columns[first : first + 2] for first in range(0, len(self.columns), 2)]
        taken: set[Columns] = set()
        for chosen in combinations(pairs, min(self.at_most, len(pairs))):
            around = tuple(name for pair in chosen for name in pair)
            inside = [columns for columns in KnownColumns(around, self.at_most) if columns not in taken]
            taken.update(inside)
            if inside:
                yield around, inside
