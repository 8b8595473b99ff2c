"""The lattice: every combination of levels, a node only after all it generalizes."""

from __future__ import annotations

from itertools import islice, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain import lattice as lattice_module
from sfumato.algorithms.full_domain.lattice import Lattice, LatticeEvaluator
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import TaxonomyError
from sfumato.models import DistinctLDiversity, KAnonymity, LkcPrivacy, TCloseness
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies import Intervals
from tests.examples import examples
from tests.strategies import small_tables

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


MODELS = [KAnonymity(k=2), KAnonymity(k=2) & TCloseness(t=0.4, sensitive="s0"), LkcPrivacy(l=1, k=2)]


@pytest.mark.parametrize("model", [*MODELS, DistinctLDiversity(l=2, sensitive="s0")], ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), rows_kept=st.sampled_from([0, 5, 10**6]))
@examples(40)
def test_a_rolled_up_node_is_judged_like_the_generalized_table(model, table: Table, rows_kept: int) -> None:
    """Whatever is still cached: the failing records are those of the candidate that the node becomes."""
    if "s0" not in table.schema.sensitive or any(name not in table.taxonomies for name in table.schema.quasi):
        return
    whole = Lattice.over(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice_module, "_CACHED_ROWS", rows_kept)
        evaluator = LatticeEvaluator(whole, table, model)
        for node in whole:
            candidate = generalize_levels(table, dict(zip(whole.columns, node, strict=True)))
            fails = np.logical_or.reduce([member.fails(candidate.view) for member in model.measured()])
            assert evaluator.failing(node) == int(candidate.published.counts[fails].sum())
            assert evaluator.frequency_set(node).records == table.records


def test_a_frequency_set_that_others_are_rolled_up_from_counts_as_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of 8, 8 and 4 rows, and room for 16. The last is made from the first, so the second goes."""
    taxonomies = {"a": Intervals(width=2), "b": Intervals(width=2)}
    rows = {"a": [str(place % 4) for place in range(16)], "b": [str(place // 4) for place in range(16)]}
    table = Table.of_rows(Schema.of(quasi=["a", "b"], taxonomies=taxonomies), rows)
    evaluator = LatticeEvaluator(Lattice.over(table), table, KAnonymity(k=2))
    monkeypatch.setattr(lattice_module, "_CACHED_ROWS", 16)
    for node in [(1, 0), (0, 1), (2, 0)]:
        evaluator.frequency_set(node)
    assert set(evaluator._cached) == {(0, 0), (1, 0), (2, 0)}
