"""Class entropy: how uncertain the class of a record is for a reader of the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclosure.groups import Histogram
from sfumato.metrics.base import Measurable, TableMetric
from sfumato.metrics.information_gain import entropy
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class ClassEntropy(TableMetric):
    """The average entropy, in bits, of the class of a record for a reader who knows its group.

    0 means that every group has one class. A suppressed record has the entropy of the whole table, and no release
    counts as worse than one that publishes nothing. Merging groups never lowers it, because entropy is concave.

    >>> from sfumato.datasets.hospital import ROWS
    >>> from sfumato.operations.generalize import generalize_levels
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> from sfumato.taxonomies import Flat
    >>> schema = Schema.of(quasi=["Job"], target=["Sex"], taxonomies={"Job": Flat()})
    >>> table = Table.of_rows(schema, ROWS)
    >>> [round(ClassEntropy().measure(generalize_levels(table, {"Job": up})), 4) for up in (0, 1)]
    [0.0, 0.9852]

    References: LeFevre, DeWitt and Ramakrishnan (2006), "Workload-aware anonymization"; book, equation 6.4.
    """

    needs_target = True

    target: str = param("", doc="the column to be predicted; by default the only target column")

    def _measure(self, release: Measurable) -> float:
        target = release.original.schema.one_target(self.target)
        whole = float(entropy(release.original.histogram(target)))
        bits = _bits(release.record_groups().histogram(target))
        mean = (bits + release.suppressed_records * whole) / max(release.original.records, 1)
        # If most records of a frequent class are suppressed, the others can be more mixed than the whole table.
        return min(mean, whole)


def _bits(classes: Histogram) -> float:
    """The sum over groups of entropy times size; only classes that occur in a group contribute."""
    sizes = classes.sizes.astype(np.float64)
    return max(float(sizes @ np.log2(sizes)) - float(classes.counts @ np.log2(classes.counts)), 0.0)
