"""Ladders: what each kind of column can be refined to, and what it publishes on the way."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms.specialization.specialization_paths import (
    DisclosurePath,
    IntervalPath,
    SpecializationPath,
    TaxonomyPath,
)
from sfumato.data.domain import Domain
from sfumato.taxonomies import Tree

HOURS = ["30", "32", "35", "37", "42", "44"]
CLASSES = np.array([[0, 3], [0, 4], [2, 3], [3, 1], [4, 2], [12, 0]])


def shown(path: SpecializationPath) -> list[str | None]:
    labels, label_of = path.cut()
    return [labels.texts[label] for label in label_of[: len(path.domain)]]


def test_c3_intervals_are_cut_where_that_tells_most() -> None:
    """Golden C3: at 37 first, then the lower side at 35 and the upper at 44."""
    path = IntervalPath(0, Domain.of("hours", HOURS)[0], CLASSES)
    assert shown(path) == ["*"] * 6
    (first,) = path.start()
    assert (first.at, first.parts, first.records, first.smallest_part, first.several_classes) == ("37", 2, 34, 12, True)
    assert first.gain == pytest.approx(0.3584, abs=5e-5)
    below, above = path.apply(first)
    assert (below.at, above.at) == ("35", "44")
    assert shown(path) == ["<37"] * 3 + [">=37"] * 3
    path.apply(below)
    path.apply(above)
    assert shown(path) == ["<35", "<35", "[35, 37)", "[37, 44)", "[37, 44)", ">=44"]


def test_missing_numbers_are_set_apart_first() -> None:
    domain, _ = Domain.of("hours", ["30", "40", None])
    path = IntervalPath(0, domain, np.array([[3, 0], [1, 1], [0, 2]]))
    (first,) = path.start()
    assert (first.at, first.part_of.tolist()) == ("missing", [0, 0, 1])
    (second,) = path.apply(first)
    assert shown(path) == ["known", "known", None]
    assert path.apply(second) == []
    assert shown(path) == ["<40", ">=40", None]


def test_nothing_to_predict_is_cut_in_the_middle() -> None:
    path = IntervalPath(0, Domain.of("n", list("12345"))[0], np.array([[1], [1], [5], [1], [1]]))
    assert [step.at for step in path.start()] == ["3"]
    even = IntervalPath(0, Domain.of("n", list("1234"))[0], np.ones((4, 1), dtype=np.int64))
    assert [step.at for step in even.start()] == ["3"]


def test_values_are_shown_one_by_one() -> None:
    domain, _ = Domain.of("town", ["a", "b", "c"])
    path = DisclosurePath(0, domain, np.array([[2, 0], [1, 1], [0, 2]]))
    steps = path.start()
    assert [step.value for step in steps] == ["a", "b", "c"]
    assert [step.part_of.tolist() for step in steps] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert steps[1].gain == 0.0
    left = path.apply(steps[2])
    assert shown(path) == ["*", "*", "c"]
    assert [(step.value, step.part_of.tolist(), step.records) for step in left] == [
        ("a", [1, 0, -1], 4),
        ("b", [0, 1, -1], 4),
    ]


def test_values_nobody_has_are_not_offered() -> None:
    domain, _ = Domain.of("town", ["a", "b"])
    assert [step.value for step in DisclosurePath(0, domain, np.array([[2, 0], [0, 0]])).start()] == ["a"]
    assert IntervalPath(0, Domain.of("n", ["1", "2"])[0], np.array([[2, 1], [0, 0]])).start() == []


def test_nodes_become_their_children() -> None:
    tree = Tree(branches={"any": {"left": ["a", "b"], "single": ["c"]}})
    taxonomy, _ = tree.grow(Domain.of("town", ["a", "b", "c"])[0])
    path = TaxonomyPath(0, taxonomy, np.array([[1, 0], [0, 1], [2, 2]]))
    (first,) = path.start()
    assert (first.value, first.parts, first.part_of.tolist()) == ("any", 2, [0, 0, 1])
    left, single = path.apply(first)
    assert shown(path) == ["left", "left", "single"]
    assert (single.value, single.parts, single.gain) == ("single", 1, 0.0)
    assert path.apply(left) == []
    assert path.apply(single) == []
    assert shown(path) == ["a", "b", "c"]
