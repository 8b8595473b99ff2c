from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.bit_sets import add, words
from sfumato.knowledge.loops.assignments import ascending_order, assign, assign_greedily, reduced_copy
from sfumato.knowledge.matching import valid_values
from tests.knowledge.loops.test_matching import counts, single_groups


def opened(ruled_out: np.ndarray) -> np.ndarray:
    sets = np.zeros((len(ruled_out), max(words(ruled_out.shape[1]), 1)), dtype=np.uint64)
    for place, value in np.argwhere(~ruled_out):
        add(sets[place], value)
    return sets


@given(single_groups(40, 9))
def test_everybody_gets_an_open_value_exactly_where_that_is_possible(group):
    values, classes, ruled_out = group
    flow = np.zeros((len(values), len(classes)), dtype=np.int64)
    found = assign(opened(ruled_out), counts(values), counts(classes), flow)
    assert found == valid_values(values, classes, ruled_out).any()
    assert (flow >= 0).all()
    assert not flow[ruled_out.T].any()
    if found:
        assert flow.sum(axis=0).tolist() == classes
        assert flow.sum(axis=1).tolist() == values


def test_a_value_is_taken_back_where_greed_was_wrong():
    """The first two classes take the value that fewest want, which the last one needs."""
    ruled_out = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0], [1, 0, 1, 0]], dtype=bool)
    ones = np.ones(4, dtype=np.int64)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        flow = np.zeros((4, 4), dtype=np.int64)
        assert assign(opened(ruled_out[order]), ones, ones, flow)
        assert sorted(flow.sum(axis=0)) == sorted(flow.sum(axis=1)) == [1, 1, 1, 1]


def test_a_chain_of_swaps_serves_the_last():
    """Everybody took his second choice, so that all have to move when the last comes, who has no other."""
    size = 70
    ruled_out = np.ones((size, size), dtype=bool)
    ruled_out[np.arange(size), np.arange(size)] = False
    ruled_out[np.arange(1, size), np.arange(size - 1)] = False
    ruled_out[1:, 0] = False
    ones, flow = np.ones(size, dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    assert assign(opened(ruled_out), ones, ones, flow)
    assert (flow.sum(axis=0) == 1).all()
    assert not flow[ruled_out.T].any()


def test_the_flow_is_left_alone_where_it_has_no_room():
    room, left = counts([2, 3]), counts([1, 2])
    assign_greedily(opened(np.array([[True, False], [False, False]])), np.zeros((0, 0), dtype=np.int64), room, left)
    assert (room.sum(), left.tolist()) == (2, [0, 0])


@given(st.lists(st.integers(0, 9), max_size=200))
def test_places_in_order(keys):
    order = ascending_order(counts(keys))
    assert sorted(order.tolist()) == list(range(len(keys)))
    assert [keys[place] for place in order] == sorted(keys)


def test_a_copy_is_less():
    given_counts = counts([3, 1])
    assert reduced_copy(given_counts, 1).tolist() == [2, 0]
    assert reduced_copy(given_counts, 0) is not given_counts
    assert given_counts.tolist() == [3, 1]
