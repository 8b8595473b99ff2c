"""Failing groups are dissolved or merged until the model holds for all groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.algorithms.clustering.group_repair import repair_groups
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness
from tests.golden.nine_records import clusters_of, labels_for, nine_records
from tests.strategies import groupings, small_tables


def test_the_thesis_dissolves_the_cluster_of_one_disease():
    """Kabir (2010), Table 4.6: {4, 5, 6} all have diabetes and go to {7, 8, 9}."""
    table = nine_records()
    labels = labels_for(table, [{1, 2, 3}, {4, 5, 6}, {7, 8, 9}])
    found = repair_groups(
        table, covers_of(table, sets=False, min_levels=1), labels, KAnonymity(k=3) & DistinctLDiversity(l=3)
    )
    assert clusters_of(table, found) == {frozenset({1, 2, 3}), frozenset({4, 5, 6, 7, 8, 9})}


def test_the_loss_of_byun_sends_record_4_elsewhere():
    table = nine_records()
    labels = labels_for(table, [{1, 2, 3}, {4, 5, 6}, {7, 8, 9}])
    found = repair_groups(table, covers_of(table, sets=False), labels, KAnonymity(k=3) & DistinctLDiversity(l=3))
    assert clusters_of(table, found) == {frozenset({1, 2, 3, 4}), frozenset({5, 6, 7, 8, 9})}


MODELS = [
    KAnonymity(k=3),
    DistinctLDiversity(l=2, sensitive="s0"),
    EntropyLDiversity(l=1.5, sensitive="s0"),
    TCloseness(t=0.3, sensitive="s0"),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(data=st.data())
def test_all_groups_hold_in_the_end_or_there_is_only_one(model, data):
    table = data.draw(small_tables(max_rows=10, max_sensitive=1, max_repeats=2))
    labels = data.draw(groupings(table))
    before = labels.copy()
    found = repair_groups(table, covers_of(table, sets=True), labels.copy(), model)
    assert np.array_equal(np.unique(found), np.arange(found.max() + 1))
    assert found.max() == 0 or model.holds(Groups.of_labels(table, found)).all()
    if model.holds(Groups.of_labels(table, before)).all():
        np.testing.assert_array_equal(found, before)


def test_where_no_group_holds_they_are_merged():
    rows = {"age": ["1", "2", "8", "9"], "ill": ["a", "b", "a", "b"]}
    table = Table.of_rows(Schema.of(quasi=["age"], sensitive=["ill"]), rows)
    found = repair_groups(table, covers_of(table, sets=True), np.arange(4, dtype=np.int32), DistinctLDiversity(l=2))
    assert found.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_thirty_thousand_failing_records_are_mended(share):
    """Pairs of neighbours, of which most have one secret only."""
    random = np.random.default_rng(0)
    rows = {
        "age": random.integers(0, 5000, 30_000).astype(str).tolist(),
        "town": random.integers(0, 40, 30_000).astype(str).tolist(),
        "ill": np.where(random.random(30_000) < share, "yes", "no").tolist(),
    }
    table = Table.of_rows(Schema.of(quasi=["age", "town"], sensitive=["ill"], kinds={"town": "text"}), rows)
    covers = covers_of(table, sets=True)
    labels = (np.arange(len(table)) // 2).astype(np.int32)
    repair_groups(
        table.rows_at(np.arange(40)), covers_of(table.rows_at(np.arange(40)), sets=True), labels[:40], MODELS[0]
    )
    model = KAnonymity(k=2) & DistinctLDiversity(l=2)
    found = repair_groups(table, covers, labels, model)
    assert model.holds(Groups.of_labels(table, found)).all()
    assert found.max() > 100
