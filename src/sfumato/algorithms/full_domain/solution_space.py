"""The space of full-domain generalizations as an object: what every combination of levels keeps, loses and risks.

`sfumato.explore` makes it. Searches publish one combination; here somebody looks at all of them and chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sfumato.algorithms.full_domain.distinct_rows import RecodedRows
from sfumato.algorithms.full_domain.fixed_levels import FixedLevels
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import objective_metric
from sfumato.algorithms.full_domain.nodes import LatticeNodes
from sfumato.attacks.risk import AttackerRisk
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, ParameterError, UsageError, nearest
from sfumato.kernels.arrays import Flags
from sfumato.metrics.base import TableMetric
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.releases.table_release import TableRelease
from sfumato.runtime.progress import advance
from sfumato.runtime.representations import html_table
from sfumato.runtime.time_limit import enough

RiskName = Literal["prosecutor", "marketer", "suppressed"]


@dataclass(frozen=True)
class Solution:
    """One combination of levels.

    `holds` says whether the models hold once groups that fail are suppressed within the limit. `suppressed` are the
    records, or persons, that this takes; where it does not hold, those in groups that fail. `failing` has, for each
    model, how many are in groups that fail it before anything is suppressed. `losses` are the numbers of the metrics,
    and `prosecutor` and `marketer` the highest and the average chance to find a person; NaN where it does not hold.
    """

    levels: Mapping[str, int]
    holds: bool
    suppressed: int
    failing: Mapping[str, int]
    losses: Mapping[str, float]
    prosecutor: float
    marketer: float

    def risk(self, name: RiskName) -> float:
        """One of the risks, or the number of suppressed records as the price of a low risk."""
        return float(getattr(self, name))


@dataclass(frozen=True)
class Why:
    """Why so much is suppressed at a combination of levels.

    `failing` has the records in failing groups of each model. `raising` has, for each column that can go up a level,
    how many records would be suppressed then; the column that helps most comes first.
    """

    solution: Solution
    failing: Mapping[str, int]
    raising: Mapping[str, int]

    def __str__(self) -> str:
        said = [
            f"{count:,} {'record is' if count == 1 else 'records are'} in groups that fail {model}"
            for model, count in self.failing.items()
            if count
        ]
        if not said:
            return "Every group holds, so nothing is suppressed."
        helps = [f"{name} one level up: {count:,}" for name, count in self.raising.items()]
        return f"{'; '.join(said)}. Suppressed with " + ("; ".join(helps) if helps else "no column left to raise") + "."


@dataclass(frozen=True, eq=False, repr=False)
class SolutionSpace:
    """All combinations of levels that were looked at, and what each keeps, loses and risks.

    `looked_at` is the share of all combinations. Numbers of metrics are as the metric gives them: `best` knows whether
    higher or lower is better.
    """

    table: Table
    model: PrivacyModel
    suppression: float
    metrics: Mapping[str, TableMetric]
    solutions: Mapping[Levels, Solution] = field(default_factory=dict)
    size: int = 0

    @classmethod
    def of(
        cls,
        table: Table,
        model: PrivacyModel,
        *,
        metrics: Sequence[str] = ("ncp",),
        suppression: float = 0.0,
        most: int = 100_000,
    ) -> SolutionSpace:
        """Judge and measure every combination, or so many of them, or as many as the time allows."""
        _demand_names(metrics)
        group_model = model.with_knowledge(table).as_group_model()
        table, lattice = group_model.with_derived_columns(table), Lattice.over(table)
        chosen = {name: objective_metric(name) for name in metrics}
        first, *more = chosen.values()
        nodes = LatticeNodes(lattice, table, group_model, suppression, first, more=more)
        found: dict[Levels, Solution] = {}
        for levels, recoded in nodes.walk():
            if len(found) >= most or (found and enough()):
                break
            advance("exploring", len(found), min(lattice.size, most))
            found[levels] = _solution(nodes, levels, recoded, group_model, chosen)
        return cls(table, model, suppression, chosen, found, lattice.size)

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions.values())

    def __repr__(self) -> str:
        safe = sum(one.holds for one in self)
        return f"<SolutionSpace: {safe:,} of {len(self):,} combinations hold, {self.looked_at:.0%} looked at>"

    def _repr_html_(self) -> str:
        """The best combinations, for notebooks."""
        metric = next(iter(self.metrics))
        shown = sorted((one for one in self if one.holds), key=lambda one: self._cost(one, metric))[:10]
        rows = [
            (_named(one.levels), f"{one.suppressed:,}", f"{one.losses[metric]:.4g}", f"{one.prosecutor:.1%}")
            for one in shown
        ]
        return html_table(repr(self)[1:-1], rows, ("levels", "suppressed", metric, "highest risk"))

    @property
    def looked_at(self) -> float:
        """The share of all combinations that were looked at."""
        return len(self) / self.size if self.size else 1.0

    def best(self, metric: str = "") -> Solution:
        """The combination that holds and is best by a metric, by default the first one."""
        metric = self._metric(metric)
        holding = [one for one in self if one.holds]
        if not holding:
            raise InfeasibleError(
                f"no combination of levels satisfies {self.model} with at most {self.suppression:.1%} suppressed; "
                "allow more suppression, ask for less, or give coarser taxonomies."
            )
        return min(
            holding, key=lambda one: (self._cost(one, metric), sum(one.levels.values()), tuple(one.levels.values()))
        )

    def front(self, risk: RiskName = "prosecutor", metric: str = "") -> list[Solution]:
        """The combinations that no other one beats both in a risk and in a metric, from the least risk on."""
        metric = self._metric(metric)
        ordered = sorted((one for one in self if one.holds), key=lambda one: (one.risk(risk), self._cost(one, metric)))
        front: list[Solution] = []
        for one in ordered:
            if not front or self._cost(one, metric) < self._cost(front[-1], metric):
                front.append(one)
        return front

    def around(self, levels: Mapping[str, int]) -> list[Solution]:
        """The combinations one level above and below in one column."""
        at = self._levels(levels)
        lattice = Lattice.over(self.table)
        return [self.solutions[near] for near in (*lattice.below(at), *lattice.above(at)) if near in self.solutions]

    def why(self, levels: Mapping[str, int]) -> Why:
        """What forces the suppression at a combination, and which column to raise against it."""
        at = self._levels(levels)
        one, columns = self.solutions[at], tuple(self.solutions[at].levels)
        raised = {}
        for above in Lattice.over(self.table).above(at):
            if above in self.solutions:
                name = next(name for name, low, high in zip(columns, at, above, strict=True) if low != high)
                raised[name] = self.solutions[above].suppressed
        return Why(one, one.failing, dict(sorted(raised.items(), key=lambda pair: pair[1])))

    def release(self, levels: Mapping[str, int]) -> TableRelease:
        """The release at a combination of levels; raises an error if the models do not hold there."""
        chosen = dict(self.solutions[self._levels(levels)].levels)
        return FixedLevels(levels=chosen).anonymize(self.table, self.model, suppression=self.suppression)

    def frame(self) -> pa.Table:
        """One row per combination: its levels, whether it holds, what is suppressed, all metrics and risks."""
        every = list(self)
        names = list(every[0].levels) if every else []
        columns: dict[str, list[Any]] = {name: [one.levels[name] for one in every] for name in names}
        columns["holds"] = [one.holds for one in every]
        columns["suppressed"] = [one.suppressed for one in every]
        for name in self.metrics:
            columns[f"metric {name}"] = [None if isnan(one.losses[name]) else one.losses[name] for one in every]
        for name in ("prosecutor", "marketer"):
            columns[name] = [None if isnan(getattr(one, name)) else getattr(one, name) for one in every]
        for model in every[0].failing if every else ():
            columns[f"failing {model}"] = [one.failing[model] for one in every]
        return pa.table(columns)

    def _cost(self, one: Solution, metric: str) -> float:
        return one.losses[metric] if self.metrics[metric].better == "lower" else -one.losses[metric]

    def _metric(self, name: str) -> str:
        if name and name not in self.metrics:
            raise ParameterError(
                f"the space was not measured by {name!r}; {nearest(name, self.metrics)} Name it in metrics=[...]."
            )
        return name or next(iter(self.metrics))

    def _levels(self, levels: Mapping[str, int]) -> Levels:
        """The node of a combination; columns that are not named stay as they are."""
        columns = self.table.schema.quasi
        for name in levels:
            if name not in columns:
                raise ParameterError(f"{name!r} is no quasi column; {nearest(name, columns)}")
        found = tuple(levels.get(name, 0) for name in columns)
        if found not in self.solutions:
            heights = {name: self.table.taxonomies[name].height for name in columns}
            high = [f"{name} 0 to {height}" for name, height in heights.items()]
            raise ParameterError(
                f"the combination {_named(dict(zip(columns, found, strict=True)))} was not looked at: levels are "
                f"{', '.join(high)}, and {self.looked_at:.0%} of all combinations were looked at."
            )
        return found


def _demand_names(metrics: Sequence[str]) -> None:
    if isinstance(metrics, str) or not metrics:
        raise UsageError('metrics are given as a list of names, at least one: metrics=["ncp", "discernibility"].')


def _named(levels: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={level}" for name, level in levels.items())


def _solution(
    nodes: LatticeNodes, levels: Levels, recoded: RecodedRows, model: GroupModel, metrics: Mapping[str, TableMetric]
) -> Solution:
    """Judge and measure one node."""
    named = dict(zip(nodes.lattice.columns, levels, strict=True))
    failing = _failing(recoded)
    left, gone = recoded.without_failing(nodes.allowed)
    nothing = dict.fromkeys(metrics, nan)
    if gone > nodes.allowed or not left.any():
        return Solution(named, False, gone, failing, nothing, nan, nan)
    sizes = recoded.sizes(left)
    risk = AttackerRisk.of_sizes(*np.unique(sizes, return_counts=True), threshold=1.0)
    losses = {
        name: objective.loss(levels, recoded, left) * (1 if objective.metric.better == "lower" else -1)
        for name, objective in zip(metrics, nodes.objectives, strict=True)
    }
    return Solution(named, True, gone, failing, losses, risk.highest, risk.average)


def _failing(recoded: RecodedRows) -> dict[str, int]:
    """For each model the number of records in groups that fail it, before anything is suppressed."""
    found: dict[str, Flags] = {}
    for question in recoded.questions():
        number, _ = recoded.numbering(question.columns)
        fails = ~question.member.holds(recoded.groups(question))[number]
        found[str(question.member)] = found.get(str(question.member), False) | fails
    return {name: int(recoded.rows.table.counts[fails].sum()) for name, fails in found.items()}
