"""A guard for one set of columns, which knows the leaf (the current group) of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import (
    CheckResult,
    Counts,
    Guard,
    RefinedRows,
    Unsigned,
    safety_of,
)
from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel

_SMALL = 200
"""A quick check looks at the smallest leaves, with 1 / 200 of the records in total."""
_LARGE = 32
"""There is no quick check if the smallest leaf has more than 1 / 32 of the records."""


_CELLS = 2**24
"""The largest number of cells in a matrix of leaves, parts and values."""


class Listed(NamedTuple):
    """Some rows, and the leaf and count of each; `counts` is empty if every row is one record."""

    rows: Unsigned
    leaf: Unsigned
    counts: Counts


class LeafGuard(Guard):
    """Checks the models of one set of columns in the groups (leaves) of all rows."""

    def __init__(self, rows: RefinedRows, columns: Sequence[int], models: Sequence[GroupModel]) -> None:
        self.columns, self._models = frozenset(columns), tuple(models)
        self._rows, self._table = rows, rows.table
        self._leaf, self._leaves = np.zeros(len(rows.table), dtype=np.uint32), 1
        self._sizes = np.array([rows.table.records], dtype=np.int64)
        self._sensitive = tuple(dict.fromkeys(n for m in models for n in m.sensitive_columns(rows.table.schema)))
        self._scratch, self._new_leaf = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        self._small: Listed | None = None
        self._last: tuple[Refinement, Counts] | None = None
        self.least = max((model.bounds.least_size() for model in models), default=1)
        whole = {name: self._table.histogram(name)[None, :] for name in self._sensitive}
        self.holds, self.safety = self._judge(Groups.of_matrices(self._table, self._sizes, whole))

    def quick_check(self, refinement: Refinement) -> CheckResult | None:
        """Check the smallest leaves only: the smallest group of all is at most as large as the smallest one there."""
        # Only sizes have this bound: a group of a small leaf may be safer than others
        # if values count. The other two cases have a full check that is as cheap.
        if self._sensitive or self._leaves == 1 or self._rows.of(refinement) is not None:
            return None
        if self._small is None:
            self._small = self._smallest_leaves()
        return self._by_size(self._smallest_group(refinement, self._small)) if len(self._small.rows) else None

    def check(self, refinement: Refinement) -> CheckResult:
        """Count the records of every leaf and part, and ask the models about these groups.

        If the models depend on sizes alone, the smallest group decides.
        """
        from sfumato.algorithms.specialization.loops.leaves import smallest_group

        if self._sensitive:
            cells = self._leaves * refinement.parts * sum(len(self._table.domains[name]) for name in self._sensitive)
            found = self._groups_from_matrices(refinement) if cells <= _CELLS else self._groups_from_labels(refinement)
            return CheckResult(*self._judge(*found))
        # With one leaf the groups are the parts themselves, whose sizes the refinement knows.
        if self._leaves == 1:
            return self._by_size(refinement.smallest_part)
        rows = self._rows.of(refinement)
        if rows is not None:
            return self._by_size(self._smallest_group(refinement, self._listed(rows)))
        return self._by_size(smallest_group(self._count_parts(refinement), refinement.parts + 1))

    def squares(self, refinement: Refinement) -> tuple[float, float]:
        """The sum of the squared sizes of the affected groups, before and after the refinement."""
        found = self._count_parts(refinement).reshape(self._leaves, -1)[:, :-1].astype(np.float64)
        return float((found.sum(axis=1) ** 2).sum()), float((found**2).sum())

    def apply(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """Divide the leaves; the safety that the check has found now holds."""
        from sfumato.algorithms.specialization.loops.leaves import number_leaves, split_all, split_listed

        part_of, parts = self._rows.part_of(refinement), refinement.parts + 1
        codes, rows = self._rows.codes(refinement.place), self._rows.of(refinement)
        self._sizes = _enlarge(self._sizes, self._leaves * refinement.parts)
        if rows is None:
            new_leaf = np.empty(self._leaves * parts, dtype=np.uint32)
            self._leaves = number_leaves(self._count_parts(refinement), parts, self._leaves, new_leaf, self._sizes)
            split_all(self._leaf, codes, part_of, parts, new_leaf)
        else:
            self._new_leaf = _enlarge(self._new_leaf, self._leaves * (parts + 1))
            args = (codes, self._table.counts, part_of, parts, self._new_leaf, self._sizes, self._leaves)
            self._leaves = split_listed(rows, self._leaf, *args)
        self._small = self._last = None
        # The check saw only the groups that the refinement makes; all others are unchanged. If the worst group was
        # divided, its parts are at most as safe as it was. So the minimum of both is the safety of all groups.
        self.safety = tuple(min(now, then) for now, then in zip(self.safety, safety, strict=True))

    def _by_size(self, size: int) -> CheckResult:
        """The result for a group of this size."""
        return CheckResult(*self._judge(Groups.of_matrices(self._table, np.array([size], dtype=np.int64), {})))

    def _judge(self, groups: Groups, first: int | None = None) -> tuple[bool, tuple[float, ...]]:
        """Whether the models hold in the groups, or in the first of them, and the least safety of each model."""
        holds = all(bool(model.holds(groups)[:first].all()) for model in self._models)
        return holds, tuple(float(safety_of(model, groups)[:first].min()) for model in self._models)

    def _smallest_group(self, refinement: Refinement, listed: Listed) -> int:
        """The size of the smallest group that the refinement would make of the listed rows."""
        from sfumato.algorithms.specialization.loops.leaves import smallest_listed_group

        parts = refinement.parts + 1
        self._scratch = _enlarge(self._scratch, self._leaves * parts)
        codes, part_of = self._rows.codes(refinement.place), self._rows.part_of(refinement)
        return int(smallest_listed_group(listed.rows, listed.leaf, codes, listed.counts, part_of, parts, self._scratch))

    def _listed(self, rows: Unsigned) -> Listed:
        """Some rows with their leaves and counts."""
        weights = self._table.weights
        return Listed(rows, self._leaf[rows], weights[rows] if len(weights) else weights)

    def _smallest_leaves(self) -> Listed:
        """The rows of the smallest leaves, a small share of all rows; none if even the smallest leaf is large."""
        from sfumato.algorithms.specialization.loops.leaves import rows_in

        sizes = self._sizes[: self._leaves]
        order = np.argsort(sizes)
        chosen = order[: max(int(np.searchsorted(np.cumsum(sizes[order]), self._table.records // _SMALL)), 1)]
        if sizes[chosen].sum() > self._table.records // _LARGE:
            return self._listed(np.zeros(0, dtype=np.uint32))
        wanted = np.zeros(self._leaves, dtype=bool)
        wanted[chosen] = True
        return self._listed(rows_in(self._leaf, wanted, int(min(sizes[chosen].sum(), len(self._leaf)))))

    def _count_parts(self, refinement: Refinement) -> Counts:
        """Records by leaf and part; the last part has the rows that the refinement does not affect."""
        from sfumato.algorithms.specialization.loops.leaves import count_all

        if self._last is None or self._last[0] is not refinement:
            codes, part_of = self._rows.codes(refinement.place), self._rows.part_of(refinement)
            found = count_all(self._leaf, codes, self._table.weights, part_of, refinement.parts + 1, self._leaves)
            self._last = refinement, found
        return self._last[1]

    def _groups_from_matrices(self, refinement: Refinement) -> tuple[Groups]:
        """The groups that the refinement would make, with the histograms that the models need."""
        from sfumato.algorithms.specialization.loops.leaves import count_values

        codes, part_of, parts = self._rows.codes(refinement.place), self._rows.part_of(refinement), refinement.parts + 1
        # The last part of each leaf has the records that are not
        # affected; its groups are not made by this refinement.
        made = np.arange(self._leaves * parts) % parts != parts - 1
        matrices = {}
        for name in self._sensitive:
            values, domain = self._table.codes[name].view(np.uint32), len(self._table.domains[name])
            args = (codes, self._table.counts, part_of, parts, self._leaves, values, domain)
            found = count_values(self._leaf, *args)
            made = made & (found.sum(axis=1) > 0)
            matrices[name] = found[made]
        sizes = next(iter(matrices.values())).sum(axis=1)
        return (Groups.of_matrices(self._table, sizes, matrices),)

    def _groups_from_labels(self, refinement: Refinement) -> tuple[Groups, int]:
        """The same where matrices would be too large: all rows in groups, and the number of groups it would make."""
        part = self._rows.part_of(refinement)[self._rows.codes(refinement.place)]
        affected = part < refinement.parts
        key = self._leaf.astype(np.int64) * refinement.parts + part
        known, number = np.unique(key[affected], return_inverse=True)
        # All unaffected rows share one last group, which is not judged.
        labels = np.full(len(key), len(known), dtype=np.int32)
        labels[affected] = number
        return Groups.of_labels(self._table, labels), len(known)


def _enlarge(array: NDArray[Any], room: int) -> NDArray[Any]:
    """The array with at least this many entries, with zeros after the old ones."""
    if len(array) >= room:
        return array
    # Twice the room, so that a long search enlarges its arrays only a few times.
    return np.concatenate([array, np.zeros(2 * room - len(array), dtype=array.dtype)])
