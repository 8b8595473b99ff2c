from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.merging import centroids, merged_until_held
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness


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
    found = merged_until_held(table, np.arange(6), labels, [DistinctLDiversity(l=2)], points)
    assert found.tolist() == [0, 0, 0, 0, 1, 1]


def test_groups_that_hold_are_left_alone() -> None:
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    found = merged_until_held(line(["a", "b", "a", "b"]), np.arange(4), labels, [KAnonymity(k=2)], np.zeros((4, 1)))
    assert found.tolist() == labels.tolist()


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=20), st.integers(0, 2**31))
def test_all_groups_hold_in_the_end_or_there_is_one(secrets: list[str], seed: int) -> None:
    random = np.random.default_rng(seed)
    table, points = line(secrets), random.random((len(secrets), 2))
    labels = (np.arange(len(secrets)) // 2).astype(np.int32)
    models = [DistinctLDiversity(l=2), TCloseness(t=0.3)]
    found = merged_until_held(table, np.arange(len(secrets)), labels, models, points)
    groups = Groups.of_labels(table, found)
    assert len(groups) == 1 or all(model.holds(groups).all() for model in models)
    for group in range(len(secrets) // 2):
        assert len(set(found[labels == group].tolist())) == 1, "groups are joined as a whole"
