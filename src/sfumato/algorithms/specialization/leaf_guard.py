"""A guard over the groups of one set of columns, by the leaf that every row lies in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import Counts, Guard, Marks, Outlook, RefinedRows, safety_of
from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.disclosure.groups import Groups
from sfumato.models.base import PrivacyModel

_SMALL = 200
_LARGE = 32
"""A glimpse looks at the smallest leaves with one in 200 records, and not at all if the smallest has one in 32."""


_CELLS = 2**24
"""The largest matrices of leaves, parts and values that are counted at once."""


class Listed(NamedTuple):
    """Some rows, and the leaf and count of each; no counts where every row is one record."""

    rows: Marks
    leaf: Marks
    counts: Counts


class LeafGuard(Guard):
    """Watches the groups of one set of columns, by the leaf that every row lies in."""

    def __init__(self, rows: RefinedRows, columns: Sequence[int], models: Sequence[PrivacyModel]) -> None:
        self.columns, self._models = frozenset(columns), tuple(models)
        self._rows, self._table = rows, rows.table
        self._leaf, self._leaves = np.zeros(len(rows.table), dtype=np.uint32), 1
        self._sizes = np.array([rows.table.records], dtype=np.int64)
        self._asked = tuple(dict.fromkeys(n for m in models for n in m.sensitive_columns(rows.table.schema)))
        self._scratch, self._becomes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        self._small: Listed | None = None
        self._last: tuple[Refinement, Counts] | None = None
        self.least = max((model.bounds.least_size() for model in models), default=1)
        whole = {name: self._table.histogram(name)[None, :] for name in self._asked}
        self.holds, self.safety = self._judged(Groups.of_matrices(self._table, self._sizes, whole))

    def glimpse(self, refinement: Refinement) -> Outlook | None:
        """Look at the smallest leaves only: the smallest group of all is at most as large as the smallest there."""
        if self._asked or self._leaves == 1 or self._rows.of(refinement) is not None:
            return None
        if self._small is None:
            self._small = self._smallest_leaves()
        return self._by_size(self._least(refinement, self._small)) if len(self._small.rows) else None

    def outlook(self, refinement: Refinement) -> Outlook:
        """Count the records of every leaf and part, and ask the models about those groups.

        Where sizes are all they ask for, the smallest group answers for all.
        """
        from sfumato.algorithms.specialization.loops.leaves import least_of

        if self._asked:
            cells = self._leaves * refinement.parts * sum(len(self._table.domains[name]) for name in self._asked)
            found = self._few_parts(refinement) if cells <= _CELLS else self._many_parts(refinement)
            return Outlook(*self._judged(*found))
        if self._leaves == 1:
            return self._by_size(refinement.fewest)
        rows = self._rows.of(refinement)
        if rows is not None:
            return self._by_size(self._least(refinement, self._listed(rows)))
        return self._by_size(least_of(self._counted(refinement), refinement.parts + 1))

    def squares(self, refinement: Refinement) -> tuple[float, float]:
        """The squared sizes of the groups concerned added up, as they are and as they would be."""
        found = self._counted(refinement).reshape(self._leaves, -1)[:, :-1].astype(np.float64)
        return float((found.sum(axis=1) ** 2).sum()), float((found**2).sum())

    def take(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """Part the leaves; what the outlook said of their safety is so now."""
        from sfumato.algorithms.specialization.loops.leaves import part_all, part_some, settle

        part_of, parts = self._rows.part_of(refinement), refinement.parts + 1
        codes, rows = self._rows.codes(refinement.place), self._rows.of(refinement)
        self._sizes = _grown(self._sizes, self._leaves * refinement.parts)
        if rows is None:
            becomes = np.empty(self._leaves * parts, dtype=np.uint32)
            self._leaves = settle(self._counted(refinement), parts, self._leaves, becomes, self._sizes)
            part_all(self._leaf, codes, part_of, parts, becomes)
        else:
            self._becomes = _grown(self._becomes, self._leaves * (parts + 1))
            args = (codes, self._table.counts, part_of, parts, self._becomes, self._sizes, self._leaves)
            self._leaves = part_some(rows, self._leaf, *args)
        self._small = self._last = None
        self.safety = tuple(min(now, then) for now, then in zip(self.safety, safety, strict=True))

    def _by_size(self, size: int) -> Outlook:
        return Outlook(*self._judged(Groups.of_matrices(self._table, np.array([size], dtype=np.int64), {})))

    def _judged(self, groups: Groups, first: int | None = None) -> tuple[bool, tuple[float, ...]]:
        """Whether the promises hold in the groups, or in the first of them, and how safe those are."""
        holds = all(bool(model.holds(groups)[:first].all()) for model in self._models)
        return holds, tuple(float(safety_of(model, groups)[:first].min()) for model in self._models)

    def _least(self, refinement: Refinement, listed: Listed) -> int:
        """The smallest group that the refinement would make of the listed rows."""
        from sfumato.algorithms.specialization.loops.leaves import least_some

        parts = refinement.parts + 1
        self._scratch = _grown(self._scratch, self._leaves * parts)
        codes, part_of = self._rows.codes(refinement.place), self._rows.part_of(refinement)
        return int(least_some(listed.rows, listed.leaf, codes, listed.counts, part_of, parts, self._scratch))

    def _listed(self, rows: Marks) -> Listed:
        weights = self._table.weights
        return Listed(rows, self._leaf[rows], weights[rows] if len(weights) else weights)

    def _smallest_leaves(self) -> Listed:
        """The rows of the smallest leaves, a small share of all; none if even the smallest is large."""
        from sfumato.algorithms.specialization.loops.leaves import rows_in

        sizes = self._sizes[: self._leaves]
        order = np.argsort(sizes)
        chosen = order[: max(int(np.searchsorted(np.cumsum(sizes[order]), self._table.records // _SMALL)), 1)]
        if sizes[chosen].sum() > self._table.records // _LARGE:
            return self._listed(np.zeros(0, dtype=np.uint32))
        wanted = np.zeros(self._leaves, dtype=bool)
        wanted[chosen] = True
        return self._listed(rows_in(self._leaf, wanted, int(min(sizes[chosen].sum(), len(self._leaf)))))

    def _counted(self, refinement: Refinement) -> Counts:
        """Records by leaf and part; the last part is that of the rows not concerned."""
        from sfumato.algorithms.specialization.loops.leaves import count_all

        if self._last is None or self._last[0] is not refinement:
            codes, part_of = self._rows.codes(refinement.place), self._rows.part_of(refinement)
            found = count_all(self._leaf, codes, self._table.weights, part_of, refinement.parts + 1, self._leaves)
            self._last = refinement, found
        return self._last[1]

    def _few_parts(self, refinement: Refinement) -> tuple[Groups]:
        """The groups that the refinement would make, with the histograms that the models ask for."""
        from sfumato.algorithms.specialization.loops.leaves import count_values

        codes, part_of, parts = self._rows.codes(refinement.place), self._rows.part_of(refinement), refinement.parts + 1
        made = np.arange(self._leaves * parts) % parts != parts - 1
        matrices = {}
        for name in self._asked:
            values, domain = self._table.codes[name].view(np.uint32), len(self._table.domains[name])
            args = (codes, self._table.counts, part_of, parts, self._leaves, values, domain)
            found = count_values(self._leaf, *args)
            made = made & (found.sum(axis=1) > 0)
            matrices[name] = found[made]
        sizes = next(iter(matrices.values())).sum(axis=1)
        return (Groups.of_matrices(self._table, sizes, matrices),)

    def _many_parts(self, refinement: Refinement) -> tuple[Groups, int]:
        """The same where matrices would be too large: all rows in groups, and how many of them it would make."""
        part = self._rows.part_of(refinement)[self._rows.codes(refinement.place)]
        concerned = part < refinement.parts
        key = self._leaf.astype(np.int64) * refinement.parts + part
        known, number = np.unique(key[concerned], return_inverse=True)
        labels = np.full(len(key), len(known), dtype=np.int32)
        labels[concerned] = number
        return Groups.of_labels(self._table, labels), len(known)


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    """The array with at least so many entries, zeros behind the old ones."""
    if len(array) >= room:
        return array
    return np.concatenate([array, np.zeros(2 * room - len(array), dtype=array.dtype)])
