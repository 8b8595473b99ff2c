"""Views of tables: the published rows and the groups of indistinguishable records.

Models, metrics and attacks read every table through a `TableView`, whether it is a candidate in memory, a file that was
read back, or a release of another tool. So grouping is implemented once, for generalized tables and for bucketized
ones, which cut links between columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.errors import UsageError

if TYPE_CHECKING:
    from sfumato.disclosure.paired_numbers import PairedNumbers


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TableView(View):
    """The published rows of protected persons, without suppressed rows and rows of persons who waive protection."""

    table: Table
    _known: dict[tuple[str, ...], Groups] = field(default_factory=dict)

    @property
    def data(self) -> Table:
        """The published rows."""
        return self.table

    @property
    def people(self) -> Table | None:
        """The same rows with their original values, or None if these are not available."""
        return None

    @cached_property
    def numbers(self) -> PairedNumbers:
        """The columns that are published as numbers, beside the original ones; none where the truth is not known."""
        from sfumato.disclosure.paired_numbers import PairedNumbers

        known = self.people if self.truth_known else None
        if known is None:
            none = np.zeros((len(self.table), 0))
            return PairedNumbers((), none, none, self.table.counts)
        return PairedNumbers.of_tables(known, self.table, self.linkage)

    def people_groups(self, sensitive: str) -> Groups:
        """Who looks like whom to somebody who asks for a sensitive column, over the rows with their original values."""
        seen = self.groups(asked=[sensitive])
        return seen if self.people is None or seen.labels is None else Groups.of_labels(self.people, seen.labels)

    def groups(self, columns: Sequence[str] | None = None, asked: Sequence[str] = ()) -> Groups:
        """The groups for an attacker who knows all quasi columns, or the given ones, and wants to learn `asked`.

        If links between columns are cut, the groups depend on `asked`.
        """
        wanted = self.schema.quasi if columns is None else tuple(columns)
        grouped = self.linkage.grouping_columns(wanted, tuple(asked))
        # Models and metrics ask for the same groups again and again.
        if grouped not in self._known:
            self._known[grouped] = Groups.of(self.table, grouped)
        return self._known[grouped]

    def with_derived_columns(self, names: Sequence[str], derive: Callable[[Table], Table], model: str) -> Self:
        """The view with derived columns; original values come from `people`, or were published unchanged."""
        missing = [name for name in names if name not in self.table.codes]
        if not missing:
            return self
        made = derive(self.table if self.people is None else self.people)
        derived = [name for name in missing if name in made.codes]
        if derived and self.people is None:
            raise UsageError(
                f"{model} needs original values, and the release does not have them; give the original too."
            )
        return self.with_columns(made, derived)

    def with_columns(self, made: Table, names: Sequence[str]) -> Self:
        """The same view with more columns, taken from another table with the same rows."""
        table = self.table
        for name in names:
            table = table.with_column(name, made.codes[name], made.domain(name))
        return replace(self, table=table, _known={})
