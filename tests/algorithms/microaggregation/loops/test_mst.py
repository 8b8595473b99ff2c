from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from sfumato.algorithms.microaggregation.loops.mst import cut_tree, spanning_tree
from tests.oracles import plain_trees
from tests.oracles.small_points import same, small_points


@given(small_points(most=15))
def test_the_tree_is_that_of_the_plain_loop(points):
    tree = spanning_tree(points)
    edges = [(tree.length[one], one, tree.above[one]) for one in tree.order[1:]]
    assert edges == plain_trees.prim(points)
    assert (tree.order[0], tree.above[0], tree.length[0]) == (0, -1, 0.0)


def test_the_tree_is_as_short_as_that_of_scipy():
    points = np.random.default_rng(3).standard_normal((200, 4))
    expected = minimum_spanning_tree(cdist(points, points)).sum()
    assert np.isclose(np.sqrt(spanning_tree(points).length).sum(), expected)


@given(small_points(most=15), st.integers(1, 4))
def test_what_is_left_is_that_of_the_plain_cuts(points, k):
    labels = cut_tree(spanning_tree(points), k)
    assert same(labels, plain_trees.cut(plain_trees.prim(points), k))
    assert len(points) < k or np.bincount(labels).min() >= k


def test_a_short_edge_is_cut_where_the_longest_would_leave_too_few():
    points = np.array([[0.0], [10.0], [11.0], [20.0], [21.0]])
    assert cut_tree(spanning_tree(points), 2).tolist() == [0, 0, 0, 1, 1]
