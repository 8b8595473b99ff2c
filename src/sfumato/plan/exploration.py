"""Looks at all combinations of levels for a plan, and writes the plan that publishes one of them.

`Plan.explore` and `sfumato explore` call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.algorithms.full_domain.solution_space import SolutionSpace
from sfumato.data.table import Table
from sfumato.engines.opening import open_file
from sfumato.errors import InfeasibleError
from sfumato.plan.publication import input_files, time_limit
from sfumato.runtime.progress import step

if TYPE_CHECKING:
    from sfumato.plan.plan import Plan


def explore(plan: Plan, *, metrics: Sequence[str] = ("ncp",), most: int = 100_000) -> SolutionSpace:
    """The space of the data, the models and the suppression limit of a plan; its algorithm does not matter."""
    with input_files(plan, plan.masks()) as files, time_limit(plan):
        with step("counting", 1, 2):
            table = Table.from_source(open_file(files.data, engine=plan.sections.data.engine), plan.schema())
        with step("exploring", 2, 2):
            limit = plan.sections.suppression.limit
            return SolutionSpace.of(table, plan.model(), metrics=metrics, suppression=limit, most=most)


def chosen(plan: Plan, space: SolutionSpace, levels: Mapping[str, int]) -> Plan:
    """The plan that publishes a combination; columns that are not named stay as they are."""
    why = space.why(levels)
    if not why.solution.holds:
        raise InfeasibleError(
            f"the models of {plan.described} do not hold at these levels with at most {space.suppression:.1%} "
            f"suppressed: {why} Choose other levels, or allow more suppression."
        )
    algorithm = {"name": "fixed_levels", "levels": dict(why.solution.levels)}
    return type(plan).of({**plan.to_dict(), "algorithm": algorithm}, folder=plan.folder)
