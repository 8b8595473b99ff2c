"""The cover loss equals the metrics of the published labels; compact blocks hold each row once within the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering import covers as covers_module
from sfumato.algorithms.clustering.covers import compact_blocks, covers_of
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.covers import TAKEN, most_loss
from sfumato.metrics import InformationLoss, LossMetric
from sfumato.operations.generalize import generalize_groups
from tests.algorithms.clustering.rows_of import small_rows
from tests.golden.nine_records import nine_records, numbers_of
from tests.oracles.cover_loss import CoverLoss
from tests.strategies import small_tables


def charge(table, rows, **given) -> float:
    covers = covers_of(table, **given)
    return CoverLoss(covers, 1).charge(list(rows)) / covers.whole


@given(small_tables(max_repeats=2))
def test_sets_and_ranges_cost_what_ncp_charges(table):
    together = Partition.of_labels(np.zeros(len(table), dtype=np.int32))
    measured = LossMetric().measure(generalize_groups(table, together, sets=True))
    assert charge(table, range(len(table)), sets=True) == pytest.approx(measured, abs=1e-6)


@given(small_tables(taxonomies=True), st.data())
def test_nodes_and_ranges_cost_what_information_loss_charges(table, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(table), max_size=len(table))))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    min_levels = data.draw(st.sampled_from([0, 1]))
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=False)
    cells = sum(InformationLoss(min_levels=min_levels).per_cell(candidate).values())
    for group in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == group)
        found = charge(table, rows, sets=False, min_levels=min_levels)
        assert found == pytest.approx(cells[rows[0]], abs=1e-6)


@pytest.mark.parametrize(
    ("min_levels", "losses"), [(0, (3.105, 6.474, 4.684)), (1, (5.105, 6.474, 6.684))], ids=["byun", "thesis"]
)
def test_record_3_joined_to_three_others_costs_what_the_thesis_prints(min_levels, losses):
    """Kabir (2010), section 4.6: record 3 with 2, with 5 and with 8, over nine records."""
    table = nine_records()
    place = {number: row for row, number in enumerate(numbers_of(table).tolist())}
    found = [2 * charge(table, [place[3], place[other]], sets=False, min_levels=min_levels) for other in (2, 5, 8)]
    assert found == pytest.approx(losses, abs=5e-4)


def test_a_missing_number_costs_the_whole_range():
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table

    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["1", "2", "5", None]})
    assert charge(table, [0, 3], sets=True) == pytest.approx(1.0)
    assert charge(table, [3], sets=True) == 0.0
    assert charge(table, [0, 1], sets=True) == pytest.approx(0.25)


@given(small_rows(max_rows=12), st.integers(1, 12))
def test_every_row_is_in_one_block_within_the_limit(rows, most):
    blocks = list(compact_blocks(rows.covers, rows.counts, most))
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(rows)))
    for block in blocks:
        assert len(block) == 1 or rows.counts[block].sum() <= most
        assert (np.diff(block) > 0).all()


def test_it_cuts_between_two_crowds():
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), {"x": ["1", "2", "90", "91"], "y": ["a", "b", "a", "b"]})
    blocks = compact_blocks(covers_of(table, sets=True), np.ones(4, dtype=np.int64), 2)
    by_x = {tuple(table.codes["x"][block].tolist()) for block in blocks}
    by_y = {
        tuple(sorted(set(table.codes["y"][block].tolist())))
        for block in compact_blocks(covers_of(table, sets=True), np.ones(4, dtype=np.int64), 2)
    }
    assert by_x == {(0, 1), (2, 3)} or by_y == {(0,), (1,)}


def test_equal_values_are_only_parted_where_they_must_be():
    """Of six rows four are alike in the one column: the middle would part them."""
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": ["1", "1", "1", "1", "5", "9"]})
    each = np.repeat(np.arange(len(table)), table.counts)
    covers = covers_of(table.rows_at(each, np.ones(6, dtype=np.int64)), sets=True)
    blocks = [block.tolist() for block in compact_blocks(covers, np.ones(6, dtype=np.int64), 4)]
    assert sorted(blocks) == [[0, 1, 2, 3], [4, 5]]


@pytest.mark.parametrize("whole", [1, 2, 3, 7, 30, 2**28])
@given(small_tables(max_quasi=3, taxonomies=True), st.booleans(), st.sampled_from([0, 1]))
def test_rounded_prices_at_most_double_the_largest_loss(whole, table, sets, min_levels):
    """With 2^28, no loss reaches 2^30, the mark of rows without free records."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covers_module, "_WHOLE", whole)
        assert most_loss(covers_of(table, sets=sets, min_levels=min_levels)) <= 2 * whole


def test_a_column_of_very_many_values_costs_less_than_the_mark_of_taken_rows():
    """Above a half, the price of one of 400 values is rounded up to 1, and all others cost 399 instead of 200."""
    table = Table.of_rows(Schema.of(quasi=["name"]), {"name": [f"n{place}" for place in range(400)]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covers_module, "_WHOLE", 200)
        assert most_loss(covers_of(table, sets=True)) == 399
    assert most_loss(covers_of(table, sets=True)) < 2 * covers_module._WHOLE < TAKEN
