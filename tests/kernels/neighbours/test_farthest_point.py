from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.farthest_point import SHORT, farthest_from_centre, outermost, squared_distance
from sfumato.kernels.neighbours.tree import shrinking_tree, take_first
from tests.oracles.plain_mdav import squared


def wander(points, step, taken, random):
    """Ask again and again while the centre moves and the outermost records, and some others, go away."""
    tree = shrinking_tree(points, *twins(points))
    far, centre, asked = outermost(tree), points.mean(axis=0), 0
    while (tree.first >= 0).any():
        left = np.sort(tree.first[tree.first >= 0])
        place = farthest_from_centre(far, tree, centre)
        assert tree.first[place] == left[np.argmax(squared(points[left], centre))]
        take_first(tree, place)
        for other in random.permutation(np.flatnonzero(tree.first >= 0))[:taken]:
            take_first(tree, other)
        centre = centre + random.normal(0, step, size=len(centre))
        asked += 1
    assert farthest_from_centre(far, tree, centre) == -1
    return asked


@pytest.mark.parametrize("step", [0.0, 1e-4, 0.01, 1.0])
@pytest.mark.parametrize("kind", ["smooth", "grid", "sphere", "same"])
def test_the_farthest_is_found_wherever_the_centre_goes(kind, step):
    random = np.random.default_rng(3)
    points = random.normal(size=(3 * SHORT, 3))
    if kind == "grid":
        points = np.round(points)
    elif kind == "sphere":
        points = points / np.sqrt((points**2).sum(axis=1, keepdims=True))
    elif kind == "same":
        points = np.ones_like(points)
    assert wander(points, step, 2, random) >= SHORT


def test_lists_grow_shorter():
    points = np.random.default_rng(4).normal(size=(50_000, 2))
    tree = shrinking_tree(points, *twins(points))
    far = outermost(tree)
    farthest_from_centre(far, tree, np.zeros(2))
    sizes = far.sizes[: far.used[0]]
    assert sizes[0] == 50_000
    assert sizes[-1] <= SHORT
    assert (2 * sizes[1:] <= sizes[:-1]).all()


def test_squared_distance():
    assert squared_distance(np.array([1.0, 2.0]), np.array([4.0, -2.0])) == 25.0
