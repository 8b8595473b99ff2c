from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.covers import empty_group_covers, join_runs
from sfumato.republishing.loops.insertion import join_least_likely
from tests.oracles.cover_loss import CoverLoss


def line(values: list[int]) -> Table:
    return Table.of_rows(Schema.of(quasi=["x"]), {"x": [str(value) for value in values]})


@given(st.lists(st.integers(0, 30), min_size=6, max_size=12, unique=True), st.integers(2, 3))
def test_newcomers_go_where_the_posterior_is_least(values: list[int], groups: int) -> None:
    """Bayes' rule written out: P(i | f) = P(i) P(f | i) / P(f), with P(i) = N_i / n and P(f | i) = f_i / f."""
    covers = covers_of(line(values), sets=True)
    old, new = np.arange(len(values) - 3), np.arange(len(values) - 3, len(values))
    label = (old % groups).astype(np.int32)
    grown = empty_group_covers(covers, groups)
    join_runs(covers, grown, old, label, np.ones(len(old), dtype=np.int64))
    found = join_least_likely(covers, grown, new, np.ones(3, dtype=np.int64))
    plain = CoverLoss(covers, groups)
    for row, group in zip(old.tolist(), label.tolist(), strict=True):
        plain.join(row, group, 1)
    for row, group in zip(new.tolist(), found.tolist(), strict=True):
        sizes = plain.size.astype(float)
        losses = np.array([len(rows) * plain.charge(rows) for rows in plain.members], dtype=float)
        if losses.sum():
            posterior = (sizes / sizes.sum()) * (losses / losses.sum())
            assert group == int(np.argmin(posterior / posterior.sum()))
        else:
            assert group == int(np.argmin(plain.increases(row)))
        plain.join(row, group, 1)
