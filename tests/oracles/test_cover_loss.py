"""The plain loss against its definition."""

from __future__ import annotations

from hypothesis import given

from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss


@given(small_rows())
def test_joining_costs_the_difference_of_two_charges(rows):
    loss = CoverLoss(rows.covers, 2)
    loss.join(0, 0, 2)
    last = len(rows) - 1
    together, alone = loss.charge([0, last]), loss.charge([0])
    assert loss.increases(last).tolist() == [3 * together - 2 * alone, loss.charge([last])]
    assert loss.increases_by(0)[last] == 3 * together - 2 * alone
    assert loss.pairs(0)[last] == 2 * together


@given(small_rows())
def test_a_second_record_of_a_row_widens_nothing(rows):
    loss = CoverLoss(rows.covers, 1)
    assert loss.charge([0, 0]) == loss.charge([0]) == rows.covers.base
