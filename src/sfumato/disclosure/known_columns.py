"""Known columns: the background knowledge of an attacker who knows the values of some columns of a person.

`GroupModel.background` returns it; most models assume that all quasi columns are known, LKC-privacy any l of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from sfumato.data.table import Table
from sfumato.disclosure.background import Background, Grouping
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.table_view import TableView
from sfumato.runtime.progress import advance

Columns = tuple[str, ...]

_FEW = 8
"""Up to this many sets of columns are each grouped from all rows of the view."""


@dataclass(frozen=True)
class KnownColumns(Background[TableView]):
    """An attacker knows the values of any `at_most` of these columns.

    Sets of exactly `at_most` columns suffice: an attacker who knows fewer columns sees unions of these groups.

    >>> list(KnownColumns(("a", "b", "c"), 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    columns: Columns
    at_most: int

    def __iter__(self) -> Iterator[Columns]:
        return combinations(self.columns, min(self.at_most, len(self.columns)))

    def __len__(self) -> int:
        return comb(len(self.columns), min(self.at_most, len(self.columns)))

    def groupings(self, view: TableView, asked: Columns) -> Iterator[Grouping]:
        """The groups of every set of known columns; of several sets, those that give the same groups are left out.

        If there are many sets, each is grouped from the distinct rows of a larger set that contains it and of the
        columns `asked`, which are fewer than the rows of the view.
        """
        if len(self) <= 1:
            yield from (Grouping(view.groups(columns, asked)) for columns in self)
            return
        table, done = view.groups(()).table, 0
        varying = self.varying_in(table)
        if len(varying) <= _FEW:
            yield from (Grouping(view.groups(columns, asked)) for columns in varying)
            return
        for around, inside in varying.covering_sets():
            rows, number = table.distinct((*around, *asked))
            for columns in inside:
                yield Grouping(Groups.of(rows, columns), number)
            done += len(inside)
            advance("judging", done, len(varying))

    def varying_in(self, table: Table) -> KnownColumns:
        """The same without the columns that have one value in all rows of a table, since they separate no records."""
        varied = [name for name in self.columns if (table.codes[name] != table.codes[name][:1]).any()]
        return KnownColumns(tuple(varied), self.at_most)

    def covering_sets(self) -> Iterator[tuple[Columns, list[Columns]]]:
        """Larger sets of columns, each with the known sets that it contains and no earlier one does.

        Columns are paired, and each larger set joins as many pairs as a known set has columns. The columns of a known
        set lie in at most that many pairs, so every known set is contained in a larger one.
        """
        pairs = [self.columns[first : first + 2] for first in range(0, len(self.columns), 2)]
        taken: set[Columns] = set()
        for chosen in combinations(pairs, min(self.at_most, len(pairs))):
            around = tuple(name for pair in chosen for name in pair)
            inside = [columns for columns in KnownColumns(around, self.at_most) if columns not in taken]
            taken.update(inside)
            if inside:
                yield around, inside
