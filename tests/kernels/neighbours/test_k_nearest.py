from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.neighbours.duplicate_points import twins
from sfumato.kernels.neighbours.k_nearest import empty_neighbourhoods_of, find_neighbourhood, neighbourhoods
from sfumato.kernels.neighbours.take_nearest import scratch, take_nearest
from sfumato.kernels.neighbours.tree import shrinking_tree
from tests.oracles import plain_microaggregation as plain
from tests.oracles.small_points import small_points


def all_seated(points, k):
    tree, near = shrinking_tree(points, *twins(points)), scratch(k)
    hoods = neighbourhoods(len(tree.rows), len(points), k)
    losses = [find_neighbourhood(points, tree, near, hoods, place) for place in range(len(tree.rows))]
    return tree, near, hoods, losses


@given(small_points(at_least=6), st.integers(1, 6))
def test_a_neighbourhood_is_the_nearest_records(points, k):
    tree, _, hoods, losses = all_seated(points, k)
    for place, record in enumerate(tree.first):
        group = plain.nearest_of(points, list(range(len(points))), int(record), k)
        assert hoods.members[place].tolist() == sorted(group)
        assert losses[place] == plain.spread(points, group)


@given(small_points(at_least=12), st.integers(1, 6))
def test_just_those_who_lost_a_member_have_to_look_again(points, k):
    tree, near, hoods, _ = all_seated(points, k)
    seats = hoods.members.copy()
    taken, stale, count = np.empty(k, dtype=np.int32), np.empty(len(tree.rows), dtype=np.int32), 0
    take_nearest(tree, near, points[0], k, taken)
    for record in taken:
        count = empty_neighbourhoods_of(hoods, record, stale, count)
    hit = [place for place in range(len(seats)) if set(seats[place].tolist()) & set(taken.tolist())]
    assert sorted(stale[:count].tolist()) == hit
    free = [record for record in range(len(points)) if record not in taken.tolist()]
    for place in [place for place in hit if tree.first[place] >= 0 and len(free) >= k]:
        find_neighbourhood(points, tree, near, hoods, place)
        group = plain.nearest_of(points, free, int(tree.first[place]), k)
        assert hoods.members[place].tolist() == sorted(group)
