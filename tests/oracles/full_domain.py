"""Full-domain search by the definition: every node as a candidate, suppressed, judged and measured."""

from __future__ import annotations

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.data.table import Table
from sfumato.metrics.base import TableMetric
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_levels
from sfumato.operations.suppress import most_suppressed, suppress_failing
from sfumato.releases.table_candidate import TableCandidate


def candidates(table: Table, model: GroupModel, limit: float) -> dict[Levels, TableCandidate | None]:
    """Every node with its candidate; None where the model does not hold within the limit."""
    lattice, allowed = Lattice.over(table), most_suppressed(table, limit)
    found: dict[Levels, TableCandidate | None] = {}
    for levels in lattice:
        plain = generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))
        candidate = suppress_failing(plain, model, limit)
        holds = not any(member.fails(candidate.view).any() for member in model.measured())
        within = candidate.suppressed_persons <= allowed and len(candidate.published_rows) > 0
        found[levels] = candidate if holds and within else None
    return found


def losses(table: Table, model: GroupModel, limit: float, metric: TableMetric) -> dict[Levels, float]:
    """The loss of every node where the model holds; lower is better."""
    sign = 1 if metric.better == "lower" else -1
    found = candidates(table, model, limit)
    return {levels: sign * metric.measure(one) for levels, one in found.items() if one is not None}
