"""t-closeness of persons with several values, against its definition and by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.models import TCloseness
from sfumato.models.person_distances import distance_differences, ordered_ground, share_differences
from sfumato.taxonomies import Tree
from tests.examples import examples
from tests.oracles import models_oracle as slow

STAGES = Tree(branches={"ANY": {"early": ["0", "1"], "late": {"bad": ["2", "3"], "4": []}}})
Row = tuple[str, str, str]
DISTANCES = ["equal", "ordered", "hierarchical"]
LIMITS = st.sampled_from([0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1])


def visits(rows: Iterable[Row], tree: Tree | None = None) -> Groups:
    """Groups by ward, of rows of a patient, a ward and a stage."""
    patient, ward, stage = (list(column) for column in zip(*rows, strict=True))
    kinds = {} if tree else {"stage": "number"}
    taxonomies = {"stage": tree} if tree else {}
    schema = Schema.of(quasi=["ward"], sensitive=["stage"], person="patient", kinds=kinds, taxonomies=taxonomies)
    return Groups.of(Table.of_rows(schema, {"patient": patient, "ward": ward, "stage": stage}), ["ward"])


def level(rows: Iterable[Row], distance: str = "ordered", ward: int = 0) -> float:
    return float(TCloseness(t=1, distance=distance).level(visits(rows))[ward])


def ward(name: str, persons: int, values: Callable[[int], Iterable[int | str]]) -> list[Row]:
    """A ward of so many persons, each with the values that the function gives."""
    return [(f"{name}{number}", name, str(value)) for number in range(persons) for value in values(number)]


@examples(80)
@given(
    st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("ABC"), st.sampled_from("01234")), min_size=2),
    LIMITS,
    st.sampled_from(DISTANCES),
)
def test_like_its_definition(rows: list[Row], t: float, distance: str) -> None:
    groups = visits(rows, STAGES)
    assume(groups.table.repeats_persons)
    whole = {(one, stage) for one, _, stage in rows}
    present = sorted({stage for _, stage in whole})
    paths = slow.paths_of(groups.table, "stage")
    expected = []
    for place in sorted({place for _, place, _ in rows}):
        group = {(one, stage) for one, where, stage in rows if where == place}
        here, all_of_them = [stage for _, stage in group], [stage for _, stage in whole]
        if distance == "equal":
            moved, ground = slow.equal_distance(here, all_of_them), lambda one, other: Fraction(one != other)
        elif distance == "ordered":
            moved, ground = slow.ordered_distance(here, all_of_them, present), slow.steps_apart(present)
        else:
            moved, ground = slow.hierarchical_distance(here, all_of_them, paths), slow.climb_apart(paths)
        expected.append(slow.distance_by_persons(group, whole, moved, ground))
    model = TCloseness(t=t, distance=distance)
    assert model.level(groups) == pytest.approx([float(one) for one in expected], abs=1e-12)
    assert model.holds(groups).tolist() == [one <= as_meant(t) for one in expected]


@examples(60)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("01234")), min_size=2),
    st.integers(1, 3),
    st.sampled_from(DISTANCES),
)
def test_persons_with_one_value_are_compared_as_records(records, times: int, distance: str) -> None:
    """Each person has one value, in several records or in one."""
    rows = [(f"p{number}", *record) for number, record in enumerate(records)]
    model = TCloseness(t=1, distance=distance)
    by_record = model.level(visits(rows, STAGES))
    by_person = model.level(visits(rows * times, STAGES))
    assert by_person == pytest.approx(by_record, abs=1e-12)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_wards_with_the_same_shares_are_at_no_distance(distance: str) -> None:
    """Everybody has 1, in both wards, and half of them 2, half of them 3."""
    rows = [row for name in "AB" for row in ward(name, 50, lambda number: (1, 2 if number < 25 else 3))]
    groups = visits(rows)
    assert TCloseness(t=0, distance=distance).level(groups).tolist() == [0, 0]
    assert TCloseness(t=0, distance=distance).holds(groups).all()


def wards(sick: int) -> list[Row]:
    """Ward A, of whose 100 persons so many have 20, and ward B, where nobody has; all have nine of ten other values."""
    others = lambda number: [value for value in range(10) if value != number % 10]  # noqa: E731
    return ward("A", 100, lambda number: others(number) + ([20] if number < sick else [])) + ward("B", 1900, others)


@pytest.mark.parametrize("sick", [0, 1, 50, 99, 100])
def test_a_value_that_many_have_beside_others_by_hand(sick: int) -> None:
    """The other values are 1 to 10 of 10 steps away from 20, 0.55 on average, in both wards; of 2000 persons so many
    have 20, so the shares of persons who do not have it differ by sick/100 - sick/2000."""
    assert level(wards(sick), "equal") == pytest.approx(sick / 100 - sick / 2000)
    steps = 10 if sick else 9
    assert level(wards(sick)) == pytest.approx((sick / 100 - sick / 2000) * (sum(range(1, 11)) / 10 / steps))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_one_person_more_changes_little(distance: str) -> None:
    """No distance jumps where all persons have a value."""
    found = [level(wards(sick), distance) for sick in range(90, 101)]
    assert all(0 < after - before <= 0.01 for before, after in pairwise(found))


@pytest.mark.parametrize("distance", DISTANCES)
def test_a_value_that_nobody_has_counts_as_one_that_all_have(distance: str) -> None:
    """By hand: ward A has 0, 1 and 4, ward B 0 and 1, with 10 persons each, so half of all persons have 4. From 4, the
    others are 1.5 of 2 steps away by order and 3 of 3 levels by the tree, so the mean distances 0, 1 and 1/2 of the
    wards and of the table, times these, differ by half of them in both wards."""
    rows = ward("A", 10, lambda _: (0, 1, 4)) + ward("B", 10, lambda _: (0, 1))
    groups = visits(rows, STAGES)
    expected = {"equal": 0.5, "ordered": 0.375, "hierarchical": 0.5}[distance]
    assert TCloseness(t=1, distance=distance).level(groups) == pytest.approx([expected] * 2)


def test_near_values_are_near_where_persons_have_one_value() -> None:
    """One person of a thousand with a second value does not change what having 5 in place of 6 means: 1 of 9 steps."""
    rows = [(f"p{number}", "AB"[number % 2], str(number // 2 % 10)) for number in range(1000)]
    shifted = [(one, place, "5" if place == "A" and value == "6" else value) for one, place, value in rows]
    before = level(shifted)
    assert before == pytest.approx(0.05 / 9)  # a tenth of ward A, against a twentieth of the table
    assert level([*shifted, ("p1", "B", "9")]) == pytest.approx(before, abs=0.002)


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ABC"), st.sampled_from("01234")), min_size=2))
def test_merging_groups_of_different_persons_keeps_the_equal_distance(rows) -> None:
    groups = visits([(f"{place}{one}", place, stage) for one, place, stage in rows])
    model = TCloseness(t=1)
    merged = np.minimum(groups.labels, 1).astype(np.int32)
    fine, coarse = model.level(groups), model.level(Groups.of_labels(groups.table, merged))
    assert coarse[0] <= fine[0] + 1e-12
    assert coarse[-1] <= fine[min(1, len(fine) - 1) :].max() + 1e-12


def test_a_limit_of_exactly_the_distance_holds() -> None:
    rows = wards(50)
    exact = (Fraction(50, 100) - Fraction(50, 2000)) * Fraction(55, 100)
    assert TCloseness(t=float(exact), distance="ordered").holds(visits(rows))[0]
    assert not TCloseness(t=float(exact) - 1e-9, distance="ordered").holds(visits(rows))[0]


def test_counts_beyond_64_bits_stay_exact() -> None:
    """Of 3n persons of a group 2n have a value, and of 6n persons of the table 3n: 2/3 - 1/2, however many they are."""
    n = 10**13
    counts, whole = np.array([2 * n, 2 * n]), np.array([3 * n, 4 * n])
    histogram = Histogram(np.array([0, 2]), np.arange(2, dtype=np.int32), counts, np.array([3 * n]), whole, None, True)
    for work, scale in (
        share_differences(histogram, 6 * n),
        distance_differences(histogram, 6 * n, ordered_ground(whole)),
    ):
        assert Fraction(int(work[0]), int(scale[0])) == Fraction(1, 6)
