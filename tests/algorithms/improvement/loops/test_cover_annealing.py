"""Moves keep the books: after any number of them, groups are what a fresh count finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.improvement.cover_annealing import _cells, _grouped_records, _total
from sfumato.algorithms.improvement.loops.cover_annealing import anneal, near_rows
from sfumato.kernels.random import chance_from
from tests.algorithms.clustering.rows_of import small_rows
from tests.oracles.cover_loss import CoverLoss


def crowd_of(rows, groups):
    cells = _cells(rows.covers)
    group = np.arange(rows.records, dtype=np.int32) % groups
    return cells, _grouped_records(cells, rows.each, group, 1)


def charged_plain(rows, crowd) -> list[int]:
    """What every group is charged, but for what is charged whatever the group."""
    plain = CoverLoss(rows.covers, 1)
    members = [crowd.row[crowd.group == group].tolist() for group in range(len(crowd.size))]
    return [plain.charge(one) - rows.covers.base for one in members]


@given(small_rows(max_rows=10), st.integers(1, 4), st.integers(0, 99))
def test_charges_are_those_of_the_plain_loss_after_any_moves(rows, groups, seed):
    groups = min(groups, rows.records)
    cells, crowd = crowd_of(rows, groups)
    assert crowd.loss.tolist() == charged_plain(rows, crowd)
    before, least = _total(crowd), int(crowd.size.min())
    near = np.tile(np.arange(rows.records, dtype=np.int32), (len(rows), 1))
    cost = anneal(cells, crowd, near, least, chance_from(seed), 200, float(rows.covers.whole))
    assert crowd.loss.tolist() == charged_plain(rows, crowd)
    assert _total(crowd) == before + cost
    assert crowd.size.tolist() == np.bincount(crowd.group, minlength=groups).tolist()
    assert crowd.size.min() >= least
    for record, (group, at) in enumerate(zip(crowd.group, crowd.at, strict=True)):
        assert crowd.member[group, at] == record


@given(small_rows(max_rows=10), st.integers(0, 99))
def test_in_the_cold_nothing_gets_worse(rows, seed):
    cells, crowd = crowd_of(rows, min(2, rows.records))
    near = np.tile(np.arange(rows.records, dtype=np.int32), (len(rows), 1))
    assert anneal(cells, crowd, near, 1, chance_from(seed), 100, 1e-9) <= 0


@given(small_rows(max_rows=10), st.integers(1, 3))
def test_near_rows_are_the_cheapest_pairs(rows, many):
    many = min(many, len(rows) - 1)
    if many < 1:
        return
    near = near_rows(rows.covers, many)
    plain = CoverLoss(rows.covers, 1)
    for row in range(len(rows)):
        others = [other for other in range(len(rows)) if other != row]
        others.sort(key=lambda other: (plain.charge([row, other]), other))
        assert near[row].tolist() == others[:many]
