"""Genetic search: evolves a population of recodings and publishes the cheapest one that satisfies the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.arrays import Flags
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_values
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.distinct_rows import RecodedRows
    from sfumato.algorithms.full_domain.evolution import Evolution
    from sfumato.algorithms.full_domain.split_rows import SplitRows

_ROUNDING = 1e-9
"""Allowance for rounding in the limit on suppression."""
_Objective = Callable[["RecodedRows", NDArray[np.int64]], float]


@dataclass(frozen=True, kw_only=True)
class Genetic(TableAlgorithm):
    """Evolves global recodings of single columns, and publishes the one with the least loss.

    A recoding is a string with one bit for every taxonomy node that can be replaced by its children, for every boundary
    between neighbouring numbers, and for every category without a taxonomy that can be shown. An offspring takes some
    columns of one parent and the others of another; parents are drawn by rank. Then single bits are flipped, a bit is
    moved to a neighbour, or a column is drawn again. The offspring is made legal by clearing the bits below a cleared
    one, so that the published nodes are a cut through each taxonomy. If it is new and costs less than the worst member
    of the population, it replaces that member, or a member with the same cost.

    Records of failing groups are suppressed, at a cost of 1 per cell ("lm") or 1 per record ("cm"). A recoding that
    would suppress more than the limit ranks below all others, by the number of records above the limit. The fully
    generalized recoding is a member from the start, so that the search can be stopped at any time.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = Genetic().anonymize(hospital(), KAnonymity(k=3))
    >>> {name: labels.texts for name, labels in release.recoding.labels.items()}
    {'Job': ('Professional', 'Artist'), 'Sex': ('Male', 'Female'), 'Age': ('30', '[35, 40)')}

    References: Iyengar (2002), "Transforming data to satisfy privacy constraints"; Whitley (1989), the steady-state
    GENITOR; book, section 6.6.
    """

    anytime = True

    objective: Literal["lm", "cm"] = param("lm", doc="minimize the loss of all cells (lm) or of a class (cm)")
    target: str = param("", doc="the class of cm; by default the only target column")
    population: int = param(200, doc="the number of recodings that are kept", at_least=2)
    evaluations: int = param(30_000, doc="the largest number of recodings that are evaluated", at_least=1)
    stall: int = param(8_000, doc="offspring in a row without improvement before it ends early", at_least=1)
    mutation: float = param(1.0, doc="bits of an offspring that are flipped, on average", at_least=0)
    pressure: float = param(
        1.25, doc="how much more likely the best is a parent than the median", at_least=1, at_most=2
    )

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by recoding two rows."""
        two = Table.of_rows(
            Schema.of(quasi=["q"], sensitive=["s"], target=["t"]), {"q": ["1", "2"], "s": ["1", "2"], "t": ["1", "2"]}
        )
        Genetic(objective=self.objective).anonymize(two, KAnonymity(k=1) & DistinctLDiversity(l=1))

    def history(
        self, table: Table, model: GroupModel, *, suppression: float = 0.0, seed: int = 0
    ) -> NDArray[np.float64]:
        """The cost of the best recoding after each evaluation; infinite until one is within the suppression limit."""
        self._refuse_unsuitable(table, model)
        search = self._search(table, model, suppression, np.random.default_rng(seed))
        search.run()
        best = np.array(search.best)
        # `_search` gives strings beyond the limit a cost above the largest one.
        return np.where(best > self._largest_cost(table), np.inf, best)

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        from sfumato.algorithms.full_domain.splits import Splits

        best = self._search(table, model, suppression, random).run()
        return generalize_values(table, Splits.of(table).cuts(best))

    def _search(self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator) -> Evolution:
        from sfumato.algorithms.full_domain.evolution import Evolution, MutationRates
        from sfumato.algorithms.full_domain.split_rows import SplitRows
        from sfumato.algorithms.full_domain.splits import Splits

        splits, target = Splits.of(table), table.schema.one_target(self.target) if self.objective == "cm" else ""
        rows = SplitRows.of_splits(table, splits, model, (target,) if target else ())
        objective = _class_objective(rows, target) if target else _loss_objective(rows)
        allowed, most = floor(suppression * table.records + _ROUNDING), self._largest_cost(table)

        def cost(bits: Flags) -> float:
            recoded = rows.recode(bits)
            left, gone = recoded.without_failing(allowed)
            if gone > allowed or gone == table.records:
                # Above every cost within the limit, and lower if fewer records are above the
                # limit, so that the search is led towards strings within it. `without_failing`
                # stops early, so `gone` may be smaller than the full number.
                return most + 1 + (gone - allowed) / table.records
            return objective(recoded, left)

        rates = MutationRates(self.population, self.evaluations, self.stall, self.mutation, self.pressure)
        return Evolution(splits, cost, rates, random)

    def _largest_cost(self, table: Table) -> float:
        """The cost of suppressing all records."""
        return 1.0 if self.objective == "cm" else float(len(table.schema.quasi))


def _loss_objective(rows: SplitRows) -> _Objective:
    """LM: the average loss of the cells of a record, summed over the columns."""
    from sfumato.algorithms.full_domain.loops.recoded_groups import losses_of, total_loss

    layout, counts = rows.splits.layout, rows.table.counts

    def objective(recoded: RecodedRows, left: NDArray[np.int64]) -> float:
        losses = losses_of(recoded.label, layout)
        return total_loss(rows.codes, layout.offset, losses, rows.histogram, counts, left) / rows.table.records

    return objective


def _class_objective(rows: SplitRows, target: str) -> _Objective:
    """CM: the share of records that are suppressed or have another class than most of their group."""
    from sfumato.algorithms.full_domain.loops.recoded_groups import majority_count

    classes, class_count = rows.table.codes[target], len(rows.table.domains[target])

    def objective(recoded: RecodedRows, left: NDArray[np.int64]) -> float:
        number, groups = recoded.numbering(rows.splits.columns)
        return 1 - majority_count(number, groups, left, classes, class_count, rows.slots) / rows.table.records

    return objective
