"""Mondrian: cut groups of records in two as long as both sides satisfy the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.algorithms.partitioning import Partitioning
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Mondrian(Partitioning):
    """Top-down partitioning over all quasi columns at once.

    A group is cut along one column where both sides satisfy the model. `cut="median"` takes the widest column that can
    be cut at its median. `cut="best"` compares every place of every column by what its sides lose now and by how far
    they could still be cut: a side whose model leaves room for g groups is expected to lose in the end its present loss
    times g^(-4/(3d)) over d columns, as g equal boxes would be narrower by g^(-1/d) if all columns counted alike.

    With `labels="taxonomy"`, numbers and dates that have a taxonomy are published as its lowest nodes, such as the
    intervals between given breaks. Cuts are then made at the ends of nodes where the model allows it: `cut="best"`
    counts the loss of nodes, and `cut="median"` takes, of the ends of the highest node, the one nearest to the median.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> Mondrian().anonymize(hospital(), KAnonymity(k=3)).groups.sizes.tolist()
    [4, 3]

    References: LeFevre, DeWitt and Ramakrishnan (2006), Mondrian Multidimensional K-Anonymity; book, section 5.1.2.6.
    """

    needs = frozenset({"kept_by_merging"})

    cut: Literal["best", "median"] = param("best", doc="how a cut is chosen")
    relaxed: bool = param(False, doc="share out records equal to the median, so that halves are as even as can be")
    categories: Literal["sets", "taxonomy"] = param("sets", doc="publish sets of categories, or taxonomy nodes")
    labels: Literal["tight", "taxonomy"] = param(
        "tight", doc="publish tight ranges of numbers, or nodes of the taxonomies of all columns that have one"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.relaxed and self.cut != "median":
            raise ParameterError("'relaxed' of Mondrian shares out records equal to the median; it needs cut='median'.")

    def prepare(self) -> None:
        """Compile the kernels, or read them from the cache, by cutting two rows."""
        two = Table.of_rows(Schema.of(quasi=["q"], sensitive=["s"]), {"q": ["1", "2"], "s": ["1", "2"]})
        self._choose_groups(two, KAnonymity(k=1) & DistinctLDiversity(l=1), np.random.default_rng(0))

    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        from sfumato.algorithms.mondrian.cutting import Cutting, best_groups, median_groups, widest
        from sfumato.algorithms.mondrian.loops.median_cuts import halving_cuts
        from sfumato.algorithms.mondrian.losses import losses_of

        if not self.relaxed:
            groups = best_groups if self.cut == "best" else median_groups
            return Partition.of_labels(groups(self._charged(table), model, sets=self._publishes_sets()))
        # Relaxed cuts may divide equal records, so every record is a row of its own here.
        row = np.repeat(np.arange(len(table)), table.counts)
        records = table.rows_at(row, np.ones(len(row), dtype=np.int64))
        bits = np.zeros((len(row), 0), dtype=np.uint64)
        losses = losses_of(self._charged(table), sets=self._publishes_sets())
        cutting = Cutting(records, model, losses, halving_cuts, widest, by_rank=True)
        return Partition.of_records(row, cutting.groups(bits))

    def _publishes_sets(self) -> bool:
        return self.categories == "sets" and self.labels == "tight"

    def _publishes_nodes_of_numbers(self) -> bool:
        return self.labels == "taxonomy"
