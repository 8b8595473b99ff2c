"""A published column beside its original values: which cells are unchanged, generalized, suppressed or false.

`audit.release_comparison` makes one for every column that two files share and that is not published as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.data.domain import Domain
from sfumato.data.written_labels import WrittenLabels
from sfumato.engines.base import BESIDE, Counted
from sfumato.taxonomies.taxonomy import ROOT, Taxonomy


@dataclass(frozen=True)
class PairedLabels:
    """How many cells of a column are published in which way, and the mean generalization of the true ones.

    `unchanged`: the original value. `generalized`: a label that covers the original value and others. `suppressed`:
    `*`, or no value in the place of one. `false`: a label that does not cover the original value. `unclear`: a text
    that is neither a value of the column nor a label that can be read. `loss` is the mean of the normalized certainty
    penalties of unchanged, generalized and suppressed cells, from 0 (exact) to 1 (suppressed); None if there are none,
    or if most cells are of another kind.
    """

    column: str
    unchanged: int
    generalized: int
    suppressed: int
    false: int
    unclear: int
    loss: float | None

    @classmethod
    def of_counted(
        cls,
        column: str,
        counted: Counted,
        domain: Domain,
        *,
        taxonomy: Taxonomy | None = None,
        missing: Sequence[str] = (),
    ) -> PairedLabels:
        """From the counts of each pair of published text and original value; `domain` has the original values.

        With a taxonomy, `domain` is the domain of the taxonomy.

        >>> domain, _ = Domain.of("age", ["20", "24", "40"])
        >>> raw = {"age": ["[20, 24]", "*", "20"], "original age": ["20", "40"]}
        >>> codes = {"age": np.array([0, 1, 2]), "original age": np.array([0, 1, 1])}
        >>> found = PairedLabels.of_counted("age", Counted(raw, codes, np.array([2, 1, 1])), domain)
        >>> found.generalized, found.suppressed, found.false, round(found.loss, 3)
        (2, 1, 1, 0.467)
        """
        gone = {None, *missing}
        texts, values = (
            [None if text in gone else text for text in counted.raw[name]] for name in (column, BESIDE + column)
        )
        labels = WrittenLabels.read(texts, domain, taxonomy)
        label, value = counted.codes[column], domain.codes_of(values)[counted.codes[BESIDE + column]]
        same = labels.exact[label] & (labels.lo[label] == value)
        blank = np.array([text is None or text == ROOT for text in texts], dtype=bool)[label] & ~same
        true = labels.cover(label, value) & ~blank
        unclear = ~labels.understood[label] & ~blank
        loss = np.where(blank, 1.0, labels.loss[label])
        kept = blank | true

        def records(flags: Any) -> int:
            return int(counted.counts[flags].sum())

        weight = records(kept)
        return cls(
            column,
            unchanged=records(same),
            generalized=records(true & ~same),
            suppressed=records(blank),
            false=records(~kept & ~unclear),
            unclear=records(unclear),
            loss=float(loss[kept] @ counted.counts[kept]) / weight
            if weight and 2 * weight >= counted.counts.sum()
            else None,
        )

    @property
    def cells(self) -> int:
        """The number of all cells."""
        return self.unchanged + self.generalized + self.suppressed + self.false + self.unclear

    def to_dict(self) -> dict[str, Any]:
        """The counts and the loss as plain data."""
        return {name: value for name, value in self.__dict__.items() if name != "column"}
