"""Candidates: a way to publish a table that nobody has judged yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.account import Account
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.view import View
from sfumato.recodings.recoding import Recoding


@dataclass(frozen=True, eq=False)
class Candidate:
    """A way to publish a table, not judged yet.

    Row i of `published` stands for `published.counts[i]` records of row `origin[i]` of the original; rows marked in
    `suppressed` are not published. `group_of` says which group of a group recoding a row belongs to, `account` what
    making it spent, where the algorithm accounts for it. People who waive protection are published and not judged.
    """

    original: Table
    published: Table
    recoding: Recoding
    origin: NDArray[np.int64]
    suppressed: NDArray[np.bool_]
    group_of: NDArray[np.int32] | None = None
    account: Account | None = None

    @cached_property
    def published_rows(self) -> Table:
        """What a stranger sees: the rows that are published, equal where their labels are."""
        return self.published.rows_where(~self.suppressed) if self.suppressed.any() else self.published

    @cached_property
    def view(self) -> View:
        """What somebody sees of it: the published rows of people who do not waive protection."""
        judged = self.published.rows_where(self.protected) if self.published.schema.waiver else self.published_rows
        return _CandidateView(table=judged, linkage=self.recoding.linkage, account=self.account, candidate=self)

    def groups(self, columns: Sequence[str] | None = None, asked: Sequence[str] = ()) -> Groups:
        """Who looks like whom to somebody who knows all quasi columns, or the given ones, and asks for others."""
        return self.view.groups(columns, asked)

    @cached_property
    def protected(self) -> NDArray[np.bool_]:
        """The rows that are published and whose people do not waive protection: those that models judge."""
        return ~self.suppressed & ~self.published.waived

    @cached_property
    def people(self) -> Table:
        """The rows that are published and protected, with their original values."""
        return self.original.rows_at(self.origin[self.protected], self.published.counts[self.protected])

    def record_groups(self) -> Groups:
        """Records that cannot be told apart by the quasi columns that are published together.

        Metrics weigh what happens to records, so these groups count records also where promises count persons.
        """
        return self.groups(self.linkage.kept(self.published.schema.quasi)).of_records()

    @property
    def linkage(self) -> Linkage:
        """Which columns belong to one record."""
        return self.recoding.linkage

    def suppressing(self, more: NDArray[np.bool_]) -> Candidate:
        """The same candidate with more of its rows left out; where links are cut, whole buckets."""
        gone = self.suppressed | more
        if self.linkage.cut and self.group_of is not None:
            gone = np.isin(self.group_of, self.group_of[gone])
        labels = {name: self.published.codes[name][gone] for name in self.recoding.labels}
        groups = None if self.group_of is None else self.group_of[gone]
        return replace(self, suppressed=gone, recoding=self.recoding.suppressing(labels, groups))

    @property
    def suppressed_records(self) -> int:
        """How many records are left out."""
        return int(self.published.counts[self.suppressed].sum())

    @property
    def suppressed_persons(self) -> int:
        """How many persons lose a record; as many as records where no column is the person's key."""
        person = self.published.person
        return self.suppressed_records if person is None else len(np.unique(person[self.suppressed]))


@dataclass(frozen=True, eq=False, kw_only=True)
class _CandidateView(View):
    """The view of a candidate, whose original values are at hand."""

    candidate: Candidate

    @property
    def people(self) -> Table:
        """The rows with their original values; gathered when somebody asks for them."""
        return self.candidate.people
