"""Goldens: Kabir (2010), section 4.2.1, on its Tables 4.1 and 4.4."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics.information_loss import InformationLoss, heights
from sfumato.operations.generalize import generalize_groups
from sfumato.taxonomies import Tree
from tests.golden.nine_records import labels_for, nine_records


def loss(table: Table, clusters: list[set[int]], min_levels: int) -> float:
    candidate = generalize_groups(table, Partition.of_labels(labels_for(table, clusters)), sets=False)
    return InformationLoss(min_levels=min_levels).measure(candidate)


@pytest.mark.parametrize(("min_levels", "total"), [(0, 11.8125), (1, 17.8125)])
def test_two_clusters_of_three(min_levels, total):
    assert loss(nine_records(6), [{1, 2, 3}, {4, 5, 6}], min_levels) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(("min_levels", "parts"), [(0, (4.875, 6.9375)), (1, (7.875, 9.9375))])
def test_each_of_the_two_clusters(min_levels, parts):
    table = nine_records(6)
    candidate = generalize_groups(table, Partition.of_labels(labels_for(table, [{1, 2, 3}, {4, 5, 6}])), sets=False)
    cells = sum(InformationLoss(min_levels=min_levels).per_cell(candidate).values())
    found = np.bincount(candidate.group_of, weights=cells)
    assert found.tolist() == pytest.approx(list(parts), abs=1e-12)


@pytest.mark.parametrize(("min_levels", "total"), [(0, 24.6316), (1, 28.3421)])
def test_three_diverse_clusters_cost_what_the_thesis_reckons(min_levels, total):
    clusters = [{1, 2, 3}, {4, 5, 6, 7, 8, 9}] if min_levels else [{1, 2, 3, 4}, {5, 6, 7, 8, 9}]
    assert loss(nine_records(), clusters, min_levels) == pytest.approx(total, abs=5e-5)


def test_sets_are_charged_for_the_node_over_them():
    table = nine_records(6)
    partition = Partition.of_labels(labels_for(table, [{1, 2, 3}, {4, 5, 6}]))
    nodes, sets = (generalize_groups(table, partition, sets=sets) for sets in (False, True))
    assert InformationLoss().measure(sets) == InformationLoss().measure(nodes)


def test_a_short_branch_is_charged_for_the_height_of_the_node_it_reaches():
    """`c` hangs directly under the root, whose height is two all the same."""
    tree = Tree(branches={"ANY": {"node": ["a", "b"], "c": {}, "d": {}}})
    table = Table.of_rows(Schema.of(quasi=["q"], taxonomies={"q": tree}), {"q": ["a", "b", "c", "d"]})
    taxonomy = table.taxonomies["q"]
    assert heights(taxonomy)[taxonomy.root] == 2
    codes = {text: code for code, text in enumerate(table.domain("q").texts)}
    labels = np.zeros(4, dtype=np.int32)
    labels[[codes["c"], codes["d"]]] = 1
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=False)
    assert InformationLoss().per_cell(candidate)["q"].tolist() == [0.5, 0.5, 1.0, 1.0]


def test_a_column_without_a_taxonomy_costs_nothing_or_all():
    table = Table.of_rows(Schema.of(quasi=["q"]), {"q": ["a", "b", "c"]})
    candidate = generalize_groups(table, Partition.of_labels(np.array([0, 0, 1], dtype=np.int32)), sets=True)
    assert InformationLoss().measure(candidate) == 2.0


def test_a_suppressed_record_costs_every_cell():
    table = nine_records()
    candidate = generalize_groups(table, Partition.of_labels(np.arange(9, dtype=np.int32)), sets=False)
    gone = candidate.suppressing(np.arange(9) == 0)
    assert InformationLoss().measure(gone) == 4.0
    assert InformationLoss(relative=True).measure(gone) == pytest.approx(1 / 9)
