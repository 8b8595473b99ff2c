"""Genetic search: recodings that breed, and the cheapest that is safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Algorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models.base import PrivacyModel
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_values
from sfumato.releases.candidate import Candidate
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.distinct_rows import DistinctRows, Recoded
    from sfumato.algorithms.full_domain.evolution import Evolution

_ROUNDING = 1e-9
_Objective = Callable[["Recoded", NDArray[np.int64]], float]


@dataclass(frozen=True, kw_only=True)
class Genetic(Algorithm):
    """Breeds global recodings of single columns, and publishes the one that loses least.

    A recoding is a string with one bit for every taxonomy node that can be opened, for every boundary between
    neighbouring numbers, and for every category without a taxonomy that can be shown. Two parents, drawn by rank, give
    an offspring: some columns of the one and some of the other, and then single bits are turned over, a bit is moved to
    a neighbour, or a column is drawn anew. It is made legal by closing what lies below a closed node, so that every
    string is one node on each path from root to value. If it is new and costs less than the dearest member of the
    population, it takes that one's place, or the place of a member that costs the same.

    Records in groups that fail are suppressed, at the price of 1 a cell ("lm") or 1 a record ("cm"). A recoding that
    would suppress more than the limit ranks below all that do not, by how many more. The recoding that tells nothing
    apart is there from the start, so that a release is found where there is one, whenever the search is stopped.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = Genetic().anonymize(hospital(), KAnonymity(k=3))
    >>> {name: labels.texts for name, labels in release.recoding.labels.items()}
    {'Job': ('Professional', 'Artist'), 'Sex': ('Male', 'Female'), 'Age': ('30', '[35, 40)')}

    References: Iyengar (2002), "Transforming data to satisfy privacy constraints"; Whitley (1989), the steady-state
    GENITOR; book, section 6.6.
    """

    anytime = True

    objective: Literal["lm", "cm"] = param("lm", doc="lose little of every cell (lm), or keep a class predictable (cm)")
    target: str = param("", doc="the class of cm; may stay empty where there is only one target column")
    population: int = param(200, doc="recodings kept at a time", at_least=2)
    evaluations: int = param(30_000, doc="most recodings looked at", at_least=1)
    stall: int = param(8_000, doc="offspring in a row that bring nothing before it ends early", at_least=1)
    mutation: float = param(1.0, doc="bits of an offspring that are turned over, on average", at_least=0)
    pressure: float = param(1.25, doc="how much likelier a parent the best is than the middle", at_least=1, at_most=2)

    def prepare(self) -> None:
        """Compile the kernels, or read them from the cache, by recoding two rows."""
        two = Table.of_rows(
            Schema.of(quasi=["q"], sensitive=["s"], target=["t"]), {"q": ["1", "2"], "s": ["1", "2"], "t": ["1", "2"]}
        )
        Genetic(objective=self.objective).anonymize(two, KAnonymity(k=1) & DistinctLDiversity(l=1))

    def history(
        self, table: Table, model: PrivacyModel, *, suppression: float = 0.0, seed: int = 0
    ) -> NDArray[np.float64]:
        """What the best recoding so far cost after each that was looked at; infinite until one is within the limit."""
        self._refuse_unsuitable(table, model)
        search = self._search(table, model, suppression, np.random.default_rng(seed))
        search.run()
        best = np.array(search.best)
        return np.where(best > self._most(table), np.inf, best)

    def _publish(self, table: Table, model: PrivacyModel, suppression: float, random: np.random.Generator) -> Candidate:
        from sfumato.algorithms.full_domain.splits import Splits

        best = self._search(table, model, suppression, random).run()
        return generalize_values(table, Splits.of(table).cuts(best))

    def _search(self, table: Table, model: PrivacyModel, suppression: float, random: np.random.Generator) -> Evolution:
        from sfumato.algorithms.full_domain.distinct_rows import DistinctRows
        from sfumato.algorithms.full_domain.evolution import Evolution, MutationRates
        from sfumato.algorithms.full_domain.splits import Splits

        splits, target = Splits.of(table), table.schema.one_target(self.target) if self.objective == "cm" else ""
        rows = DistinctRows.of(table, splits, model, (target,) if target else ())
        objective = _misclassified(rows, target) if target else _vagueness(rows)
        allowed, most = floor(suppression * table.records + _ROUNDING), self._most(table)

        def cost(bits: NDArray[np.bool_]) -> float:
            recoded = rows.recoded(bits)
            left, gone = recoded.kept(allowed)
            if gone > allowed or gone == table.records:
                return most + 1 + (gone - allowed) / table.records
            return objective(recoded, left)

        rates = MutationRates(self.population, self.evaluations, self.stall, self.mutation, self.pressure)
        return Evolution(splits, cost, rates, random)

    def _most(self, table: Table) -> float:
        """What suppressing everything would cost."""
        return 1.0 if self.objective == "cm" else float(len(table.schema.quasi))


def _vagueness(rows: DistinctRows) -> _Objective:
    """LM: what the cells of a record lose on average, added up over the columns."""
    from sfumato.algorithms.full_domain.loops.recoded_groups import losses_of, lost

    layout, counts = rows.splits.layout, rows.table.counts

    def objective(recoded: Recoded, left: NDArray[np.int64]) -> float:
        losses = losses_of(recoded.label, layout)
        return lost(rows.codes, layout.offset, losses, rows.histogram, counts, left) / rows.table.records

    return objective


def _misclassified(rows: DistinctRows, target: str) -> _Objective:
    """CM: the share of records that are left out or have another class than most of their group."""
    from sfumato.algorithms.full_domain.loops.recoded_groups import commonest

    classes, how_many = rows.table.codes[target], len(rows.table.domains[target])

    def objective(recoded: Recoded, left: NDArray[np.int64]) -> float:
        number, groups = recoded.numbering(rows.splits.columns)
        return 1 - commonest(number, groups, left, classes, how_many, rows.slots) / rows.table.records

    return objective
