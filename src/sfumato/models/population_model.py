"""Base of models that compare what is published with a population: everybody who could be in the release."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.population import Population, Regions
from sfumato.disclosure.table_view import TableView
from sfumato.disclosure.view import View
from sfumato.errors import UnsuitableError, UsageError
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import WITNESSES
from sfumato.releases.verdict import Verdict

Counts = NDArray[np.int64]


class PopulationModel(PrivacyModel):
    """Base of models with a setting `population`; a model defines `admits`, `side` and `required`.

    Such a model judges groups of persons of the population, also those that have no published record. Candidate groups
    of records do not show these, so searches for other models cannot judge it: an algorithm that declares
    `reads_population` asks `admits`, and `check` matches the published labels with the population.

    Facts are as those of models that judge groups: `kept_by_merging` (groups of persons that hold also hold together)
    and `kept_by_suppressing` (groups that hold still hold when records of other groups are suppressed).
    """

    kept_by_merging: ClassVar[bool] = True
    kept_by_suppressing: ClassVar[bool] = True
    about_secrets: ClassVar[bool] = False
    about_distances: ClassVar[bool] = False
    one_record_a_person: ClassVar[bool] = True

    population: Population | Path

    def __post_init__(self) -> None:
        if isinstance(self.population, str):
            object.__setattr__(self, "population", Path(self.population))
        super().__post_init__()

    @abstractmethod
    def admits(self, present: Counts, people: Counts) -> Flags:
        """Whether groups of `people` persons hold of which `present` are in the release."""

    @abstractmethod
    def side(self, present: Counts, people: Counts) -> tuple[NDArray[np.float64], float, bool]:
        """The level of each group, the required level, and whether a higher level is safer, as a verdict shows them."""

    @property
    def at_hand(self) -> Population:
        """The population; raises an error if it has not been read yet."""
        if isinstance(self.population, Path):
            raise UsageError(f"{self} has no population yet; use model.with_knowledge(table), which reads it.")
        return self.population

    def compared(self) -> tuple[PopulationModel, ...]:
        """The model itself."""
        return (self,)

    def with_knowledge(self, table: Table | None) -> Self:
        """The model with its population, read from the file and compared with the original table, if there is one."""
        found = self.population if isinstance(self.population, Population) else Population.read(self.population)
        if table is not None:
            self._refuse_persons(table)
            found = found.fitted(table)
        return replace(self, population=found)

    def with_derived_columns(self, table: Table) -> Table:
        """The table, in whose domains and taxonomies are the values of the population."""
        return self.at_hand.widened(table)

    def check(self, view: View) -> Verdict:
        """Match every published group with the persons that its labels cover, and judge all groups of persons."""
        if not isinstance(view, TableView) or view.linkage.cut:
            raise UnsuitableError(
                f"{self} compares the labels of records with a population, and in a bucketized release the columns of "
                "a record are apart; publish labels that stay together."
            )
        self._refuse_persons(view.table)
        if view.schema.waiver:
            raise UnsuitableError(f"{self} cannot judge records of persons who waive protection; leave them out.")
        found = self.at_hand.regions(view)
        none = [found.absent] if found.absent else []
        present = np.append(found.present, np.zeros(len(none), dtype=np.int64))
        return self._verdict(present, np.append(found.people, np.array(none, dtype=np.int64)), found)

    def _verdict(self, present: Counts, people: Counts, found: Regions) -> Verdict:
        holds = self.admits(present, people)
        level, required, higher = self.side(present, people)
        worst = np.argsort(level if higher else -level, kind="stable")
        failing = worst[~holds[worst]]
        reasons: tuple[str, ...] = ()
        if not holds.all() and found.absent and not holds[-1]:
            reasons = (
                f"{found.absent:,} of {int(people.sum()):,} persons of the population are in no group of the release, "
                "so everybody sees that they are not in the data.",
            )
        return Verdict(
            model=self.public_settings(),
            described=str(self),
            holds=bool(holds.all()),
            level=float(level[worst[0]]) if len(level) else float("nan"),
            required=required,
            better="higher" if higher else "lower",
            groups=len(level),
            failing_groups=len(failing),
            failing_records=int(present[failing].sum()),
            witnesses=tuple((int(present[group]), float(level[group])) for group in failing[:WITNESSES]),
            reasons=reasons,
        )

    def _refuse_persons(self, table: Table) -> None:
        if table.repeats_persons:
            raise UnsuitableError(
                f"{self} compares records with persons of the population, and persons here have several records; "
                "publish one record for each person."
            )

    def public_settings(self) -> dict[str, Any]:
        """The name and settings; of the population the name of its source, the number of persons and a digest."""
        found = self.population
        return self.to_dict() | {"population": found.name if isinstance(found, Path) else found.brief()}

    def to_dict(self) -> dict[str, Any]:
        """The name and settings; the population as a path, or as the name of its source if it was read."""
        # The values of a `Population` are no settings, so the inherited method does not see it.
        plain = {
            setting.name: getattr(self, setting.name) for setting in self.settings() if setting.name != "population"
        }
        return {"name": self.name(), **plain} | {
            "population": str(self.population) if isinstance(self.population, Path) else self._source
        }

    def __str__(self) -> str:
        plain = self.to_dict() | {"population": self._source}
        shown = {key: value for key, value in plain.items() if key != "name"}
        return f"{self.name()}({', '.join(f'{key}={value}' for key, value in shown.items())})"

    @property
    def _source(self) -> str:
        return self.population.name if isinstance(self.population, Path) else self.population.described
