"""What somebody sees of a release: the rows that are published, and who looks like whom in them.

Models, metrics and attacks read every release through a `View`, whether it was just decided, is read back from a file,
or belongs to somebody else. So grouping is written once, for generalized tables and for those that cut links between
columns.
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
    """Published rows of people who are protected, equal where their labels are.

    `linkage` says which columns still belong to one record, `account` what the process that made the release spent,
    where it kept one. Rows of people who waive protection, and rows that are suppressed, are not in `table`.
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
        """The same rows with their original values, where these are at hand."""
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
        """Who looks like whom to somebody who knows all quasi columns, or the given ones, and asks for others.

        Where links between columns are cut, what can be learned depends on what is asked.
        """
        wanted = self.schema.quasi if columns is None else tuple(columns)
        grouped = self.linkage.grouping_columns(wanted, tuple(asked))
        if grouped not in self._known:
            self._known[grouped] = Groups.of(self.table, grouped)
        return self._known[grouped]

    def with_columns(self, made: Table, names: Sequence[str]) -> Self:
        """The same view with further columns of the same rows, taken from another table."""
        table = self.table
        for name in names:
            table = table.with_column(name, made.codes[name], made.domain(name))
        return replace(self, table=table, _known={})
