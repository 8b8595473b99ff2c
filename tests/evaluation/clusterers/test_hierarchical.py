from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.clusterers import Hierarchical

CHAIN = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])


def test_single_linkage_follows_a_chain():
    """The widest gap lies before the last point."""
    assert Hierarchical(clusters=2, linkage="single").labels(CHAIN).tolist() == [0, 0, 0, 0, 0, 1]


def test_complete_linkage_keeps_clusters_narrow():
    """By hand: the three pairs of neighbours (1, 1.2 and 1.4 wide), then the first two pairs (3.3 against 3.9)."""
    assert Hierarchical(clusters=2, linkage="complete").labels(CHAIN).tolist() == [0, 0, 0, 0, 1, 1]


def test_equal_points_count_once_whatever_they_weigh():
    points = np.repeat(CHAIN, 3, axis=0)
    weights = np.arange(1.0, 19.0)
    once = Hierarchical(clusters=3).labels(CHAIN)
    assert Hierarchical(clusters=3).labels(points, weights).tolist() == np.repeat(once, 3).tolist()


def test_too_many_points_are_refused_with_a_way_out():
    with pytest.raises(UsageError, match="at most 5 points; use bisecting_k_means"):
        Hierarchical(clusters=2, most=5).labels(CHAIN)


def test_linkage_is_checked():
    with pytest.raises(ParameterError, match="'linkage'"):
        Hierarchical(clusters=2, linkage="median")


def test_points_that_look_like_a_matrix_of_distances_are_points() -> None:
    assert len(set(Hierarchical(clusters=2).labels(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist())) == 2
