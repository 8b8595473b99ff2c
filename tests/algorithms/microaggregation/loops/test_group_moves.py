import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.group_moves import accepted, dissolve, found, refuge
from sfumato.kernels.random import chance_from
from tests.kernels.some_groups import groups, is_in_order, loss, settled

HOT = 1e9


def buffers(at):
    return np.empty(at.members.shape[1], dtype=np.int32), np.empty(at.members.shape[1], dtype=np.int32)


@given(groups(), st.integers(0, 1_000), st.sampled_from([0.0, HOT]))
def test_a_dissolved_group_changes_the_sse_as_told(at, seed, temperature):
    before, labels = loss(at), at.labels.copy()
    change = dissolve(at, 0, temperature, chance_from(seed), *buffers(at))
    assert np.isclose(change, loss(at) - before, atol=1e-9)
    assert is_in_order(at, 3)
    room = (5 - at.sizes[1:][at.sizes[1:] > 0]).sum()
    if temperature == HOT and at.sizes[0] > 0:
        assert room < at.sizes[0]
    if at.sizes[0] > 0:
        assert at.labels.tolist() == labels.tolist()


@given(groups(), st.integers(0, 1_000), st.sampled_from([0.0, HOT]), st.data())
def test_a_founded_group_changes_the_sse_as_told(at, seed, temperature, data):
    before, used, labels = loss(at), (at.sizes > 0).sum(), at.labels.copy()
    record = data.draw(st.integers(0, len(at.labels) - 1))
    change = found(at, record, 3, temperature, chance_from(seed), *buffers(at))
    assert np.isclose(change, loss(at) - before, atol=1e-9)
    assert is_in_order(at, 3)
    if (at.sizes > 0).sum() == used:
        assert at.labels.tolist() == labels.tolist()
    else:
        assert (at.sizes > 0).sum() == used + 1
        assert at.sizes[at.labels[record]] == 3


def test_two_groups_of_five_can_spare_a_third_and_take_it_back():
    points = np.random.default_rng(3).standard_normal((10, 2))
    at = settled(points, np.repeat([0, 1], 5).astype(np.int32), 3)
    chance = chance_from(4)
    while at.spares[0]:
        found(at, 0, 3, HOT, chance, *buffers(at))
    assert sorted(at.sizes.tolist()) == [3, 3, 4]
    dissolve(at, at.labels[0], HOT, chance, *buffers(at))
    assert sorted(at.sizes.tolist()) == [0, 5, 5]
    assert is_in_order(at, 3)


def test_the_refuge_is_where_it_costs_little_and_there_is_room():
    points = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1], [9.2]])
    at = settled(points, np.array([0, 0, 1, 1, 2, 2, 2], dtype=np.int32), 2)
    assert refuge(at, 0, chance_from(0)) == 1
    assert refuge(at, 6, chance_from(0)) == 1
    full = settled(points[:6], np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), 2)
    assert refuge(full, 0, chance_from(0)) == -1


def test_the_colder_and_the_dearer_the_rarer():
    chance = chance_from(0)
    assert accepted(-1.0, 0.0, chance)
    assert accepted(0.0, 0.0, chance)
    assert not accepted(1e-9, 0.0, chance)
    often = [sum(accepted(1.0, heat, chance) for _ in range(4_000)) / 4_000 for heat in (0.5, 1.0, 2.0)]
    assert np.allclose(often, np.exp([-2.0, -1.0, -0.5]), atol=0.03)
