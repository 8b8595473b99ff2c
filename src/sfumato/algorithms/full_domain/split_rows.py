"""Distinct rows whose recodings are strings of splits, for searches over the cuts of taxonomies."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.algorithms.full_domain.distinct_rows import DistinctRows, RecodedRows, distinct_table
from sfumato.algorithms.full_domain.loops.recoded_groups import labels_of
from sfumato.algorithms.full_domain.splits import Bits, Splits
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel


@dataclass(frozen=True, eq=False)
class SplitRows(DistinctRows):
    """The distinct rows of a table, recoded by strings of splits."""

    splits: Splits

    @classmethod
    def of_splits(cls, table: Table, splits: Splits, model: GroupModel, also: tuple[str, ...] = ()) -> SplitRows:
        """Rows that differ in a quasi column, in a column that the model needs, or in one of the columns `also`."""
        return cls(distinct_table(table, splits.columns, model, also), splits.columns, model, splits)

    def recode(self, bits: Bits) -> RecodedRows:
        """The rows under a legal string of splits."""
        return self.relabel(*labels_of(bits, self.splits.layout))

    def merge_equal(self, bits: Bits) -> SplitRows:
        """One row for all rows that are equal under a string; enough for every string that divides less."""
        return self.merged(self.recode(bits))
