"""The lattice: every combination of levels, a node only after all it generalizes."""

from __future__ import annotations

from itertools import islice, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import TaxonomyError

HEIGHTS = st.lists(st.integers(0, 3), min_size=1, max_size=4)


def lattice(heights: list[int]) -> Lattice:
    return Lattice(columns=tuple(f"q{place}" for place in range(len(heights))), heights=tuple(heights))


@given(HEIGHTS)
def test_every_node_once_and_never_before_what_it_generalizes(heights: list[int]) -> None:
    nodes = list(lattice(heights))
    assert len(nodes) == len(set(nodes)) == len(lattice(heights)) == prod(height + 1 for height in heights)
    place = {node: index for index, node in enumerate(nodes)}
    for node in nodes:
        assert all(place[below] < place[node] for below in lattice(heights).below(node))


@given(HEIGHTS)
def test_above_and_below_are_each_others_way_back(heights: list[int]) -> None:
    whole = lattice(heights)
    for node in whole:
        assert all(node in whole.below(above) and sum(above) == sum(node) + 1 for above in whole.above(node))
    assert list(whole.below(whole.bottom)) == list(whole.above(whole.top)) == []


def test_the_running_example_has_eighteen_nodes() -> None:
    """Book, Figure 2.1: job and age have two levels above the values, sex has one."""
    found = Lattice.over(hospital())
    assert found.heights == (2, 1, 2)
    assert len(found) == 18


def test_every_quasi_column_needs_a_taxonomy() -> None:
    bare = Table.of_rows(Schema.of(quasi=["town"]), {"town": ["north", "south"]})
    with pytest.raises(TaxonomyError, match="column 'town' has no taxonomy"):
        Lattice.over(bare)


@given(HEIGHTS)
def test_nodes_come_in_the_order_of_their_heights_and_levels(heights: list[int]) -> None:
    every = product(*(range(height + 1) for height in heights))
    assert list(lattice(heights)) == sorted(every, key=lambda node: (sum(node), node))


def test_a_lattice_is_never_held_as_a_whole() -> None:
    """Of 10^30 nodes the first ones come at once."""
    whole = lattice([9] * 30)
    assert whole.size == 10**30
    assert list(islice(whole, 2)) == [(0,) * 30, (*(0,) * 29, 1)]
