"""Golden D18 and B11; every distance against the definition as a linear program."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError, SchemaError, TaxonomyError
from sfumato.models import TCloseness
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies.tree import Tree
from tests.examples import examples
from tests.golden import book
from tests.models.histograms import huge, spread
from tests.models.judging import agrees, has_room
from tests.oracles import models_oracle as slow
from tests.strategies import grouped_tables

CONFORMING = [TCloseness(t=0.3, distance=distance) for distance in ("equal", "ordered", "hierarchical")]
LIMITS = st.sampled_from([0, 0.1, 0.2, 0.25, 1 / 3, 8 / 21, 0.5, 0.75, 1])
SALARIES = [f"{thousands}000" for thousands in range(3, 12)]


def test_table_2_4():
    """Golden D18: equal distance 2/7 (artists) and 8/21 (professionals), so t is 8/21 and exactly that is enough."""
    groups = book.patients_3anon()
    assert sorted(TCloseness(t=0).level(groups)) == pytest.approx([2 / 7, 8 / 21])
    assert TCloseness(t=8 / 21).holds(groups).all()
    assert not TCloseness(t=0.38).holds(groups).all()


def test_over_the_lattice():
    """Golden B11: 5/7 at (0,*,*) and wherever Age is exact, 0 at the top, 8/21 everywhere else."""
    lattice = Lattice.over(hospital())
    for node in lattice:
        groups = generalize_levels(hospital(), dict(zip(lattice.columns, node, strict=True))).groups()
        expected = 0 if node == lattice.top else 5 / 7 if node[0] == 0 or node[2] == 0 else 8 / 21
        assert TCloseness(t=0.2).measure(groups) == pytest.approx(expected), node


def test_the_skewness_attack():
    """Golden D18: 95 to 5 in a group against 50 to 50 in the table is a distance of 0.45."""
    for distance in ("equal", "ordered"):
        model = TCloseness(t=0.45, distance=distance)
        groups = spread([[95, 5], [5, 95]], values=["0", "1"])
        assert model.level(groups).tolist() == [0.45, 0.45]
        assert model.holds(groups).all()


def salaries(*present: str) -> Groups:
    """A group with these salaries, and the rest of 3000 to 11000, each once in the whole table."""
    group = [int(value in present) for value in SALARIES]
    return spread([group, [1 - often for often in group]], values=SALARIES)


@pytest.mark.parametrize(
    ("present", "expected"), [(("3000", "4000", "5000"), 3 / 8), (("6000", "8000", "11000"), 1 / 6)]
)
def test_ordered_salaries(present, expected):
    """Golden D18, the example of the t-closeness paper."""
    found = TCloseness(t=1, distance="ordered").level(salaries(*present))[0]
    assert found == pytest.approx(expected)
    assert TCloseness(t=expected, distance="ordered").holds(salaries(*present))[0]


def test_hierarchy_by_hand():
    """Two branches of two values. Half the table is in each branch; a group of one value must move 1/4 one level and
    1/2 two levels of two: 1/4 * 1/2 + 1/2 * 1 = 5/8."""
    tree = Tree(branches={"ANY": {"left": ["a", "b"], "right": ["c", "d"]}})
    groups = spread([[1, 0, 0, 0], [0, 1, 1, 1]], values=["a", "b", "c", "d"], taxonomy=tree)
    assert TCloseness(t=1, distance="hierarchical").level(groups)[0] == 5 / 8


def test_a_short_branch_is_as_far_as_the_root():
    """An unbalanced tree: c hangs directly under the root, so whatever moves to it climbs all the way."""
    tree = Tree(branches={"ANY": {"left": ["a", "b"], "c": []}})
    groups = spread([[1, 0, 0], [0, 1, 1]], values=["a", "b", "c"], taxonomy=tree)
    assert TCloseness(t=1, distance="hierarchical").level(groups)[0] == pytest.approx(1 / 3 * 1 / 2 + 1 / 3)


def test_a_value_that_nobody_has_any_more_does_not_stretch_the_order():
    """With the 4s suppressed, 1 and 2 are as far apart as can be: half of each group is one whole step away."""
    table = spread([[2, 0, 1], [0, 2, 1]], values=["1", "2", "4"]).table
    left = table.rows_where(table.codes["s0"] != 2)
    assert TCloseness(t=1, distance="ordered").level(Groups.of(left, ["q0"])).tolist() == [0.5, 0.5]


def test_ordered_needs_an_order():
    with pytest.raises(SchemaError, match=r"'Disease' holds texts without a taxonomy.*distance 'equal'"):
        TCloseness(t=0.2, distance="ordered").holds(book.patients_3anon())


def test_hierarchical_needs_a_hierarchy():
    with pytest.raises(TaxonomyError, match=r"needs a taxonomy for column 'Disease'.*'equal' or 'ordered'"):
        TCloseness(t=0.2, distance="hierarchical").holds(book.patients_3anon())


@pytest.mark.parametrize(("setting", "value"), [("t", -0.1), ("t", 1.1), ("t", "0.2"), ("distance", "euclid")])
def test_wrong_settings(setting, value):
    with pytest.raises(ParameterError, match=f"'{setting}' of TCloseness must be"):
        TCloseness(**{"t": 0.2, setting: value})


def order_of(table: Table) -> list[str | None]:
    return list(table.domain("s0").texts)


@given(grouped_tables(max_repeats=3, max_sensitive=1), LIMITS)
def test_equal_like_its_twin(pair, t):
    twin = lambda group, whole: slow.equal_distance(group, whole) <= as_meant(t)  # noqa: E731
    assert agrees(TCloseness(t=t), twin, *pair)


@given(grouped_tables(max_repeats=3, max_sensitive=1), LIMITS)
def test_ordered_like_its_twin(pair, t):
    table = pair[0]
    if not table.domain("s0").ordered and "s0" not in table.taxonomies:
        return
    twin = lambda group, whole: slow.ordered_distance(group, whole, order_of(table)) <= as_meant(t)  # noqa: E731
    assert agrees(TCloseness(t=t, distance="ordered"), twin, *pair)


@given(grouped_tables(max_repeats=3, max_sensitive=1), LIMITS)
def test_hierarchical_like_its_twin(pair, t):
    table = pair[0]
    if "s0" not in table.taxonomies:
        return
    paths = slow.paths_of(table, "s0")
    twin = lambda group, whole: slow.hierarchical_distance(group, whole, paths) <= as_meant(t)  # noqa: E731
    assert agrees(TCloseness(t=t, distance="hierarchical"), twin, *pair)


@examples(60)
@given(grouped_tables(max_repeats=3, max_sensitive=1))
def test_every_distance_is_the_cheapest_transport(pair):
    """The definition: earth mover's distance as a linear program over the ground distance."""
    table, labels = pair
    grounds = {"equal": lambda one, other: Fraction(one != other)}
    if table.domain("s0").ordered or "s0" in table.taxonomies:
        grounds["ordered"] = slow.steps_apart(order_of(table))
    if "s0" in table.taxonomies:
        grounds["hierarchical"] = slow.climb_apart(slow.paths_of(table, "s0"))
    groups = slow.groups_of(table, labels.tolist(), "s0")
    whole = [value for group in groups for value in group]
    for distance, ground in grounds.items():
        found = TCloseness(t=1, distance=distance).level(Groups.of_labels(table, labels))
        expected = [slow.earth_movers_distance(group, whole, ground) for group in groups]
        assert found == pytest.approx(expected, abs=1e-7), distance


