from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.clusters import (
    clusters_of,
    growth,
    hand_over,
    members_of,
    offer,
    settle,
    withdraw,
)
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


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
        withdraw(clusters, 0)
        assert growth(clusters, 0) == 0.0
        for point in more:
            offer(clusters, 0, point, float(((point - clusters.means[0]) ** 2).sum()))
    wanted = plain.spread(together, range(len(together)))
    assert growth(clusters, 0) == pytest.approx(wanted - before, abs=1e-9)
    for record in range(len(points), len(both)):
        hand_over(both, clusters, record, 0)
    settle(clusters, 0)
    assert clusters.losses[0] == pytest.approx(wanted, abs=1e-9)
    assert clusters.means[0] == pytest.approx(together.mean(axis=0))
    assert len(members_of(clusters, 0)) == len(together)
