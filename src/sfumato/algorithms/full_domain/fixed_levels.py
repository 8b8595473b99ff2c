"""Fixed levels: generalizes every column to the level that the caller chose, and suppresses what fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch
from sfumato.data.table import Table
from sfumato.errors import ParameterError, SchemaError, nearest
from sfumato.models.group_model import GroupModel
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class FixedLevels(LatticeSearch):
    """Generalizes columns to the given levels, and searches nothing.

    Level 0 is the values as they are, and the last level is the root of the taxonomy. Columns that are not named stay
    as they are. Records of groups that fail are suppressed as long as the limit allows; otherwise nothing is published.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = FixedLevels(levels={"Job": 1, "Age": 1}).anonymize(hospital(), KAnonymity(k=3))
    >>> release.recoding.levels, release.groups.sizes.tolist()
    ({'Job': 1, 'Sex': 0, 'Age': 1}, [3, 4])

    References: Samarati (2001), for levels of whole columns; book, section 3.1. There is no search, so there is no
    paper about it.
    """

    counts_persons: ClassVar[bool] = True
    way_out: ClassVar[str] = (
        "Allow more suppression, ask for less, or raise levels; optimal_lattice finds levels that are enough."
    )

    levels: Mapping[str, int] = param(doc="the level of each column; 0, the values as they are, for the others")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, level in self.levels.items():
            if isinstance(level, bool) or not isinstance(level, Integral) or level < 0:
                raise ParameterError(
                    f"'levels' of FixedLevels has whole numbers from 0, which leaves the values as they are; column "
                    f"{name!r} has {_shown(level)}."
                )
        # Plain numbers, because certificates have the settings, and a copy, because the caller's mapping may change.
        object.__setattr__(self, "levels", {name: int(level) for name, level in self.levels.items()})

    def _refuse_unsuitable(self, data: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(data, model)
        for name in self.levels:
            if name not in data.schema.quasi:
                raise SchemaError(
                    f"'levels' of fixed_levels names {name!r}, which is no quasi column; "
                    f"{nearest(name, data.schema.quasi)}"
                )
        lattice = Lattice.over(data)
        for name, height in zip(lattice.columns, lattice.heights, strict=True):
            if self.levels.get(name, 0) > height:
                raise ParameterError(
                    f"'levels' of fixed_levels gives column {name!r} the level {self.levels[name]}, and its taxonomy "
                    f"has {height + 1} levels: 0, the values as they are, to {height}, the root."
                )

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        return tuple(self.levels.get(name, 0) for name in lattice.columns), {}


def _shown(level: object) -> str:
    """A number as it is, and the type of anything else."""
    return repr(level) if isinstance(level, (int, float)) else f"a value of type {type(level).__name__}"
