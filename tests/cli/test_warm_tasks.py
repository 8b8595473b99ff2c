"""Every task compiles the loops of its part: here it is seen that it calls them."""

from __future__ import annotations

import pytest

from sfumato.cli.warm_tasks import TASKS

CALLED = {
    "masks": ["sfumato.masks.loops.rank_swapping.partners"],
    "learners": [
        "sfumato.evaluation.learners.loops.tree_growth.grow",
        "sfumato.evaluation.learners.loops.tree_walk.walk",
    ],
    "knowledge": [
        "sfumato.knowledge.loops.beliefs.largest_beliefs",
        "sfumato.knowledge.loops.matching.valid_counts",
    ],
    "insertion": ["sfumato.republishing.loops.insertion.join_least_likely"],
    "aggregates": [
        "sfumato.gateway.statistics.loops.residue_rows.multiply",
        "sfumato.gateway.statistics.loops.residue_rows.subtract",
    ],
}
"""For every task some loops that it must reach."""


def test_every_task_is_here() -> None:
    assert CALLED.keys() == TASKS.keys()


@pytest.mark.parametrize("task", TASKS)
def test_it_calls_its_loops(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[str] = set()
    for name in CALLED[task]:
        monkeypatch.setattr(name, noting(name, reached))
    TASKS[task]()
    assert reached == set(CALLED[task])


def noting(name: str, reached: set[str]):
    """The loop itself, with a note that it was called."""
    module, _, loop = name.rpartition(".")
    found = getattr(__import__(module, fromlist=[loop]), loop)

    def called(*given):
        reached.add(name)
        return found(*given)

    return called
