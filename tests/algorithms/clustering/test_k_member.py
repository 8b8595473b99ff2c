"""Groups of k, near as they can be had one after the other; the bars on Adult."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering import losses
from sfumato.algorithms.clustering.k_member import KMember
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from tests.algorithms.clustering.rows_of import runs_as_sets, small_rows
from tests.oracles.cover_loss import CoverLoss


@given(small_rows(max_rows=12), st.integers(1, 4), st.integers(0, 9))
def test_it_makes_the_groups_of_the_plain_core(rows, k, seed):
    if rows.records < 2 * k:
        return
    first = rows.each[np.random.default_rng(seed).integers(rows.records)]
    plain = losses.grown_to_size(CoverLoss(rows.covers, rows.records // k), rows.counts, k, int(first))
    found = KMember()._cluster(rows, k, np.random.default_rng(seed))
    assert runs_as_sets(*found) == runs_as_sets(*plain)


@pytest.mark.parametrize("loss", ["il", "sse", "adm"])
@given(rows=small_rows(max_rows=10), k=st.integers(1, 4), seed=st.integers(0, 9))
def test_every_record_is_in_one_group_of_at_least_k(loss, rows, k, seed):
    if rows.records < 2 * k:
        return
    row, group, counts = KMember(loss=loss)._cluster(rows, k, np.random.default_rng(seed))
    assert np.bincount(row, weights=counts, minlength=len(rows)).tolist() == rows.counts.tolist()
    sizes = np.bincount(group, weights=counts)
    assert len(sizes) == rows.records // k
    assert sizes.min() >= k


@pytest.mark.parametrize("loss", ["il", "sse", "adm"])
def test_neighbours_find_each_other(loss):
    ages = [str(100 * (number // 3) + number % 3) for number in range(12)]
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ages})
    release = KMember(loss=loss).anonymize(table, KAnonymity(k=3))
    assert Ncp().measure(release) == pytest.approx(2 / 302)
