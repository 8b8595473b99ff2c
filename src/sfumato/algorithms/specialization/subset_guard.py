"""A guard for models about every choice of a few columns: hundreds of groupings that share most of their counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import CheckResult, Guard, RefinedRows, Unsigned, safety_of
from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.data.row_keys import Packing
from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel

Counts = NDArray[np.int64]
Places = tuple[int, ...]

_CELLS = 2**22
"""The largest cube; for a larger one, counting every choice separately is faster."""


class _AffectedRows(NamedTuple):
    """The rows that a refinement affects, with their keys (see `SubsetGuard._affected_rows`) and counts."""

    rows: Unsigned
    keys: Unsigned
    counts: Counts


class SubsetGuard(Guard):
    """Checks a model in the groups of every choice of `at_most` columns.

    A refinement of one column is checked together with every choice of `at_most` - 1 other columns; columns that are
    still fully generalized are left out. Records are counted once for a union of column pairs, and these counts are
    summed to each choice of columns inside the union.
    """

    def __init__(self, rows: RefinedRows, columns: Sequence[int], at_most: int, model: GroupModel) -> None:
        self.columns, self.least = frozenset(columns), model.bounds.least_size()
        self._rows, self._table, self._model, self._at_most = rows, rows.table, model, at_most
        self._labels = {place: np.zeros(len(rows.table), dtype=np.uint32) for place in columns}
        self._shown = dict.fromkeys(columns, 1)
        self._sensitive = model.sensitive_columns(rows.table.schema)
        self._last_smallest: dict[Places, int] = {}
        whole = {name: self._table.histogram(name)[None, :] for name in self._sensitive}
        sizes = np.array([rows.table.records], dtype=np.int64)
        self.holds, self.safety = self._judge(Groups.of_matrices(self._table, sizes, whole))

    def check(self, refinement: Refinement) -> CheckResult:
        """Check the groups of every choice of other columns; the first choice that violates the model decides."""
        others = tuple(place for place, shown in self._shown.items() if shown > 1 and place != refinement.place)
        # Every choice of m columns lies in some union of m pairs. A union
        # has up to 2m columns, so one count of the rows serves many choices.
        pairs = [others[at : at + 2] for at in range(0, len(others), 2)]
        affected = self._affected_rows(refinement, pairs)
        least = np.inf
        for chosen, inside in self._unions(pairs, len(others)):
            groups = self._groups(refinement, affected, pairs, chosen, inside)
            holds, safety = self._judge(groups)
            self._last_smallest[chosen] = int(groups.sizes.min())
            # One violated choice is enough to reject the refinement,
            # so the order of `_unions` saves most of the work.
            if not holds:
                return CheckResult(False, safety)
            least = min(least, safety[0])
        return CheckResult(True, (least,))

    def apply(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """Give the affected rows their new labels."""
        from sfumato.algorithms.specialization.loops.subset_counts import relabel

        rows, place = self._listed(refinement), refinement.place
        codes, part_of = self._rows.codes(place), self._rows.part_of(refinement)
        relabel(rows, self._labels[place], codes, part_of, self._shown[place])
        # One part keeps the old label and the others get new ones, also if a part is empty.
        self._shown[place] += refinement.parts - 1
        self.safety = tuple(min(now, then) for now, then in zip(self.safety, safety, strict=True))

    def _judge(self, groups: Groups) -> tuple[bool, tuple[float, ...]]:
        """Whether the model holds in the groups, and its least safety."""
        return bool(self._model.holds(groups).all()), (float(safety_of(self._model, groups).min()),)

    def _listed(self, refinement: Refinement) -> Unsigned:
        """The rows that a refinement affects."""
        from sfumato.algorithms.specialization.loops.subset_counts import affected_rows

        listed = self._rows.of(refinement)
        if listed is not None:
            return listed
        return affected_rows(self._rows.codes(refinement.place), self._rows.part_of(refinement), refinement.parts)

    def _affected_rows(self, refinement: Refinement, pairs: Sequence[Places]) -> _AffectedRows:
        """The affected rows and their keys: block 0 is the part, block 1 the sensitive value, the others are pairs.

        Without a sensitive column, block 1 is 0.
        """
        from sfumato.algorithms.specialization.loops.subset_counts import fold_pair, look_up

        rows = self._listed(refinement)
        keys = np.zeros((2 + len(pairs), len(rows)), dtype=np.uint32)
        keys[0] = look_up(rows, self._rows.codes(refinement.place), self._rows.part_of(refinement))
        for name in self._sensitive:
            keys[1] = self._table.codes[name][rows]
        for at, pair in enumerate(pairs):
            one, other = self._labels[pair[0]], self._labels[pair[-1]]
            keys[2 + at] = fold_pair(rows, one, other, self._shown[pair[1]]) if len(pair) > 1 else one[rows]
        return _AffectedRows(rows, keys, self._table.counts[rows])

    def _unions(self, pairs: Sequence[Places], others: int) -> Iterator[tuple[Places, list[Places]]]:
        """Unions of pairs, and the choices of columns that occur first in each.

        Unions whose smallest group was small at the last check come first, because they are likely to violate the
        model.
        """
        size = min(self._at_most - 1, others)
        taken: set[Places] = set()
        unions = list(combinations(range(len(pairs)), min(size, len(pairs))))
        for chosen in sorted(unions, key=lambda union: self._last_smallest.get(union, 0)):
            columns = [place for at in chosen for place in pairs[at]]
            inside = [subset for subset in combinations(columns, size) if subset not in taken]
            taken.update(inside)
            if inside:
                yield chosen, inside

    def _groups(
        self, refinement: Refinement, affected: _AffectedRows, pairs: Sequence[Places], chosen: Places,
        inside: Sequence[Places],
    ) -> Groups:  # fmt: skip
        """The groups by part and by each of the choices `inside`, all in one list."""
        columns = [place for at in chosen for place in pairs[at]]
        values = len(self._table.domains[self._sensitive[0]]) if self._sensitive else 1
        shape = [*(self._shown[place] for place in columns), refinement.parts, values]
        # Keys of pairs are 32-bit products of labels and may overflow for columns with very many labels. The cube
        # would then be too large as well, and `_count_parts` does not read these keys.
        if prod(shape) > _CELLS:
            matrix = np.concatenate(
                [self._count_parts(affected, subset, refinement.parts, values) for subset in inside]
            )
        else:
            matrix = self._sum_cube(affected, pairs, chosen, inside, shape)
        sizes = matrix.sum(axis=1)
        made = sizes > 0
        return Groups.of_matrices(self._table, sizes[made], dict.fromkeys(self._sensitive, matrix[made]))

    def _sum_cube(
        self, affected: _AffectedRows, pairs: Sequence[Places], chosen: Places, inside: Sequence[Places],
        shape: Sequence[int],
    ) -> Counts:  # fmt: skip
        """Count once by all columns of the union, and sum to each choice of them."""
        from sfumato.algorithms.specialization.loops.subset_counts import cube

        columns, (parts, values) = [place for pair in chosen for place in pairs[pair]], shape[-2:]
        widths = [*(prod(self._shown[place] for place in pairs[pair]) for pair in chosen), parts]
        strides = np.array([values * prod(widths[place + 1 :]) for place in range(len(widths))] + [1])
        blocks = np.array([2 + pair for pair in chosen] + [0, 1], dtype=np.int64)
        found = cube(affected.keys, blocks, strides, affected.counts, prod(shape)).reshape(shape)
        cells = []
        for subset in inside:
            # Summing the cube over the other columns gives the counts of a choice without a pass over the rows.
            away = tuple(place for place, column in enumerate(columns) if column not in subset)
            cells.append(found.sum(axis=away).reshape(-1, values))
        return np.concatenate(cells)

    def _count_parts(self, affected: _AffectedRows, subset: Places, parts: int, values: int) -> Counts:
        """Count by one choice of columns alone, where a cube of all columns would be too large."""
        labels = [affected.keys[0], *(self._labels[place][affected.rows] for place in subset)]
        radices = [parts, *(self._shown[place] for place in subset)]
        packing, number = Packing.of([column.astype(np.int64) for column in labels], radices)
        key = number.astype(np.int64) * values + affected.keys[1]
        found = np.bincount(key, weights=affected.counts, minlength=len(packing) * values)
        return found.astype(np.int64).reshape(-1, values)
