from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.dissolving import (
    append_record,
    apply_notes,
    clear_notes,
    clusters_of,
    dissolve,
    growth,
    members_of,
    note_record,
)
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import same, small_points


@given(small_points(), st.integers(1, 5), st.integers(0, 99), st.sampled_from([0, 1, 4, 1000]))
def test_groups_are_given_up_as_in_the_plain_way(points, k, seed, room):
    groups = plain.cbfs(points, k)
    order = np.random.default_rng(seed).permutation(len(groups)).astype(np.int32)
    found = dissolve(points, plain.labels_of(groups, len(points)), order, k + room)
    assert same(found, plain.dissolved(points, groups, order.tolist(), k + room))


@pytest.mark.parametrize("widest", [6, 1000])
def test_means_that_moved_are_found_after_the_tree_was_built_again(widest):
    points = np.random.default_rng(widest).integers(0, widest, size=(300, 2)).astype(np.float64)
    groups = [[record, record + 1] for record in range(0, len(points), 2)] if widest == 6 else plain.cbfs(points, 2)
    order = np.arange(len(groups), dtype=np.int32)
    found = dissolve(points, plain.labels_of(groups, len(points)), order, len(points))
    assert same(found, plain.dissolved(points, groups, order.tolist()))
    assert len(np.unique(found)) < len(groups)


def test_a_group_alone_stays():
    points = np.array([[0.0], [9.0]])
    found = dissolve(points, np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int32), 2)
    assert found.tolist() == [0, 0]


def test_labels_given_are_left_as_they_are():
    points = np.array([[0.0], [1.0], [1.0], [2.0], [0.5], [1.5]])
    labels = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    dissolve(points, labels, np.arange(3, dtype=np.int32), 6)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]


def labelled(points, seed):
    labels = np.random.default_rng(seed).integers(0, 3, size=len(points))
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


@given(small_points(), st.integers(0, 99))
def test_moments_are_those_of_the_plain_way(points, seed):
    labels = labelled(points, seed)
    clusters = clusters_of(points, labels)
    for group in range(labels.max() + 1):
        members = np.flatnonzero(labels == group)
        assert members_of(clusters, group).tolist() == members.tolist()
        assert clusters.means[group].tolist() == plain.middle(points, members).tolist()
        assert clusters.losses[group] == plain.spread(points, members)


@given(small_points(at_least=2), st.integers(0, 99), st.integers(1, 5))
def test_a_group_grows_by_what_it_is_given(points, seed, given_records):
    """Records from nowhere are offered to group 0, first in vain."""
    labels = labelled(points, seed)
    more = np.random.default_rng(seed).integers(0, 9, size=(given_records, points.shape[1])).astype(np.float64)
    together = np.vstack([points[labels == 0], more])
    both = np.vstack([points, more])
    clusters = clusters_of(both, np.append(labels, np.full(given_records, labels.max() + 1, dtype=np.int32)))
    before = clusters.losses[0]
    for _ in range(2):
        clear_notes(clusters, 0)
        assert growth(clusters, 0) == 0.0
        for point in more:
            note_record(clusters, 0, point, float(((point - clusters.means[0]) ** 2).sum()))
    wanted = plain.spread(together, range(len(together)))
    assert growth(clusters, 0) == pytest.approx(wanted - before, abs=1e-9)
    for record in range(len(points), len(both)):
        append_record(both, clusters, record, 0)
    apply_notes(clusters, 0)
    assert clusters.losses[0] == pytest.approx(wanted, abs=1e-9)
    assert clusters.means[0] == pytest.approx(together.mean(axis=0))
    assert len(members_of(clusters, 0)) == len(together)
