"""Guards: what a refinement would do to the groups of one set of columns, and whether their promises would be kept."""

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

Marks = NDArray[np.uint32]
Counts = NDArray[np.int64]

_SPARSE = 6
"""Going through a list of rows costs about so many times more a row than going over all of them in order."""


class Outlook(NamedTuple):
    """What a refinement would lead to: whether all promises hold in the groups it makes, and how safe those are."""

    holds: bool
    safety: tuple[float, ...]


class Guard(ABC):
    """Watches over some promises while columns are refined. `columns` are the places of those that concern it.

    `least` is the size below which no group keeps the promises, `holds` whether the table that shows nothing does,
    `safety` how safe the groups are now, one number a promise.
    """

    columns: frozenset[int]
    least: int
    holds: bool
    safety: tuple[float, ...]

    def glimpse(self, refinement: Refinement) -> Outlook | None:
        """What the refinement would lead to at best, from a look at some groups; None if a whole look is as cheap."""
        return None

    @abstractmethod
    def outlook(self, refinement: Refinement) -> Outlook:
        """What the refinement would lead to."""

    @abstractmethod
    def take(self, refinement: Refinement, safety: tuple[float, ...]) -> None:
        """Part the groups, whose safety the outlook foretold."""


def safety_of(model: GroupModel, groups: Groups) -> NDArray[np.float64]:
    """How safe each group is, more being safer: as the model's bounds say, else by its level."""
    found = model.bounds.safety(groups)
    if found is not None:
        return found
    level = model.level(groups)
    return level if model.better == "higher" else -level


@dataclass(eq=False)
class RefinedRows:
    """The rows of a table by column, and lists of the rows of each code, made when first asked for."""

    table: Table
    names: tuple[str, ...]
    _listed: dict[int, tuple[Marks, Counts]] = field(default_factory=dict)

    def codes(self, place: int) -> Marks:
        """One column."""
        return self.table.codes[self.names[place]].view(np.uint32)

    def domain(self, place: int) -> int:
        """How many values a column has."""
        return len(self.table.domains[self.names[place]])

    def part_of(self, refinement: Refinement) -> Marks:
        """The part of every code of the column, those not concerned in the part after the last."""
        part_of = np.full(self.domain(refinement.place), refinement.parts, dtype=np.uint32)
        given = refinement.part_of
        part_of[refinement.first : refinement.last + 1] = np.where(given < 0, refinement.parts, given)
        return part_of

    def of(self, refinement: Refinement) -> Marks | None:
        """The rows that a refinement concerns, if they are few enough to be listed; None if all should be gone over."""
        if refinement.shows >= 0 or refinement.records * _SPARSE > self.table.records:
            return None
        from sfumato.algorithms.specialization.loops.leaves import by_code

        if refinement.place not in self._listed:
            self._listed[refinement.place] = by_code(self.codes(refinement.place), self.domain(refinement.place))
        rows, starts = self._listed[refinement.place]
        return rows[starts[refinement.first] : starts[refinement.last + 1]]
