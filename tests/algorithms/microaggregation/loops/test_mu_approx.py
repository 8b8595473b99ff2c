from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.mu_approx import grow_forest, split_trees, top_of
from tests.oracles.plain_trees import components, forest, taken_apart, tree_of
from tests.oracles.small_points import same, small_points


@given(small_points(most=20), st.integers(1, 5), st.randoms(use_true_random=False))
def test_links_are_those_of_the_plain_loop(points, k, random):
    order = random.sample(range(len(points)), len(points))
    above = grow_forest(points, k, np.array(order, dtype=np.int32))
    links = [(one, int(other)) for one, other in enumerate(above) if other >= 0]
    assert links == sorted(forest(points, k, order))
    assert len(points) < k or min(map(len, components(tree_of(links, len(points))))) >= k


def test_the_way_to_the_top_gets_shorter():
    top = np.array([0, 0, 1, 2, 3], dtype=np.int32)
    assert top_of(top, 4) == 0
    assert top.tolist() == [0, 0, 0, 2, 2]


@st.composite
def trees(draw, k):
    """Points that hang on each other in one tree, bushy or as a chain."""
    points = draw(small_points(most=40, at_least=2 * k))
    reach = draw(st.sampled_from([1, 3, 40]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = random.permutation(len(points))
    above = np.full(len(points), -1, dtype=np.int32)
    for place in range(1, len(points)):
        above[numbers[place]] = numbers[random.integers(max(0, place - reach), place)]
    return points, above


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
@given(st.data())
def test_parts_are_those_of_the_plain_way(k, data):
    points, above = data.draw(trees(k))
    labels = split_trees(points, above, k)
    links = [(one, int(other)) for one, other in enumerate(above) if other >= 0]
    assert same(labels, taken_apart(points, tree_of(links, len(points)), k))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 3 * k - 5)


def test_several_trees_stay_apart():
    above = np.array([-1, 0, -1, 2], dtype=np.int32)
    assert split_trees(np.zeros((4, 1)), above, 2).tolist() == [0, 0, 1, 1]


def test_a_star_gives_its_middle_to_one_side():
    """Six around one, and groups of three: the middle with the two nearest, and the other four."""
    points = np.array([[0.0], [1.0], [-2.0], [3.0], [-4.0], [5.0], [-6.5]])
    above = np.array([-1, 0, 0, 0, 0, 0, 0], dtype=np.int32)
    labels = split_trees(points, above, 3)
    assert sorted(np.bincount(labels).tolist()) == [3, 4]
    assert len(set(labels[[0, 1, 2]].tolist())) == 1