@given(grouped_tables(max_sensitive=1), LIMITS)
def test_room_is_an_upper_bound(pair, t):
    twin = lambda group, whole: slow.equal_distance(group, whole) <= as_meant(t)  # noqa: E731
    assert has_room(TCloseness(t=t), twin, *pair)


def test_room_is_what_the_scarcest_frequent_value_allows():
    """By hand: 60 and 40 of 100, t = 0.2, groups of 10: each needs 4 of the 60 and 2 of the 40."""
    assert TCloseness(t=0.2).bounds.max_groups(spread([[60, 40]]), 10).tolist() == [10]
    groups = spread([[50, 10], [10, 30]])
    assert TCloseness(t=0.2).bounds.max_groups(groups, 10).tolist() == [5, 2.5]


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_counts_beyond_64_bits_stay_exact(distance):
    """Shares of a third against a half: 1/6 however many records there are, and one record more is too many."""
    n = 10**13
    groups = huge([[n, 2 * n], [2 * n, n]], ["0", "1"])
    assert TCloseness(t=1 / 6, distance=distance).level(groups) == pytest.approx([1 / 6, 1 / 6])
    assert TCloseness(t=1 / 6, distance=distance).holds(groups).all()
    more = huge([[n - 1, 2 * n + 1], [2 * n + 1, n - 1]], ["0", "1"])
    assert not TCloseness(t=1 / 6, distance=distance).holds(more).any()


def test_no_groups_no_level():
    table = book.table("anatomy_raw", quasi=["Age"], sensitive=["Disease"])
    none = Groups.of(table.rows_where(np.zeros(len(table), dtype=bool)), ["Age"])
    assert np.isnan(TCloseness(t=0.2).measure(none))
