"""Views: what an attacker sees of a release, that is the published rows and the groups of indistinguishable records.

Models, metrics and attacks read every release through a `View`, whether it is a candidate in memory, a file that was
read back, or a release of another tool. So grouping is implemented once, for generalized tables and for bucketized
ones, which cut links between columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.account import Account
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage

if TYPE_CHECKING:
    from sfumato.disclosure.paired_numbers import PairedNumbers


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """The published rows of protected persons.

    `linkage` says which columns still belong to one record, and `account` what the algorithm spent of a privacy budget,
    if it kept an account. Rows of persons who waive protection and suppressed rows are not in `table`.
    """

    table: Table
    linkage: Linkage = field(default_factory=Linkage)
    account: Account | None = None
    _known: dict[tuple[str, ...], Groups] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """The roles of the columns."""
        return self.table.schema

    @property
    def people(self) -> Table | None:
        """The same rows with their original values, or None if these are not available."""
        return None

    @property
    def truth_known(self) -> bool:
        """Whether `people` tells which sensitive value and which original numbers belong to whom."""
        return False

    @property
    def view(self) -> View:
        """The view itself; so a release that was read back can be attacked like one that was just made."""
        return self

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
        if grouped not in self._known:
            self._known[grouped] = Groups.of(self.table, grouped)
        return self._known[grouped]

    def with_columns(self, made: Table, names: Sequence[str]) -> Self:
        """The same view with more columns, taken from another table with the same rows."""
        table = self.table
        for name in names:
            table = table.with_column(name, made.codes[name], made.domain(name))
        return replace(self, table=table, _known={})
