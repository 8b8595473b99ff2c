"""Optimal full-domain generalization: the combination of levels that loses least, proven without a look at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import LatticeSearch, objective_metric, prepare_search
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.metrics.base import CellMetric, TableMetric
from sfumato.models.group_model import GroupModel
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.level_search import LevelSearch


@dataclass(frozen=True, kw_only=True)
class OptimalLattice(LatticeSearch):
    """Generalizes every column to the combination of levels that loses least of all that satisfy the model.

    Records of groups that fail are suppressed as long as the limit allows. Nodes of the lattice are looked at in the
    order of what they lose before anything is suppressed, which is never more than what they lose in the end; so the
    search ends when the next node loses more than the best one found. If more records must be suppressed at a node than
    the limit allows, all nodes below it are left out. Metrics that add up cells have such bounds; with other metrics
    only the limit leaves nodes out.

    With a time limit, the best combination so far is published, and the provenance has a lower bound on the loss of
    every other one. So it is for more than four million combinations, of which a few thousand are looked at, or as many
    as the time limit allows; the release has a warning then. Among equals the least general combination in order wins,
    as in `exhaustive`.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> OptimalLattice().anonymize(hospital(), KAnonymity(k=3)).recoding.levels
    {'Job': 1, 'Sex': 0, 'Age': 1}

    References: LeFevre, DeWitt and Ramakrishnan (2005), Incognito, for what is left out; book, section 5.1.1.
    """

    counts_persons: ClassVar[bool] = True
    anytime: ClassVar[bool] = True
    optimal: ClassVar[bool] = True

    objective: str = param("ncp", doc="name of the metric to optimize")
    weights: Mapping[str, float] | None = param(
        None, doc="weights of quasi columns in the objective; 1 for columns that are not named"
    )
    mean: Literal["arithmetic", "geometric"] = param(
        "arithmetic", doc="the mean over columns; the geometric one (of 1 + share) charges uneven losses more evenly"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        metric = self._metric()
        if self.mean == "geometric" and not isinstance(metric, CellMetric):
            raise ParameterError(
                f"mean='geometric' of OptimalLattice is over the costs of columns, and {metric.name()} has none; take "
                "an objective such as ncp."
            )

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        prepare_search(OptimalLattice())

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.level_search import LevelSearch
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        search = LevelSearch(LatticeNodes(lattice, table, model, suppression, self._metric(), self.mean))
        search.run()
        return (lattice.top if search.best is None else search.best.levels), _facts(search)

    def _why(self, data: Table, model: GroupModel, suppression: float) -> str:
        from sfumato.algorithms.full_domain.level_search import LISTED

        size, why = Lattice.over(data).size, super()._why(data, model, suppression)
        looked = f"Only some of {size:,} combinations of levels were looked at; leave quasi columns out. "
        return looked + why if size > LISTED else why

    def _metric(self) -> TableMetric:
        if self.weights is None:
            return objective_metric(self.objective)
        metric = type(objective_metric(self.objective))
        if "weights" not in {setting.name for setting in metric.settings()}:
            raise ParameterError("'weights' of OptimalLattice need an objective with weights, such as ncp or iloss.")
        return metric(weights=self.weights)


def _facts(search: LevelSearch) -> dict[str, Any]:
    """How the search ended, for the provenance of the release."""
    found: dict[str, Any] = {"nodes": search.nodes.lattice.size, "checked": search.checked, "proven": search.proven}
    if search.best is not None and search.bound > -inf:
        found |= {"loss": search.best.loss, "lower_bound": min(search.bound, search.best.loss)}
    return found
