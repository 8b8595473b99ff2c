from __future__ import annotations

import numpy as np

from sfumato.evaluation.clusterers import BisectingKMeans


def test_fewer_clusters_are_unions_of_more():
    points = np.random.default_rng(4).random((200, 3))
    coarse, fine = (BisectingKMeans(clusters=number, seed=2).labels(points) for number in (3, 6))
    inside = {(int(small), int(large)) for small, large in zip(fine, coarse, strict=True)}
    assert len(inside) == 6


def test_the_most_spread_out_cluster_is_cut():
    """Two far apart pairs: the wider pair is cut first."""
    points = np.array([[0.0], [1.0], [100.0], [105.0]])
    assert BisectingKMeans(clusters=3).labels(points).tolist() == [0, 0, 1, 2]


def test_weights_make_a_cluster_wide():
    points = np.array([[0.0], [3.0], [100.0], [105.0]])
    assert BisectingKMeans(clusters=3).labels(points, np.array([50, 50, 1, 1])).tolist() == [0, 1, 2, 2]
