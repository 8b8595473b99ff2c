"""The base of workload-aware Mondrian algorithms, whose releases are for predicting a target."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.algorithms.partitioning import Partitioning
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, listed
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.mondrian.cutting import Aim


@dataclass(frozen=True, kw_only=True)
class TargetedCutting(Partitioning):
    """Base of algorithms that cut groups where the targets grow most certain; an author writes `_aim`.

    Among cuts that serve the targets equally well, to within rounding, the one that Mondrian's own best cut prefers is
    made, and among equals there the first column's lowest. A cut that does not help the targets at all is made too,
    because it makes the release more precise for every other use, unless only `beneficial` cuts are asked for. Where
    no column is a target there is nothing to predict, and the result is Mondrian's.
    """

    needs = frozenset({"kept_by_merging"})

    targets: tuple[str, ...] = param((), doc="columns to be predicted; empty means all target columns")
    categories: Literal["sets", "taxonomy"] = param("sets", doc="publish sets of categories, or taxonomy nodes")
    labels: Literal["tight", "taxonomy"] = param(
        "tight", doc="publish tight ranges of numbers, or nodes of the taxonomies of all columns that have one"
    )
    beneficial: bool = param(False, doc="stop where no cut helps to predict, even if one would be more precise")

    def __post_init__(self) -> None:
        super().__post_init__()
        twice = sorted({name for name in self.targets if self.targets.count(name) > 1})
        if twice:
            raise ParameterError(f"'targets' of {type(self).__name__} names {listed(twice)} twice; once is enough.")

    def prepare(self) -> None:
        """Compile the kernels, or read them from the cache, by cutting two rows."""
        pair = ["1", "2"]
        two = Table.of_rows(
            Schema.of(quasi=["q"], sensitive=["s"], target=["t"], kinds={"t": "number"}), dict.fromkeys("qst", pair)
        )
        easy = KAnonymity(k=1) & DistinctLDiversity(l=1)
        replace(self, targets=())._choose_groups(two, easy, np.random.default_rng(0))

    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        from sfumato.algorithms.mondrian.cutting import best_groups

        names = tuple(table.schema.one_target(name) for name in self.targets) or table.schema.targets
        aim = self._aim(table, names) if names else None
        labels = best_groups(
            self._charged(table), model, sets=self._publishes_sets(), aim=aim, beneficial=self.beneficial
        )
        return Partition.of_labels(labels)

    @abstractmethod
    def _aim(self, table: Table, targets: tuple[str, ...]) -> Aim:
        """What a cut leaves open about the targets."""

    def _publishes_sets(self) -> bool:
        return self.categories == "sets" and self.labels == "tight"

    def _publishes_nodes_of_numbers(self) -> bool:
        return self.labels == "taxonomy"
