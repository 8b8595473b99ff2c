"""Groups grown one after the other, against the plain greedy core."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering import losses
from sfumato.algorithms.clustering.loops.greedy_growth import grown_to_loss, grown_to_size
from tests.algorithms.clustering.rows_of import runs_as_sets, small_rows
from tests.oracles.cover_loss import CoverLoss


@given(small_rows(max_rows=14), st.integers(1, 5), st.data())
def test_k_member_makes_the_groups_of_the_plain_core(rows, k, data):
    if rows.records < k:
        return
    first = data.draw(st.integers(0, len(rows) - 1))
    row, group, counts = grown_to_size(rows.covers, rows.counts, k, first)
    plain = losses.grown_to_size(CoverLoss(rows.covers, rows.records // k), rows.counts, k, first)
    left = group < 0
    assert counts[left].sum() == rows.records % k
    same = len(plain[0]) - np.count_nonzero(left)
    found = runs_as_sets(row[~left], group[~left], counts[~left])
    assert found == runs_as_sets(*(part[:same] for part in plain))


@given(small_rows(max_rows=12), st.floats(0, 1), st.randoms(use_true_random=False))
def test_groups_grow_to_a_loss_as_they_would_by_hand(rows, share, random):
    seeds = list(range(len(rows)))
    random.shuffle(seeds)
    plain = CoverLoss(rows.covers, len(rows))
    limit = rows.covers.base + int(share * 2 * rows.covers.whole)
    expected, group = np.full(len(rows), -1), 0
    for seed in seeds:
        if expected[seed] >= 0:
            continue
        members = [seed]
        while True:
            expected[members] = group
            free = np.flatnonzero(expected < 0).tolist()
            costs = [plain.charge([*members, row]) for row in free]
            if not free or min(costs) > limit:
                break
            members.append(free[int(np.argmin(costs))])
        group += 1
    found = grown_to_loss(rows.covers, rows.counts, np.array(seeds), limit)
    np.testing.assert_array_equal(found.group, expected)
    np.testing.assert_array_equal(found.counts, rows.counts)
