"""Centres far from each other, with groups of at least k around them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.k_center import KCenter
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from tests.algorithms.clustering.rows_of import small_rows


@given(small_rows(max_rows=10), st.integers(1, 4), st.integers(0, 9))
def test_every_record_is_in_one_group_and_groups_are_filled_as_far_as_records_go(rows, k, seed):
    if rows.records < 2 * k:
        return
    row, group, counts = KCenter()._cluster(rows, k, np.random.default_rng(seed))
    assert np.bincount(row, weights=counts, minlength=len(rows)).tolist() == rows.counts.tolist()
    assert np.bincount(group, weights=counts).min() >= k


def test_three_crowds_are_told_apart_whoever_is_the_first_centre():
    ages = ["1", "2", "50", "51", "99", "100"]
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ages})
    for seed in range(6):
        release = KCenter().anonymize(table, KAnonymity(k=2), seed=seed)
        assert Ncp().measure(release) == pytest.approx(1 / 99)
