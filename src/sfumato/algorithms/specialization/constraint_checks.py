"""Guards: objects that check whether the privacy models of one set of columns still hold after a refinement.

`Guard` is the interface; `LeafGuard` and `SubsetGuard` implement it. `RefinedRows` has the rows of the table in the
form that the compiled loops read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.group_model import GroupModel

Unsigned = NDArray[np.uint32]
Counts = NDArray[np.int64]

_SPARSE = 6
"""A row from a list costs about this many times more than a row in a pass over all rows in order."""


class CheckResult(NamedTuple):
    """Whether all models hold in the groups that a refinement makes, and the safety of each model."""

    holds: bool
    safety: tuple[float, ...]


class Guard(ABC):
    """Checks some models while columns are refined, and keeps the groups of its columns."""

    columns: frozenset[int]
    """The positions of the columns that the models depend on."""
    least: int
    """The size below which no group satisfies the models."""
    holds: bool
    """Whether the fully generalized table satisfies the models."""
    safety: tuple[float, ...]
    """The safety of the current groups, one number per model."""

    def quick_check(self, refinement: Refinement) -> CheckResult | None:
        """An upper bound of what a check would find, from some of the groups; None if a full check is as cheap."""
        return None

    @abstractmethod
    def check(self, refinement: Refinement) -> CheckResult:
        """Whether the models would hold after the refinement, and how safe they would be."""

    @abstractmethod
    def apply(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """Divide the groups; `safety` is what the check has found."""


def safety_of(model: GroupModel, groups: Groups) -> NDArray[np.float64]:
    """How safe each group is, more being safer: as the model's bounds say, else by its level."""
    found = model.bounds.safety(groups)
    if found is not None:
        return found
    level = model.level(groups)
    return level if model.better == "higher" else -level


@dataclass(eq=False)
class RefinedRows:
    """The rows of a table by column, and lists of the rows of each code, made at the first use."""

    table: Table
    names: tuple[str, ...]
    _listed: dict[int, tuple[Unsigned, Counts]] = field(default_factory=dict)

    def codes(self, place: int) -> Unsigned:
        """The codes of one column."""
        return self.table.codes[self.names[place]].view(np.uint32)

    def domain(self, place: int) -> int:
        """The number of values of a column."""
        return len(self.table.domains[self.names[place]])

    def part_of(self, refinement: Refinement) -> Unsigned:
        """The part of every code of the column; codes that are not affected are in the part after the last one."""
        part_of = np.full(self.domain(refinement.place), refinement.parts, dtype=np.uint32)
        given = refinement.part_of
        part_of[refinement.first : refinement.last + 1] = np.where(given < 0, refinement.parts, given)
        return part_of

    def of(self, refinement: Refinement) -> Unsigned | None:
        """The rows that a refinement affects, if they are few; None if a pass over all rows is faster."""
        # A value that is shown affects all hidden records, whose codes are no contiguous range.
        if refinement.shown_code >= 0 or refinement.records * _SPARSE > self.table.records:
            return None
        from sfumato.algorithms.specialization.loops.leaves import rows_by_code

        if refinement.place not in self._listed:
            self._listed[refinement.place] = rows_by_code(self.codes(refinement.place), self.domain(refinement.place))
        rows, starts = self._listed[refinement.place]
        return rows[starts[refinement.first] : starts[refinement.last + 1]]
