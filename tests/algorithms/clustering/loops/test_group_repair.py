"""Mergers of groups, against a loss that is worked out anew every time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.loops.group_repair import losses_if_merged, merge_failing
from sfumato.kernels.covers import empty_group_covers, join_runs
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss


def merged_plain(plain: CoverLoss, members: list[list[int]], sizes: list[int], failing: list[bool]) -> list[int]:
    """Every failing group, in order, with the group whose merger costs least, one after the other."""
    members, sizes = [list(one) for one in members], list(sizes)
    merged_into, changed = list(range(len(sizes))), set()
    for group, fails in enumerate(failing):
        others = [other for other in range(len(sizes)) if other != group and sizes[other]]
        if not fails or group in changed or not others:
            continue
        costs = [
            (sizes[group] + sizes[other]) * plain.charge(members[group] + members[other])
            - sizes[other] * plain.charge(members[other])
            for other in others
        ]
        other = others[int(np.argmin(costs))]
        members[other] += members[group]
        sizes[other], sizes[group] = sizes[other] + sizes[group], 0
        merged_into = [other if end == group else end for end in merged_into]
        changed.add(other)
    return merged_into


@given(small_rows(max_rows=10), st.data())
def test_failing_groups_go_where_it_costs_least(rows, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    groups = int(labels.max()) + 1
    failing = np.array(data.draw(st.lists(st.booleans(), min_size=groups, max_size=groups)))
    grown = empty_group_covers(rows.covers, groups)
    join_runs(rows.covers, grown, np.arange(len(rows)), labels, rows.counts)
    plain = CoverLoss(rows.covers, groups)
    members = [np.flatnonzero(labels == group).tolist() for group in range(groups)]
    losses = np.empty(groups, dtype=np.int32)
    losses_if_merged(rows.covers, grown, 0, losses)
    assert losses.tolist() == [plain.charge(members[0] + other) for other in members]
    sizes = grown.size.tolist()
    found = merge_failing(rows.covers, grown, failing)
    assert found.tolist() == merged_plain(plain, members, sizes, failing.tolist())
    assert grown.size.sum() == rows.records
