"""A guard over every choice of a few columns at once: hundreds of groupings that share most of their counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import Guard, Marks, Outlook, RefinedRows, safety_of
from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.data.row_keys import Packing
from sfumato.disclosure.groups import Groups
from sfumato.models.base import PrivacyModel

Counts = NDArray[np.int64]
Places = tuple[int, ...]

_CELLS = 2**22
"""A larger cube takes longer to make and to sum up than counting every choice by itself."""


class _Concerned(NamedTuple):
    """The rows that a refinement concerns, as numbers: part, value asked for, and the labels of column pairs."""

    rows: Marks
    keys: Marks
    counts: Counts


class SubsetGuard(Guard):
    """Watches the groups of every choice of `at_most` columns.

    A refinement of one column is looked at together with every choice of `at_most` - 1 of the others, of which those
    that still show nothing need no look. Records are counted for choices of column pairs, and summed up from there.
    """

    def __init__(self, rows: RefinedRows, columns: Sequence[int], at_most: int, model: PrivacyModel) -> None:
        self.columns, self.least = frozenset(columns), model.bounds.least_size()
        self._rows, self._table, self._model, self._at_most = rows, rows.table, model, at_most
        self._labels = {place: np.zeros(len(rows.table), dtype=np.uint32) for place in columns}
        self._shown = dict.fromkeys(columns, 1)
        self._asked = model.sensitive_columns(rows.table.schema)
        self._suspect: dict[Places, int] = {}
        whole = {name: self._table.histogram(name)[None, :] for name in self._asked}
        sizes = np.array([rows.table.records], dtype=np.int64)
        self.holds, self.safety = self._judged(Groups.of_matrices(self._table, sizes, whole))

    def outlook(self, refinement: Refinement) -> Outlook:
        """Judge the groups by every choice of other columns; the first that breaks the promise settles it."""
        others = tuple(place for place, shown in self._shown.items() if shown > 1 and place != refinement.place)
        pairs = [others[at : at + 2] for at in range(0, len(others), 2)]
        concerned = self._concerned(refinement, pairs)
        least = np.inf
        for chosen, inside in self._unions(pairs, len(others)):
            groups = self._groups(refinement, concerned, pairs, chosen, inside)
            holds, safety = self._judged(groups)
            self._suspect[chosen] = int(groups.sizes.min())
            if not holds:
                return Outlook(False, safety)
            least = min(least, safety[0])
        return Outlook(True, (least,))

    def take(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """The rows concerned get their new labels."""
        from sfumato.algorithms.specialization.loops.subset_counts import relabel

        rows, place = self._listed(refinement), refinement.place
        codes, part_of = self._rows.codes(place), self._rows.part_of(refinement)
        relabel(rows, self._labels[place], codes, part_of, self._shown[place])
        self._shown[place] += refinement.parts - 1
        self.safety = tuple(min(now, then) for now, then in zip(self.safety, safety, strict=True))

    def _judged(self, groups: Groups) -> tuple[bool, tuple[float, ...]]:
        return bool(self._model.holds(groups).all()), (float(safety_of(self._model, groups).min()),)

    def _listed(self, refinement: Refinement) -> Marks:
        from sfumato.algorithms.specialization.loops.subset_counts import rows_concerned

        listed = self._rows.of(refinement)
        if listed is not None:
            return listed
        return rows_concerned(self._rows.codes(refinement.place), self._rows.part_of(refinement), refinement.parts)

    def _concerned(self, refinement: Refinement, pairs: Sequence[Places]) -> _Concerned:
        """Block 0 is the part, block 1 the value asked for (0 where none is), the others the pairs."""
        from sfumato.algorithms.specialization.loops.subset_counts import fold_pair, look_up

        rows = self._listed(refinement)
        keys = np.zeros((2 + len(pairs), len(rows)), dtype=np.uint32)
        keys[0] = look_up(rows, self._rows.codes(refinement.place), self._rows.part_of(refinement))
        for name in self._asked:
            keys[1] = self._table.codes[name][rows]
        for at, pair in enumerate(pairs):
            one, other = self._labels[pair[0]], self._labels[pair[-1]]
            keys[2 + at] = fold_pair(rows, one, other, self._shown[pair[1]]) if len(pair) > 1 else one[rows]
        return _Concerned(rows, keys, self._table.counts[rows])

    def _unions(self, pairs: Sequence[Places], others: int) -> Iterator[tuple[Places, list[Places]]]:
        """Choices of pairs, the most suspect first, and the choices of columns first seen inside each."""
        size = min(self._at_most - 1, others)
        taken: set[Places] = set()
        unions = list(combinations(range(len(pairs)), min(size, len(pairs))))
        for chosen in sorted(unions, key=lambda union: self._suspect.get(union, 0)):
            columns = [place for at in chosen for place in pairs[at]]
            inside = [subset for subset in combinations(columns, size) if subset not in taken]
            taken.update(inside)
            if inside:
                yield chosen, inside

    def _groups(
        self, refinement: Refinement, concerned: _Concerned, pairs: Sequence[Places], chosen: Places,
        inside: Sequence[Places],
    ) -> Groups:  # fmt: skip
        """The groups by part and by each of the inside choices, all in one list."""
        columns = [place for at in chosen for place in pairs[at]]
        values = len(self._table.domains[self._asked[0]]) if self._asked else 1
        shape = [*(self._shown[place] for place in columns), refinement.parts, values]
        if prod(shape) > _CELLS:
            matrix = np.concatenate([self._counted(concerned, subset, refinement.parts, values) for subset in inside])
        else:
            matrix = self._summed(concerned, pairs, chosen, inside, shape)
        sizes = matrix.sum(axis=1)
        made = sizes > 0
        return Groups.of_matrices(self._table, sizes[made], dict.fromkeys(self._asked, matrix[made]))

    def _summed(
        self, concerned: _Concerned, pairs: Sequence[Places], chosen: Places, inside: Sequence[Places],
        shape: Sequence[int],
    ) -> Counts:  # fmt: skip
        """Count once by all columns, and sum up to each choice of them."""
        from sfumato.algorithms.specialization.loops.subset_counts import cube

        columns, (parts, values) = [place for pair in chosen for place in pairs[pair]], shape[-2:]
        widths = [*(prod(self._shown[place] for place in pairs[pair]) for pair in chosen), parts]
        strides = np.array([values * prod(widths[place + 1 :]) for place in range(len(widths))] + [1])
        blocks = np.array([2 + pair for pair in chosen] + [0, 1], dtype=np.int64)
        found = cube(concerned.keys, blocks, strides, concerned.counts, prod(shape)).reshape(shape)
        cells = []
        for subset in inside:
            away = tuple(place for place, column in enumerate(columns) if column not in subset)
            cells.append(found.sum(axis=away).reshape(-1, values))
        return np.concatenate(cells)

    def _counted(self, concerned: _Concerned, subset: Places, parts: int, values: int) -> Counts:
        """Count by one choice of columns alone, where a cube of all of them would be too large to hold."""
        labels = [concerned.keys[0], *(self._labels[place][concerned.rows] for place in subset)]
        radices = [parts, *(self._shown[place] for place in subset)]
        packing, number = Packing.of([column.astype(np.int64) for column in labels], radices)
        key = number.astype(np.int64) * values + concerned.keys[1]
        found = np.bincount(key, weights=concerned.counts, minlength=len(packing) * values)
        return found.astype(np.int64).reshape(-1, values)
