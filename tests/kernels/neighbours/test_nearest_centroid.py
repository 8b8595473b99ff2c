from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.nearest_centroid import distance_below, nearest_centroids
from tests.oracles.plain_microaggregation import squares
from tests.oracles.small_points import small_points


@given(small_points(), st.data())
def test_the_nearest_is_found_and_of_several_the_lowest(points, data):
    centroids = data.draw(small_points().map(lambda found: np.resize(found, (len(found), points.shape[1]))))
    expected = [int(np.argmin(squares(centroids, point))) for point in points]
    assert nearest_centroids(points, centroids).tolist() == expected


def test_adding_up_ends_above_the_limit_only():
    one, other = np.array([1.0, 2.0, 2.0]), np.zeros(3)
    assert distance_below(one, other, np.inf) == 9.0
    assert distance_below(one, other, 9.0) == 9.0
    assert distance_below(one, other, 5.0) == 9.0
    assert distance_below(one, other, 4.0) == 5.0
