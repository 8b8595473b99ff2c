from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.evaluation.clusterers import KMeans


def spread(points, weights, labels) -> float:
    """The squared distances of all records to the mean of their cluster, the slow way."""
    total = 0.0
    for label in set(labels.tolist()):
        mine = labels == label
        centre = np.average(points[mine], axis=0, weights=weights[mine])
        total += float((weights[mine] * ((points[mine] - centre) ** 2).sum(axis=1)).sum())
    return total


def test_it_finds_the_best_of_all_ways_to_cut_a_line():
    """Clusters on a line are ranges, so that the best two can be found by trying every place between two points."""
    random = np.random.default_rng(2)
    points, weights = np.sort(random.random((12, 1)), axis=0), random.integers(1, 9, 12).astype(float)
    best = min(spread(points, weights, (np.arange(12) >= cut).astype(int)) for cut in range(1, 12))
    assert spread(points, weights, KMeans(clusters=2).labels(points, weights)) == pytest.approx(best)


def test_a_weight_counts_like_as_many_records():
    """Even halves cost 16; with a hundred records at 0 and at 6, leaving 0 alone costs 20 instead of 32."""
    points, often = np.array([[0.0], [4.0], [6.0], [10.0]]), np.array([100, 1, 100, 1])
    assert KMeans(clusters=2).labels(points).tolist() == [0, 0, 1, 1]
    assert KMeans(clusters=2).labels(points, often).tolist() == [0, 1, 1, 1]
    assert KMeans(clusters=2).labels(np.repeat(points, often, axis=0)).tolist() == [0] * 100 + [1] * 102


def test_starts_are_checked():
    with pytest.raises(ParameterError, match="'starts'"):
        KMeans(clusters=2, starts=0)
