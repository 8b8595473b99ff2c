"""What every loss promises: increases agree with each other, and add up to the loss of the group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.absolute_loss import AbsoluteLoss
from sfumato.algorithms.clustering.squared_loss import SquaredLoss
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss

LOSSES = {
    "il": lambda rows, groups: CoverLoss(rows.covers, groups),
    "sse": lambda rows, groups: SquaredLoss(rows.points, groups),
    "adm": lambda rows, groups: AbsoluteLoss(rows.points, groups),
}


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows(), data=st.data())
def test_one_row_and_all_groups_agree_with_one_group_and_all_rows(name, rows, data):
    loss = LOSSES[name](rows, 3)
    for row in data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6)):
        loss.join(row, data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3)))
    by_row = np.array([loss.increases(row) for row in range(len(rows))])
    by_group = np.array([loss.increases_by(group) for group in range(3)])
    np.testing.assert_allclose(by_row, by_group.T, atol=1e-9)
    assert (by_row >= -1e-9).all()


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows())
def test_a_pair_loses_what_the_second_adds_to_the_first(name, rows):
    loss = LOSSES[name](rows, 1)
    first = loss.increases(0)[0]
    loss.join(0, 0, 1)
    np.testing.assert_allclose(loss.pairs(0), first + loss.increases_by(0), atol=1e-9)


@pytest.mark.parametrize("name", LOSSES)
@given(rows=small_rows())
def test_sizes_count_records(name, rows):
    loss = LOSSES[name](rows, 2)
    loss.join(0, 1, 4)
    loss.join(len(rows) - 1, 1, 1)
    assert loss.size.tolist() == [0, 5]
