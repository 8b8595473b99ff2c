from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.search import farthest, nearest
from sfumato.kernels.neighbours.tree import shrinking_tree, take_first
from tests.oracles.plain_mdav import squared
from tests.oracles.small_points import small_points


def asked(tree, query, wanted):
    """The lowest records of the nearest places, and of the farthest one, as the tree finds them."""
    distances, records, places = np.empty(wanted), np.empty(wanted, dtype=np.int32), np.empty(wanted, dtype=np.int32)
    found = nearest(tree, query, distances, records, places)
    far = farthest(tree, query)
    assert tree.first[places[:found]].tolist() == records[:found].tolist()
    return records[:found].tolist(), int(tree.first[far]) if far >= 0 else -1


def plainly(tree, points, query, wanted):
    """The same by looking at all places."""
    left = np.sort(tree.first[tree.first >= 0])
    distances = squared(points[left], query)
    near = left[np.argsort(distances, kind="stable")[:wanted]].tolist()
    return near, int(left[np.argmax(distances)]) if len(left) else -1


def agree(points, queries, wanted, random):
    tree = shrinking_tree(points, *twins(points))
    while True:
        for query in queries:
            assert asked(tree, query, wanted) == plainly(tree, points, query, wanted)
        left = np.flatnonzero(tree.first >= 0)
        if len(left) == 0:
            return
        for place in random.permutation(left)[: 1 + len(left) // 3]:
            while tree.first[place] >= 0:
                take_first(tree, place)


@given(small_points(), st.integers(0, 5))
def test_searches_find_what_looking_everywhere_finds(points, wanted):
    agree(points, points[:3] + 0.5, wanted, np.random.default_rng(0))


@pytest.mark.parametrize("columns", [1, 3, 8])
@pytest.mark.parametrize("kind", ["smooth", "grid", "clusters", "far away", "heavy tails"])
def test_searches_in_deep_trees(columns, kind):
    random = np.random.default_rng(columns)
    points = random.normal(size=(1500, columns))
    if kind == "grid":
        points = np.round(2 * points)
    elif kind == "clusters":
        points = np.round(3 * points) + random.normal(0, 0.01, size=points.shape)
    elif kind == "far away":
        points = points + 1e6
    elif kind == "heavy tails":
        points = points**7
    agree(points, np.concatenate([points[:8], points[:4] * 1.5]), 7, random)
