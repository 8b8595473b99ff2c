"""Bottom-up generalization: generalizes step by step, each time at the least loss for the gain in privacy."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import SchemaError, listed
from sfumato.metrics.information_gain import gain
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_values
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.progress import advance
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.anonymity_index import AnonymityIndex
    from sfumato.algorithms.full_domain.split_rows import SplitRows
    from sfumato.algorithms.full_domain.splits import Splits

Bits = NDArray[np.bool_]
Losses = NDArray[np.float64]

_ROUNDING = 1e-9
"""Allowance for rounding in the limit on suppression."""
_DIGITS = 12
"""Losses are compared with this number of digits, so that a rounding error does not decide a tie."""


@dataclass(frozen=True, kw_only=True)
class BottomUpGeneralization(TableAlgorithm):
    """Starts with all values unchanged, and generalizes until the model holds.

    A step replaces all children of a taxonomy node by the node. A step is critical if it brings the worst groups nearer
    to what the model requires: for k-anonymity, if it makes the smallest group larger. Among critical steps the one
    with the least loss per gain is taken, and if there is none, the step with the least loss; on ties the step with the
    larger gain, then the first in column order. The loss of a step is the loss of information about the class (in
    bits, among the records below the node); without a target column, it is the increase of the normalized certainty
    penalty. Groups may keep failing as long as all their records can be suppressed.

    Columns of categories without a taxonomy have one step, from all values to `*`. Numbers and dates need a taxonomy.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = BottomUpGeneralization().anonymize(hospital(), KAnonymity(k=3))
    >>> {name: labels.texts for name, labels in release.recoding.labels.items()}
    {'Job': ('Professional', 'Artist'), 'Sex': ('Male', 'Female'), 'Age': ('30', '[35, 40)')}

    References: Wang, Yu and Chakraborty (2004), "Bottom-up generalization: a data mining solution to privacy
    protection"; book, sections 6.5.1 and 6.5.2.
    """

    target: str = param("", doc="the class that should stay predictable; by default the only target column")
    refine: bool = param(False, doc="at the end, undo every step without which the model still holds")

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        two = Table.of_rows(Schema.of(quasi=["q"]), {"q": ["a", "b"]})
        BottomUpGeneralization(refine=self.refine).anonymize(two, KAnonymity(k=2))

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        from sfumato.algorithms.full_domain.anonymity_index import AnonymityIndex
        from sfumato.algorithms.full_domain.split_rows import SplitRows
        from sfumato.algorithms.full_domain.splits import Splits

        _refuse_numbers_without_taxonomy(table)
        splits = Splits.of(table, whole=True)
        losses = self._losses(table, splits)
        rows, allowed = SplitRows.of_splits(table, splits, model), floor(suppression * table.records + _ROUNDING)
        bits = _generalize_until_safe(AnonymityIndex(rows, allowed), losses)
        if self.refine:
            bits = _undo_unneeded(rows, bits, losses, allowed)
        return generalize_values(table, splits.cuts(bits))

    def _losses(self, table: Table, splits: Splits) -> Losses:
        """The loss of each step; it is constant, because all children are published when a step is taken."""
        if self.target or table.schema.targets:
            target = table.schema.one_target(self.target)
            losses = [_information_loss(table, splits, split, target) for split in range(len(splits))]
        else:
            losses = [_penalty_increase(table, splits, split) for split in range(len(splits))]
        return np.array([round(loss, _DIGITS) for loss in losses], dtype=np.float64)


def _refuse_numbers_without_taxonomy(table: Table) -> None:
    """Raise an error if a quasi column has numbers or dates but no taxonomy."""
    without = [name for name in table.schema.quasi if table.domain(name).ordered and name not in table.taxonomies]
    if without:
        raise SchemaError(
            f"bottom_up_generalization climbs taxonomies, and {listed(without)} holds numbers or dates without one; "
            "give the column intervals, such as taxonomy = { width = 10 }, or dates = true."
        )


def _generalize_until_safe(index: AnonymityIndex, losses: Losses) -> Bits:
    """Generalize until the model holds, or nothing is left to generalize."""
    while not index.safe:
        split = _best(index, losses)
        if split is None:
            break
        index.generalize(split)
        advance("generalizing", int((~index.bits).sum()), len(losses))
    return index.bits


def _best(index: AnonymityIndex, losses: Losses) -> int | None:
    """The next step: the critical one with the least loss per gain, or else the one with the least loss."""
    # Only survivors can have a gain above 0, so the expensive gains of all other candidates are not computed.
    gains = {split: index.gain(split) for split in index.survivors()}
    critical = {split: gained for split, gained in gains.items() if gained > 0}
    if critical:
        price = {split: round(float(losses[split]) / gained, _DIGITS) for split, gained in critical.items()}
        return min(critical, key=lambda split: (price[split], -critical[split], split))
    # No single step raises the level. Taking the cheapest step still leads on, because each step makes groups larger.
    return min(index.candidates(), key=lambda split: (losses[split], split), default=None)


def _undo_unneeded(rows: SplitRows, bits: Bits, losses: Losses, allowed: int) -> Bits:
    """Undo steps that are not needed, those with the largest loss first.

    A step that is needed now is also needed after another one is undone. So each step is tried once, as soon as the
    step above it is undone.
    """
    bits, parent, tried = bits.copy(), rows.splits.parent, bits.copy()
    while True:
        # `tried` starts with the open splits, so only closed ones are tried.
        # `bits[-1]` is read for roots, but the first condition already holds for them.
        ready = np.flatnonzero(~tried & ((parent < 0) | bits[parent]))
        if not len(ready):
            return bits
        split = ready[np.argmax(losses[ready])]
        # Undoing a step opens its split, and it stays open unless too many records would fail.
        bits[split] = tried[split] = True
        if rows.recode(bits).without_failing(allowed)[1] > allowed:
            bits[split] = False


def _information_loss(table: Table, splits: Splits, split: int, target: str) -> float:
    """The loss of information about the class, in bits, when the children of a node become the node."""
    name = splits.columns[splits.column[split]]
    classes = len(table.domains[target])
    known = np.bincount(
        table.codes[name].astype(np.int64) * classes + table.codes[target],
        weights=table.counts,
        minlength=len(table.domains[name]) * classes,
    )
    parts = known.astype(np.int64).reshape(-1, classes)
    # The class counts of each child: `reduceat` adds up the codes from one start
    # to the next, and the cut at the end of the range ends the last child.
    starts = [first for first, _ in splits.children(split)]
    return gain(np.add.reduceat(parts[: splits.ranges[split, 1] + 1], starts))


def _penalty_increase(table: Table, splits: Splits, split: int) -> float:
    """The increase of the penalty of a column, averaged over all records."""
    place = splits.column[split]
    position = splits.layout.position[splits.layout.offset[place] :]
    lo, hi = splits.ranges[split]
    records, total = table.histogram(splits.columns[place]), 0.0
    for first, last in splits.children(split):
        growth = (position[hi] - position[lo]) - (position[last] - position[first])
        total += float(records[first : last + 1].sum() * growth)
    return total / table.records
