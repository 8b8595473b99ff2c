from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.cbfs import cbfs_groups
from sfumato.algorithms.microaggregation.group_sizes import (
    all_equal,
    assign_leftovers,
    centroids,
    consecutive_groups,
    merge_failing_groups,
    split,
)
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness
from sfumato.runtime.progress import listening
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import numbered, same, small_points


def line(secrets: list[str]) -> Table:
    """Records on a line with a secret each."""
    rows = {"x": [str(place) for place in range(len(secrets))], "s": secrets}
    return Table.of_rows(Schema.of(quasi=["x"], sensitive=["s"]), rows)


def test_centroids_are_means() -> None:
    points = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]])
    assert centroids(points, np.array([0, 0, 1], dtype=np.int32)).tolist() == [[1.0, 2.0], [5.0, 5.0]]


def test_a_group_that_fails_joins_the_nearest_one() -> None:
    table = line(["a", "a", "a", "b", "b", "a"])
    points = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]])
    labels = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    found = merge_failing_groups(table, np.arange(6), labels, [DistinctLDiversity(l=2)], points)
    assert found.tolist() == [0, 0, 0, 0, 1, 1]


def test_groups_that_hold_are_left_alone() -> None:
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    found = merge_failing_groups(line(["a", "b", "a", "b"]), np.arange(4), labels, [KAnonymity(k=2)], np.zeros((4, 1)))
    assert found.tolist() == labels.tolist()


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=20), st.integers(0, 2**31))
def test_all_groups_hold_in_the_end_or_there_is_one(secrets: list[str], seed: int) -> None:
    random = np.random.default_rng(seed)
    table, points = line(secrets), random.random((len(secrets), 2))
    labels = (np.arange(len(secrets)) // 2).astype(np.int32)
    models = [DistinctLDiversity(l=2), TCloseness(t=0.3)]
    found = merge_failing_groups(table, np.arange(len(secrets)), labels, models, points)
    groups = Groups.of_labels(table, found)
    assert len(groups) == 1 or all(model.holds(groups).all() for model in models)
    for group in range(len(secrets) // 2):
        assert len(set(found[labels == group].tolist())) == 1, "groups are joined as a whole"


def test_groups_below_2k_are_left_alone():
    labels = np.array([1, 0, 1, 0, 1], dtype=np.int32)
    assert split(np.zeros((5, 1)), labels, 2, lambda points, k: 1 / 0).tolist() == labels.tolist()


def test_a_large_group_is_grouped_anew_by_itself():
    points = np.array([[0.0], [9.0], [5.0], [0.0], [9.0], [5.0]])
    labels = np.array([1, 1, 0, 1, 1, 0], dtype=np.int32)
    assert split(points, labels, 2, cbfs_groups).tolist() == [1, 2, 0, 1, 2, 0]


@given(small_points(), st.integers(1, 4), st.integers(1, 3))
def test_groups_are_cut_as_in_the_plain_way(points, k, groups):
    labels = (np.arange(len(points)) % min(groups, len(points))).astype(np.int32)
    members = [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]
    found = split(points, labels, k, cbfs_groups)
    assert same(found, plain.split(points, members, k, plain.cbfs))
    assert numbered(found, min(k, np.bincount(labels).min()), 2 * k - 1) or len(points) < 2 * k


@given(st.integers(1, 60), st.integers(1, 9))
def test_as_many_groups_as_can_be(records, k):
    labels = consecutive_groups(records, k)
    assert len(labels) == records
    assert labels.max() + 1 == max(1, records // k)
    assert numbered(labels, k, 2 * k - 1)


def test_one_place_is_told_from_two():
    assert all_equal(np.ones((3, 2)))
    assert not all_equal(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0]]))


def test_whoever_is_left_joins_the_nearest_centroid():
    points = np.array([[0.0], [2.0], [10.0], [12.0], [5.0], [7.0]])
    labels = np.array([0, 0, 1, 1, -1, -1], dtype=np.int32)
    assert assign_leftovers(points, labels).tolist() == [0, 0, 1, 1, 0, 1]


def test_centroids_stay_while_records_join():
    """Were the first group's centroid to move to 3, the last record would be nearer to it."""
    points = np.array([[0.0], [0.0], [10.0], [4.9], [5.1]])
    assert assign_leftovers(points, np.array([0, 0, 1, -1, -1], dtype=np.int32)).tolist() == [0, 0, 1, 0, 1]


def test_where_nobody_has_a_group_all_get_one():
    assert assign_leftovers(np.zeros((2, 1)), np.array([-1, -1], dtype=np.int32)).tolist() == [0, 0]


def test_where_nobody_is_left_nothing_changes():
    labels = np.array([0, 1, 0], dtype=np.int32)
    found = assign_leftovers(np.zeros((3, 1)), labels)
    assert found.tolist() == [0, 1, 0]
    assert found is not labels


@given(small_points(at_least=4), st.integers(1, 3))
def test_records_join_as_in_the_plain_way(points, groups):
    labels = np.where(np.arange(len(points)) % 4 == 3, -1, np.arange(len(points)) % groups).astype(np.int32)
    members = [np.flatnonzero(labels == group).tolist() for group in range(groups)]
    joined = plain.with_leftovers(points, members, np.flatnonzero(labels < 0).tolist())
    assert assign_leftovers(points, labels).tolist() == plain.labels_of(joined, len(points)).tolist()


def test_splitting_tells_how_many_records_are_done():
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        labels = np.array([0] * 5 + [1] * 4, dtype=np.int32)
        split(np.zeros((9, 1)), labels, 2, lambda part, k: np.zeros(len(part), dtype=np.int32))
    assert heard == [("splitting groups", 0, 9), ("splitting groups", 5, 9)]
