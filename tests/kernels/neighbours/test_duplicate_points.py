from __future__ import annotations

import numpy as np
from hypothesis import given

from sfumato.kernels.neighbours.duplicate_points import coordinate_hash, twins
from tests.oracles.small_points import small_points


@given(small_points(most=60))
def test_records_at_a_place_are_chained_in_ascending_order(points):
    first, following = twins(points)
    found = []
    for record in first.tolist():
        chain = [record]
        while following[chain[-1]] >= 0:
            chain.append(int(following[chain[-1]]))
        found.append(chain)
    places = {}
    for record, point in enumerate(points.tolist()):
        places.setdefault(tuple(point), []).append(record)
    assert found == list(places.values())


def test_minus_zero_is_the_place_of_zero():
    first, following = twins(np.array([[0.0, 1.0], [-0.0, 1.0]]))
    assert (first.tolist(), following.tolist()) == ([0], [1, -1])


def test_marks_depend_on_all_coordinates_in_their_order():
    bits = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0], [1.0, 2.0]]).view(np.uint64)
    marks = [coordinate_hash(bits, row) for row in range(4)]
    assert marks[0] == marks[3]
    assert len(set(marks)) == 3
