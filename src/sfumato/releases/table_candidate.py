"""Candidates of tables: anonymized tables that no model has judged yet.

Operations build a candidate, algorithms suppress rows of it and have it judged, and a `TableRelease` wraps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.account import Account
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.disclosure.table_view import TableView
from sfumato.kernels.arrays import Flags
from sfumato.recodings.recoding import Recoding
from sfumato.releases.candidate import Candidate


@dataclass(frozen=True, eq=False, repr=False)
class TableCandidate(Candidate):
    """A table, its recoding, and the rows as the recoding publishes them; not judged yet.

    Row i of `published` stands for `published.counts[i]` records of row `origin[i]` of the original; rows marked in
    `suppressed` are not published. `group_of` is the group of every row in a group or bucket recoding. `account` is
    what the algorithm spent of a privacy budget, if it keeps an account. `search` has facts about the search that found
    it, for the provenance of the release. Rows of persons who waive protection are published and not judged.
    """

    original: Table
    published: Table
    recoding: Recoding
    origin: NDArray[np.int64]
    suppressed: Flags
    group_of: NDArray[np.int32] | None = None
    account: Account | None = None
    search: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def published_rows(self) -> Table:
        """The rows that are not suppressed."""
        return self.published.rows_where(~self.suppressed) if self.suppressed.any() else self.published

    @cached_property
    def view(self) -> TableView:
        """What models judge: the published rows of persons who do not waive protection."""
        judged = self.published.rows_where(self.protected) if self.published.schema.waiver else self.published_rows
        return _CandidateView(table=judged, linkage=self.recoding.linkage, account=self.account, candidate=self)

    def groups(self, columns: Sequence[str] | None = None, asked: Sequence[str] = ()) -> Groups:
        """The groups for an attacker who knows all quasi columns, or the given ones, and wants to learn `asked`."""
        return self.view.groups(columns, asked)

    @cached_property
    def protected(self) -> Flags:
        """The rows that models judge: published, and of persons who do not waive protection."""
        return ~self.suppressed & ~self.published.waived

    @cached_property
    def people(self) -> Table:
        """The protected rows with their original values."""
        return self.original.rows_at(self.origin[self.protected], self.published.counts[self.protected])

    @cached_property
    def numbers(self) -> PairedNumbers:
        """The columns that are published as numbers, beside the original ones; suppressed records are left out."""
        shown = ~self.suppressed
        return PairedNumbers.of_tables(self.original.rows_at(self.origin[shown]), self.published_rows, self.linkage)

    def record_groups(self) -> Groups:
        """Groups of records that agree on all quasi columns that stay with their record.

        Metrics measure the loss of records, so these groups count records even if models count persons.
        """
        return self.groups(self.linkage.kept(self.published.schema.quasi)).of_records()

    @cached_property
    def parts(self) -> Mapping[str, Table]:
        """The published tables: one, or one of the records and one that counts the sensitive values by bucket."""
        rows, separate = self.published_rows, self.recoding.separate_columns
        if not separate:
            return {"table": self.recoding.with_moved_values(rows)}
        kept = {name: codes for name, codes in rows.codes.items() if name not in separate}
        return {
            "quasi": replace(rows, codes=kept),
            "sensitive": rows.distinct((self.linkage.bucket_column, *separate))[0],
        }

    @property
    def linkage(self) -> Linkage:
        """Which published columns belong to one record."""
        return self.recoding.linkage

    def suppressing(self, more: Flags) -> TableCandidate:
        """The same candidate with more rows suppressed; if links are cut, with their whole buckets."""
        gone = self.suppressed | more
        if self.linkage.cut and self.group_of is not None:
            gone = np.isin(self.group_of, self.group_of[gone])
        labels = {name: self.published.codes[name][gone] for name in self.recoding.labels}
        groups = None if self.group_of is None else self.group_of[gone]
        return replace(self, suppressed=gone, recoding=self.recoding.suppressing(labels, groups))

    @property
    def suppressed_records(self) -> int:
        """The number of suppressed records."""
        return int(self.published.counts[self.suppressed].sum())

    @property
    def suppressed_persons(self) -> int:
        """The number of persons with a suppressed record; the number of records if no column is a person key."""
        person = self.published.person
        return self.suppressed_records if person is None else len(np.unique(person[self.suppressed]))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _CandidateView(TableView):
    """The view of a candidate, whose original values are available."""

    candidate: TableCandidate

    @property
    def people(self) -> Table:
        """The rows with their original values, computed on first use."""
        return self.candidate.people

    @property
    def truth_known(self) -> bool:
        """A candidate knows its original."""
        return True
