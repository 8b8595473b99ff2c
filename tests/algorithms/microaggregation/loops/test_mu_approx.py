from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.mu_approx import grow_forest, top_of
from tests.oracles.plain_trees import components, forest, tree_of
from tests.oracles.small_points import small_points


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
