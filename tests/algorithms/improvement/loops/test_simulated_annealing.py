import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.improvement.loops.simulated_annealing import (
    anneal,
    chain,
    chain_change,
    cheapest_near_group,
    create_group,
    cycle,
    cycle_change,
    dissolve,
    distance_to_centroid,
    fill_state,
    is_accepted,
    join_increase,
    leave_decrease,
    relocate,
    relocation_change,
    swap,
    swap_change,
)
from sfumato.kernels.random import chance_from
from tests.examples import examples
from tests.kernels.some_groups import groups, is_in_order, loss, settled
from tests.oracles.optimal_microaggregation import sse


@given(groups(), st.integers(0, 1_000), st.sampled_from([0.0, 0.1, 1.0, 100.0]))
def test_many_moves_change_the_sse_as_told(at, seed, temperature):
    before = loss(at)
    change = anneal(at, 3, (0, len(at.labels)), 500, temperature, chance_from(seed))
    assert np.isclose(change, loss(at) - before, atol=1e-8)
    assert is_in_order(at, 3)
    if temperature == 0:
        assert change <= 0


@examples(5)
@given(st.integers(2, 6), st.integers(0, 100))
def test_a_hundred_thousand_moves_do_not_drift(k, seed):
    random = np.random.default_rng(seed)
    points = random.standard_normal((120, 4)) * [1.0, 10.0, 100.0, 0.01]
    at = settled(points, (np.arange(120) % (120 // k)).astype(np.int32), k)
    before = loss(at)
    change = anneal(at, k, (0, 120), 100_000, before / 120, chance_from(seed))
    assert np.isclose(before + change, loss(at), rtol=1e-9)
    assert is_in_order(at, k)


def test_moves_begin_inside_the_window():
    """Groups far from the window stay as they are."""
    points = np.concatenate([np.zeros((8, 1)), np.full((8, 1), 100.0)]) + np.arange(16)[:, None] % 8
    at = settled(points, (np.arange(16) % 4 // 2 + 2 * (np.arange(16) >= 8)).astype(np.int32), 4)
    at = at._replace(near=np.ascontiguousarray(at.near[:, :7]))
    far = at.labels[8:].copy()
    anneal(at, 4, (0, 8), 2_000, 1.0, chance_from(1))
    assert at.labels[8:].tolist() == far.tolist()
    anneal(at, 4, (0, 8), 2_000, 0.0, chance_from(1))
    assert sorted([at.labels[:4].tolist(), at.labels[4:8].tolist()]) == [[0] * 4, [1] * 4]


def test_the_same_seed_makes_the_same_moves():
    random = np.random.default_rng(5)
    points, labels = random.standard_normal((30, 2)), np.repeat(np.arange(10), 3).astype(np.int32)
    found = []
    for seed in (7, 7, 8):
        at = settled(points, labels, 3)
        anneal(at, 3, (0, 30), 300, 1.0, chance_from(seed))
        found.append(at.labels.tolist())
    assert found[0] == found[1] != found[2]


@given(groups())
def test_settles_from_labels_alone(at):
    losses = fill_state(at)
    for group in range(len(at.sizes)):
        mine = at.points[at.labels == group]
        assert np.isclose(losses[group], sse(mine, np.zeros(len(mine))) if len(mine) else 0.0)
    assert is_in_order(at, 3)


@given(groups(), st.data())
def test_joining_and_leaving_are_what_the_sse_change_by(at, data):
    record = data.draw(st.integers(0, len(at.labels) - 1))
    group = data.draw(st.sampled_from([g for g in range(len(at.sizes)) if g != at.labels[record] and at.sizes[g]]))
    before, grows, falls = loss(at), join_increase(at, record, group), leave_decrease(at, record)
    after = at.labels.copy()
    after[record] = group
    assert np.isclose(sse(at.points, after) - before, grows - falls)
    middle = at.points[at.labels == group].mean(axis=0)
    assert np.isclose(distance_to_centroid(at, record, group), ((at.points[record] - middle) ** 2).sum())


@given(groups(), st.data())
def test_relocating_keeps_everything_up_to_date_and_can_be_taken_back(at, data):
    able = [record for record in range(len(at.labels)) if at.sizes[at.labels[record]] > 3]
    if not able:
        return
    record = data.draw(st.sampled_from(able))
    targets = [g for g in range(len(at.sizes)) if g != at.labels[record] and 0 < at.sizes[g] < 5]
    if not targets:
        return
    old, group = at.labels[record], data.draw(st.sampled_from(targets))
    relocate(at, record, group)
    assert at.labels[record] == group
    assert is_in_order(at, 3)
    relocate(at, record, old)
    assert at.labels[record] == old
    assert is_in_order(at, 3)


@given(groups())
def test_the_first_and_the_last_of_a_group_cost_nothing(at):
    spare = [group for group in range(len(at.sizes)) if at.sizes[group] == 0]
    if not spare:
        return
    assert join_increase(at, 0, spare[0]) == 0
    relocate(at, 0, spare[0])
    assert leave_decrease(at, 0) == 0
    assert at.centroids[spare[0]].tolist() == at.points[0].tolist()


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
    change = create_group(at, record, 3, temperature, chance_from(seed), *buffers(at))
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
        create_group(at, 0, 3, HOT, chance, *buffers(at))
    assert sorted(at.sizes.tolist()) == [3, 3, 4]
    dissolve(at, at.labels[0], HOT, chance, *buffers(at))
    assert sorted(at.sizes.tolist()) == [0, 5, 5]
    assert is_in_order(at, 3)


def test_the_refuge_is_where_it_costs_little_and_there_is_room():
    points = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1], [9.2]])
    at = settled(points, np.array([0, 0, 1, 1, 2, 2, 2], dtype=np.int32), 2)
    assert cheapest_near_group(at, 0, chance_from(0)) == 1
    assert cheapest_near_group(at, 6, chance_from(0)) == 1
    full = settled(points[:6], np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), 2)
    assert cheapest_near_group(full, 0, chance_from(0)) == -1


def test_the_colder_and_the_dearer_the_rarer():
    chance = chance_from(0)
    assert is_accepted(-1.0, 0.0, chance)
    assert is_accepted(0.0, 0.0, chance)
    assert not is_accepted(1e-9, 0.0, chance)
    often = [sum(is_accepted(1.0, heat, chance) for _ in range(4_000)) / 4_000 for heat in (0.5, 1.0, 2.0)]
    assert np.allclose(often, np.exp([-2.0, -1.0, -0.5]), atol=0.03)
