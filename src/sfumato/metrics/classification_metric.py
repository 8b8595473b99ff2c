"""Classification metric: the records whose class a reader of the release would guess wrongly."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.metrics.base import Measurable, TableMetric
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class ClassificationMetric(TableMetric):
    """The share of records that are suppressed or do not have the most frequent class of their group.

    A reader who guesses the most frequent class of each group is wrong about this share. A suppressed record counts as
    wrong, because its class cannot be guessed. Merging groups never lowers it: the most frequent class of the merged
    group is at most as frequent as those of its parts together.

    >>> from sfumato.datasets.hospital import ROWS
    >>> from sfumato.operations.generalize import generalize_levels
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> from sfumato.taxonomies import Flat
    >>> schema = Schema.of(quasi=["Sex"], target=["Disease"], taxonomies={"Sex": Flat()})
    >>> table = Table.of_rows(schema, ROWS)
    >>> [round(ClassificationMetric().measure(generalize_levels(table, {"Sex": up})), 4) for up in (0, 1)]
    [0.2857, 0.4286]

    References: Iyengar (2002), "Transforming data to satisfy privacy constraints" (CM); book, equations 4.5 and 4.6.
    """

    limits = (0.0, 1.0)
    needs_target = True

    target: str = param("", doc="the column to be predicted; by default the only target column")

    def _measure(self, release: Measurable) -> float:
        target = release.original.schema.one_target(self.target)
        right = int(release.record_groups().histogram(target).largest().sum())
        return (release.original.records - right) / max(release.original.records, 1)
