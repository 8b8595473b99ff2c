"""Groups that grow, against a loss that is worked out anew every time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering import losses
from sfumato.kernels.covers import (
    TAKEN,
    empty_group_covers,
    join,
    join_least,
    join_runs,
    least_group,
    loss_of,
    losses_with,
    most_loss,
    pair_costs,
    row_of,
)
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss

GROUPS = 3


@given(small_rows(), st.data())
def test_losses_are_those_of_the_plain_loss(rows, data):
    plain, grown = CoverLoss(rows.covers, GROUPS), empty_group_covers(rows.covers, GROUPS)
    found = np.empty(GROUPS, dtype=np.int32)
    for _ in range(data.draw(st.integers(0, 6))):
        row, group = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, GROUPS - 1))
        join(rows.covers, grown, row, group, 2)
        plain.join(row, group, 2)
    np.testing.assert_array_equal(grown.size, plain.size)
    for group, members in enumerate(plain.members):
        if members:
            assert loss_of(rows.covers, grown, group) == plain.charge(members)
    for row in range(len(rows)):
        losses_with(rows.covers, grown, row, found)
        assert found.tolist() == [plain.charge([*members, row]) for members in plain.members]
        best = least_group(rows.covers, grown, row, 2**40, found)
        assert best == int(np.argmin(plain.increases(row)))


@given(small_rows(), st.data())
def test_runs_join_where_the_plain_core_puts_them(rows, data):
    seeds = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=GROUPS, max_size=GROUPS)))
    plain, grown = CoverLoss(rows.covers, GROUPS), empty_group_covers(rows.covers, GROUPS)
    groups, ones = np.arange(GROUPS, dtype=np.int32), np.ones(GROUPS, dtype=np.int64)
    join_runs(rows.covers, grown, seeds, groups, ones)
    for group, row in enumerate(seeds.tolist()):
        plain.join(row, group, 1)
    every = np.arange(len(rows))
    found = join_least(rows.covers, grown, every, rows.counts)
    np.testing.assert_array_equal(found, losses.join_least(plain, every, rows.counts))


@given(small_rows())
def test_full_groups_are_not_joined(rows):
    grown = empty_group_covers(rows.covers, 2)
    join(rows.covers, grown, 0, 0, 3)
    room = np.empty(2, dtype=np.int32)
    assert least_group(rows.covers, grown, 0, 3, room) == 1
    join(rows.covers, grown, 0, 1, 3)
    assert least_group(rows.covers, grown, 0, 3, room) == -1


@given(small_rows())
def test_no_group_loses_more_than_all_values_together(rows):
    assert CoverLoss(rows.covers, 1).charge(list(range(len(rows)))) <= most_loss(rows.covers)


@given(small_rows(), st.data())
def test_a_pair_costs_what_the_plain_loss_charges(rows, data):
    seed = data.draw(st.integers(0, len(rows) - 1))
    costs, left = np.empty(len(rows), dtype=np.int32), rows.counts.copy()
    left[0] = 0
    pair_costs(rows.covers, left, row_of(rows.covers, seed), costs)
    plain = CoverLoss(rows.covers, 1)
    assert costs[0] == TAKEN
    assert costs[1:].tolist() == [plain.charge([seed, row]) for row in range(1, len(rows))]
