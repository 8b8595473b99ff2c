import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.record_moves import (
    chain,
    chain_change,
    cycle,
    cycle_change,
    relocation_change,
    swap,
    swap_change,
)
from tests.kernels.some_groups import groups, is_in_order, loss, settled
from tests.oracles.optimal_microaggregation import sse


def one_of_each(at, data, count):
    """Records of so many different groups, the first of which have the records drawn."""
    used = data.draw(st.permutations(np.flatnonzero(at.sizes).tolist()))[:count]
    return [int(data.draw(st.sampled_from(np.flatnonzero(at.labels == group).tolist()))) for group in used]


@given(groups(), st.data())
def test_a_relocation_changes_the_sse_as_foretold(at, data):
    one, two = one_of_each(at, data, 2)
    after = at.labels.copy()
    after[one] = at.labels[two]
    assert np.isclose(relocation_change(at, one, at.labels[two]), sse(at.points, after) - loss(at))


@given(groups(), st.data())
def test_a_swap_changes_the_sse_as_foretold(at, data):
    one, two = one_of_each(at, data, 2)
    before, labels, change = loss(at), at.labels.copy(), swap_change(at, one, two)
    swap(at, one, two)
    labels[[one, two]] = labels[[two, one]]
    assert at.labels.tolist() == labels.tolist()
    assert np.isclose(change, loss(at) - before)
    assert is_in_order(at, 3)


@given(groups(least=3), st.data())
def test_a_cycle_changes_the_sse_as_foretold(at, data):
    one, two, three = one_of_each(at, data, 3)
    before, labels, change = loss(at), at.labels.copy(), cycle_change(at, one, two, three)
    cycle(at, one, two, three)
    labels[[one, two, three]] = labels[[two, three, one]]
    assert at.labels.tolist() == labels.tolist()
    assert np.isclose(change, loss(at) - before)
    assert is_in_order(at, 3)


@given(groups(least=3), st.data())
def test_a_chain_changes_the_sse_as_foretold(at, data):
    one, two, three = one_of_each(at, data, 3)
    if at.sizes[at.labels[one]] == 3 or at.sizes[at.labels[three]] == 5:
        return
    before, labels = loss(at), at.labels.copy()
    change = chain_change(at, one, two, at.labels[three])
    chain(at, one, two, at.labels[three])
    labels[[one, two]] = labels[[two, three]]
    assert at.labels.tolist() == labels.tolist()
    assert np.isclose(change, loss(at) - before)
    assert is_in_order(at, 3)


@pytest.mark.parametrize("records", [2, 3])
def test_moving_there_and_back_changes_nothing(records):
    points = np.random.default_rng(1).standard_normal((9, 2))
    at = settled(points, np.repeat(np.arange(3), 3).astype(np.int32), 3)
    before, some = at.labels.copy(), [0, 3, 6][:records]
    for _ in range(records):
        swap(at, *some) if records == 2 else cycle(at, *some)
    assert at.labels.tolist() == before.tolist()
    assert is_in_order(at, 3)
