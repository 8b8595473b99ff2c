from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Cbfs, Mdav, Mst
from sfumato.algorithms.microaggregation.base import Microaggregation, method_named, methods, row_blocks
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UnsuitableError
from sfumato.models import KAnonymity
from tests.oracles.small_points import small_points


@given(small_points(most=80), st.integers(2, 20))
def test_every_point_is_in_one_block_of_fair_size(points, size):
    before = points.copy()
    blocks = row_blocks(points, size)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(points)))
    assert all((np.diff(block) > 0).all() for block in blocks)
    assert max(map(len, blocks)) <= size
    assert len(blocks) == 1 or min(map(len, blocks)) >= size // 2
    np.testing.assert_array_equal(points, before)


@pytest.mark.parametrize("points", [np.ones((30_000, 2)), np.arange(30_000.0).reshape(-1, 1)], ids=["same", "line"])
def test_points_without_a_valley_are_cut_in_the_middle(points):
    blocks = row_blocks(points, 1000)
    assert 30 <= len(blocks) <= 60
    assert {len(block) for block in blocks} <= set(range(500, 1001))


def test_a_name_stands_for_a_method_with_default_settings():
    assert method_named("cbfs") == Cbfs()
    assert method_named("mst") == Mst(split="diameter")


def test_all_microaggregation_methods_are_listed_and_nothing_else():
    assert {"mdav", "mhm", "two_step_microaggregation"} <= set(methods())
    assert "mondrian" not in methods()
    assert all(issubclass(thing, Microaggregation) for thing in methods().values())


def test_an_unknown_name_is_refused_with_a_hint():
    with pytest.raises(ParameterError, match="'cbsf' is no way of microaggregation; did you mean 'cbfs'"):
        method_named("cbsf")


@pytest.mark.parametrize("blocks", [(("a",), ("a", "b")), ((), ("a",))])
def test_blocks_name_every_column_once(blocks):
    with pytest.raises(ParameterError, match="lists of at least one column, and name no column twice"):
        Mdav(blocks=blocks)


@pytest.mark.parametrize(
    ("blocks", "error", "said"),
    [
        ((("a",), ("c",)), ParameterError, "'blocks' names 'c', no quasi column"),
        ((("a",),), ParameterError, "must share out all quasi columns; 'b' is in none of them"),
        ((("a",), ("b",)), UnsuitableError, "asks about columns of several blocks together"),
    ],
)
def test_blocks_that_do_not_fit_the_table_or_the_model_are_refused(blocks, error, said):
    table = Table.of_rows(Schema.of(quasi=["a", "b"]), {"a": ["1", "2", "3", "4"], "b": ["1", "1", "2", "2"]})
    with pytest.raises(error, match=said):
        Mdav(blocks=blocks).anonymize(table, KAnonymity(k=2))
