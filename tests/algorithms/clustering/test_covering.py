"""What rows are charged is what metrics charge for the labels that a group of them publishes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covering import covers_of
from sfumato.data.partition import Partition
from sfumato.metrics import InformationLoss, LossMetric
from sfumato.operations.generalize import generalize_groups
from tests.golden.nine_records import nine_records, numbers_of
from tests.oracles.cover_loss import CoverLoss
from tests.strategies import small_tables


def charge(table, rows, **given) -> float:
    covers = covers_of(table, **given)
    return CoverLoss(covers, 1).charge(list(rows)) / covers.whole


@given(small_tables(max_repeats=2))
def test_sets_and_ranges_cost_what_ncp_charges(table):
    together = Partition.of_labels(np.zeros(len(table), dtype=np.int32))
    measured = LossMetric().measure(table, generalize_groups(table, together, sets=True))
    assert charge(table, range(len(table)), sets=True) == pytest.approx(measured, abs=1e-6)


@given(small_tables(taxonomies=True), st.data())
def test_nodes_and_ranges_cost_what_information_loss_charges(table, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(table), max_size=len(table))))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    min_levels = data.draw(st.sampled_from([0, 1]))
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=False)
    cells = sum(InformationLoss(min_levels=min_levels).per_cell(table, candidate).values())
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
