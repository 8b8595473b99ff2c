"""Which rules follow from others; tests/knowledge/test_miner.py compares whole searches with the definition."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.knowledge.axis import ItemAxis
from sfumato.knowledge.generality import RuleArrays, most_general

AXES = {name: ItemAxis.of(hospital(), name) for name in ("Job", "Sex")}
JOB = {item.text: place for place, item in enumerate(AXES["Job"].items)}
SEX = {item.text: place for place, item in enumerate(AXES["Sex"].items)}


def found(places: list[list[int]], values: list[int]) -> RuleArrays:
    some = np.zeros(len(values))
    return RuleArrays(np.array(places), np.array(values), some, some)


@pytest.mark.parametrize("step_by_step", [True, False])
def test_a_wider_item_or_a_missing_one(step_by_step: bool) -> None:
    professional, male = JOB["Professional"], SEX["Male"]
    rules = {
        ("Job",): found([[JOB["Artist"]], [JOB["Dancer"]], [JOB["Dancer"]]], [0, 0, 1]),
        ("Sex",): found([[male]], [2]),
        ("Job", "Sex"): found([[professional, male], [professional, male], [JOB["Dancer"], SEX["Female"]]], [0, 2, 1]),
    }
    left = most_general(rules, AXES, step_by_step=step_by_step)
    assert left["Job",].places.tolist() == [[JOB["Artist"]], [JOB["Dancer"]]]
    assert left["Job",].values.tolist() == [0, 1]
    assert left["Sex",].values.tolist() == [2]
    assert left["Job", "Sex"].values.tolist() == [0]


def test_two_steps_at_once_only_where_asked() -> None:
    rules = {("Sex",): found([[SEX["Male"]]], [0]), ("Job", "Sex"): found([[JOB["Lawyer"], SEX["Male"]]], [0])}
    assert len(most_general(rules, AXES, step_by_step=True)["Job", "Sex"]) == 1
    assert len(most_general(rules, AXES, step_by_step=False)["Job", "Sex"]) == 0


def test_in_order() -> None:
    shuffled = found([[2, 1], [1, 0], [1, 0], [2, 0]], [0, 3, 1, 5])
    assert shuffled.sorted_by_items().places.tolist() == [[1, 0], [1, 0], [2, 0], [2, 1]]
    assert shuffled.sorted_by_items().values.tolist() == [1, 3, 5, 0]
    assert len(RuleArrays.concatenate([], 2).places.T) == 2
