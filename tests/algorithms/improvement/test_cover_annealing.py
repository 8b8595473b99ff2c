"""Annealing never increases the loss, keeps sizes, and is repeatable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.k_member import KMember
from sfumato.algorithms.improvement.cover_annealing import anneal_covers
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.census import census, census_schema
from sfumato.metrics import InformationLoss, Ncp
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups
from sfumato.runtime.time_limit import stopping
from tests.strategies import small_tables


def ncp(table, partition) -> float:
    return Ncp().measure(generalize_groups(table, partition, sets=True))


@given(small_tables(max_rows=12, max_sensitive=1, max_repeats=2), st.integers(1, 3), st.integers(0, 9))
def test_it_never_loses_more_and_every_record_stays(table, k, seed):
    if table.records < k:
        return
    start = KMember()._choose_groups(table, KAnonymity(k=k), np.random.default_rng(seed))
    found = anneal_covers(table, start, k, sets=True, effort=20, seed=seed)
    counts = table.counts if found.counts is None else found.counts
    np.testing.assert_array_equal(np.bincount(found.row, weights=counts, minlength=len(table)), table.counts)
    assert np.bincount(found.group, weights=counts).min() >= k
    assert ncp(table, found) <= ncp(table, start) + 1e-6


def pairs():
    """Sixty ages in pairs of neighbours, grouped at random in pairs."""
    ages = [str(1000 * (number // 2) + number % 2) for number in range(60)]
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ages})
    labels = np.random.default_rng(5).permutation(60) // 2
    return table, Partition.of_labels(labels.astype(np.int32))


def test_neighbours_find_each_other():
    table, start = pairs()
    found = anneal_covers(table, start, 2, sets=True, effort=400, seed=3)
    assert ncp(table, found) < 0.1 * ncp(table, start)


def test_the_same_effort_and_seed_give_the_same_groups():
    table, start = pairs()
    one, other = (anneal_covers(table, start, 2, sets=True, effort=50, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.group, other.group)


def test_it_ends_in_time_and_when_told_to():
    table, start = pairs()
    found = anneal_covers(table, start, 2, sets=True, effort=10, seed=3, seconds=0.05)
    assert ncp(table, found) <= ncp(table, start)
    with stopping(lambda: True):
        found = anneal_covers(table, start, 2, sets=True, effort=1e9, seed=3, seconds=1e-3)
    assert ncp(table, found) <= ncp(table, start)


@pytest.mark.parametrize("min_levels", [0, 1])
def test_nodes_lose_less_too(min_levels):
    table = Table.from_frame(census(400, seed=1), census_schema())
    start = Partition.of_labels((np.arange(len(table)) % (len(table) // 8)).astype(np.int32))
    found = anneal_covers(table, start, 4, sets=False, min_levels=min_levels, effort=50, seed=1)
    metric = InformationLoss(min_levels=min_levels)
    before, after = (metric.measure(generalize_groups(table, one, sets=False)) for one in (start, found))
    assert after < before
