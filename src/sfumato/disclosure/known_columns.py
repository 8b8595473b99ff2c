"""Many groupings of the same records: by every set of columns that somebody could know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.runtime.progress import advance

Columns = tuple[str, ...]

_FEW = 8


@dataclass(frozen=True)
class Known:
    """What somebody could know of a person: the values of any `at_most` of these columns.

    It is enough to look at sets of exactly that many: who knows less sees groups that are unions of theirs.

    >>> list(Known(("a", "b", "c"), 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    columns: Columns
    at_most: int

    def __iter__(self) -> Iterator[Columns]:
        return combinations(self.columns, min(self.at_most, len(self.columns)))

    def __len__(self) -> int:
        return comb(len(self.columns), min(self.at_most, len(self.columns)))

    def telling(self, table: Table) -> Known:
        """Without the columns that are the same in all rows of a table, as they group nothing."""
        varied = [name for name in self.columns if (table.codes[name] != table.codes[name][:1]).any()]
        return Known(tuple(varied), self.at_most)


class Grouping(NamedTuple):
    """Groups by one set of columns; row i that is seen is row `number[i]` of the table they were counted from."""

    groups: Groups
    number: NDArray[np.int32] | None = None

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of every row that is seen."""
        labels = self.groups.labels if self.groups.labels is not None else np.zeros(0, dtype=np.int32)
        return labels if self.number is None else labels[self.number]


def every_grouping(view: View, known: Known, asked: Columns) -> Iterator[Grouping]:
    """The groups of every set of columns that is known; sets that group alike come once.

    Hundreds of sets are not counted from all records each, but from the distinct rows of a larger set around them, with
    the columns that are `asked` for.
    """
    if len(known) <= _FEW:
        yield from (Grouping(view.groups(columns, asked)) for columns in known)
        return
    table, done = view.groups(()).table, 0
    known = known.telling(table)
    for around, inside in covered(known):
        rows, number = table.condensed((*around, *asked))
        for columns in inside:
            yield Grouping(Groups.of(rows, columns), number)
        done += len(inside)
        advance("judging", done, len(known))


def covered(known: Known) -> Iterator[tuple[Columns, list[Columns]]]:
    """Larger sets of columns, and for each of them the known sets that lie inside it and in none before.

    Columns are paired up, and as many pairs put together as a set has columns: whatever the set, its columns lie in so
    many pairs.
    """
    pairs = [known.columns[first : first + 2] for first in range(0, len(known.columns), 2)]
    taken: set[Columns] = set()
    for chosen in combinations(pairs, min(known.at_most, len(pairs))):
        around = tuple(name for pair in chosen for name in pair)
        inside = [columns for columns in Known(around, known.at_most) if columns not in taken]
        taken.update(inside)
        if inside:
            yield around, inside
