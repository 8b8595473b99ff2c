"""Exhaustive search: look at every full-domain generalization. Optimal and slow; others are compared with it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from sfumato.algorithms.full_domain.lattice import Lattice, LatticeEvaluator, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UsageError, nearest
from sfumato.metrics.base import TableMetric
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_levels
from sfumato.operations.suppress import most_suppressed, suppress_failing
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.progress import advance
from sfumato.settings.catalogue import without_required_settings
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Exhaustive(LatticeSearch):
    """Generalizes every column to the combination of levels that loses least among all that satisfy the model.

    Records of groups that fail are suppressed as long as the limit allows. Every combination is built and measured, so
    it serves small lattices and as a reference; among equals the least general combination in order wins.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> Exhaustive().anonymize(hospital(), KAnonymity(k=3)).recoding.levels
    {'Job': 1, 'Sex': 0, 'Age': 1}

    References: Sweeney (2002), MinGen; book, section 5.1.1.1.
    """

    counts_persons: ClassVar[bool] = True

    objective: str = param("ncp", doc="name of the metric to optimize")
    most: int = param(100_000, doc="largest lattice it will go through", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        _metric(self.objective)

    def _choose_levels(self, lattice: Lattice, table: Table, model: GroupModel, suppression: float) -> Levels:
        if lattice.size > self.most:
            raise UsageError(
                f"the lattice has {lattice.size} combinations and exhaustive goes through at most {self.most}; "
                "use mondrian, or raise 'most'."
            )
        best, least, metric = lattice.top, inf, _metric(self.objective)
        evaluator, allowed = LatticeEvaluator(lattice, table, model), most_suppressed(table, suppression)
        for number, levels in enumerate(lattice):
            advance("searching", number, lattice.size)
            if evaluator.failing(levels) > allowed:  # all of them would have to be suppressed, and perhaps more
                continue
            candidate = generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))
            candidate = suppress_failing(candidate, model, suppression)
            if self._holds(candidate, model):
                loss = metric.measure(candidate) * (1 if metric.better == "lower" else -1)
                # Strictly less: among equals the first one wins, which
                # the order of the lattice makes the least general.
                if loss < least:
                    best, least = levels, loss
        return best

    def _holds(self, candidate: TableCandidate, model: GroupModel) -> bool:
        return not any(member.fails(candidate.view).any() for member in model.measured())


def _metric(name: str) -> TableMetric:
    """The metric of that name, with its default settings."""
    metrics = without_required_settings("metrics", TableMetric)  # type: ignore[type-abstract]
    offered = {thing.name(): thing for thing in metrics}
    if name not in offered:
        raise ParameterError(
            "'objective' of Exhaustive must be the name of a metric of tables without required settings; "
            f"{nearest(name, offered)}"
        )
    return offered[name]()
