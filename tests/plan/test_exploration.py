"""The space of a plan, and the plan that publishes one of its combinations."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import InfeasibleError
from sfumato.plan import Plan
from sfumato.plan.exploration import chosen, explore
from tests.plan.plans import put, tables


def plan_of(folder: Path, **changes) -> Plan:
    return Plan.read(put(folder, tables(**changes)))


def test_a_chosen_combination_is_what_the_plan_publishes(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, suppression={"limit": 0.05})
    space = explore(plan)
    assert len(space) == space.size
    best = space.best()
    made = chosen(plan, space, best.levels)
    assert made.sections.to_dict()["algorithm"] == {"name": "fixed_levels", "levels": dict(best.levels)}
    outcome = made.run()
    assert dict(outcome.release.recoding.levels) == dict(best.levels)
    assert outcome.release.suppressed_records == best.suppressed


def test_a_combination_that_does_not_hold_is_refused_with_the_reason(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    with pytest.raises(InfeasibleError, match=r"do not hold at these levels .* records are in groups that fail"):
        chosen(plan, explore(plan), {})
